/** JSON whose integers keep every digit, and its canonical text: keys sorted, no spaces. */

/** A JSON value; integers may be bigint. Members that are undefined are left out. */
export type ExactJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined }

/** Writes JSON canonically: keys in order of their UTF-16 code units at every level, no spaces, no escapes but those JSON needs. */
export function canonicalJson(value: ExactJson): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key]
      return member === undefined ? [] : `${JSON.stringify(key)}:${canonicalJson(member)}`
    })
  return `{${members.join(',')}}`
}

/**
 * Reads JSON; an integer that a number cannot hold becomes a bigint.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  // Long integers travel through the platform's parser as strings that begin with a character no other has.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
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
