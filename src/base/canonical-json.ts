/** JSON whose integers keep every digit, and its canonical text: keys sorted, no spaces. */

import { findJsonExcess } from './json-depth.ts'

/** A JSON value; integers may be bigint. Members that are undefined are left out. */
export type ExactJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined }

/** The deepest nesting that is read or written; what is signed nests three deep. */
const maxLevels = 100

/**
 * Writes JSON canonically: keys in order of their UTF-16 code units at every level, no spaces, no escapes but those
 * JSON needs.
 *
 * @throws RangeError when it nests deeper than 100 levels or has more than 500,000 objects and lists.
 */
export function canonicalJson(value: ExactJson): string {
  return writeCanonical(value, 0)
}

function writeCanonical(value: ExactJson, level: number): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (level >= maxLevels) throw new RangeError(`Cannot write JSON: it nests deeper than ${maxLevels} levels`)
  const write = (inner: ExactJson) => writeCanonical(inner, level + 1)
  if (isList(value)) return `[${value.map(write).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key]
      return member === undefined ? [] : `${JSON.stringify(key)}:${write(member)}`
    })
  return `{${members.join(',')}}`
}

// A string that does not end goes to the end of the text: were it no match, the search would begin anew at each quote.
const stringOrNumber = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|-?\d[\d.eE+-]*/g

/** Reads JSON; an integer that a number cannot hold becomes a bigint. SyntaxError also beyond 100 levels. */
export function parseExactJson(text: string): unknown {
  const excess = findJsonExcess(text, maxLevels)
  if (excess !== undefined) throw new SyntaxError(`Cannot read JSON: it ${excess}`)
  // Long integers travel through the platform's parser as strings that begin with a character no other has.
  const marked = text.replace(stringOrNumber, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  )
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}

// A noncharacter of Unicode, which no text holds.
const mark = '\uffff'

function isList(value: object): value is readonly ExactJson[] {
  return Array.isArray(value)
}
