/** Regular expressions of values: the notation, a part of RE2 that every engine reads alike, as a tree. */

import { RatelimitError } from '../errors.ts'
import { anyCharacter, classes, complement, type Range, toRange } from './ranges.ts'

/** A part of an expression. */
export type Part =
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly options: readonly Part[] }
  /** `most` is null where there is no bound. */
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number | null }

/** Groups within groups, and repeats of repeats; the parser calls itself for each. */
const mostLevels = 20
/** A larger number of repetitions is refused, as by RE2. */
const mostRepeats = 1_000

const controls: ReadonlyMap<string, number> = new Map([
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['f', 0x0c],
  ['v', 0x0b],
])

/**
 * Parses an expression: literals, `.`, `[a-z]`, `[^a-z]`, `\d \w \s` and their complements, groups, `|`, and the
 * repeats `* + ? {m} {m,} {m,n}`. It is compared with whole values, so `^` at its beginning and `$` at its end mean
 * nothing. `.` is any character, also a line break.
 *
 * @throws RatelimitError invalid_rules when it is not of this notation, which has no references to groups.
 */
export function parseExpression(text: string): Part {
  const input = [...text]
  const begin = input[0] === '^' ? 1 : 0
  const isAnchored = input.length > begin && input.at(-1) === '$' && !isEscaped(input, input.length - 1)
  const end = isAnchored ? input.length - 1 : input.length
  const reader: Reader = { input: input.slice(0, end), at: begin }
  const part = readChoice(reader, 0)
  if (reader.at < end) throw wrongAt('there is a ) without its (', reader.at)
  return part
}

interface Reader {
  readonly input: readonly string[]
  at: number
}

function isEscaped(input: readonly string[], at: number): boolean {
  let backslashes = 0
  while (input[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function readChoice(reader: Reader, level: number): Part {
  if (level > mostLevels) throw wrongAt(`groups are nested deeper than ${mostLevels}`, reader.at)
  const options = [readSequence(reader, level)]
  while (reader.input[reader.at] === '|') {
    reader.at += 1
    options.push(readSequence(reader, level))
  }
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
}

function readSequence(reader: Reader, level: number): Part {
  const parts: Part[] = []
  for (;;) {
    const character = reader.input[reader.at]
    if (character === undefined || character === '|' || character === ')') return { kind: 'sequence', parts }
    parts.push(readRepeats(reader, readOne(reader, level)))
  }
}

function readOne(reader: Reader, level: number): Part {
  const { input, at } = reader
  const character = input[at] ?? ''
  reader.at += 1
  switch (character) {
    case '(':
      return readGroup(reader, level)
    case '[':
      return readSet(reader)
    case '.':
      return { kind: 'set', ranges: anyCharacter }
    case '\\':
      return { kind: 'set', ranges: readEscape(reader) }
    case '*':
    case '+':
    case '?':
    case '{':
      throw wrongAt(`${character} repeats nothing, expected a part before it, or \\${character}`, at)
    case '^':
    case '$':
      throw wrongAt(`${character} is within the expression, expected it at an end, or \\${character}`, at)
    default:
      return { kind: 'set', ranges: [toRange(character)] }
  }
}

function readGroup(reader: Reader, level: number): Part {
  const at = reader.at - 1
  if (reader.input[reader.at] === '?') {
    if (reader.input[reader.at + 1] !== ':') throw wrongAt('(? begins no group that is known, expected ( or (?:', at)
    reader.at += 2
  }
  const part = readChoice(reader, level + 1)
  if (reader.input[reader.at] !== ')') throw wrongAt('there is a ( without its )', at)
  reader.at += 1
  return part
}

type Bounds = Pick<Extract<Part, { kind: 'repeat' }>, 'least' | 'most'>

const repeats: ReadonlyMap<string, Bounds> = new Map([
  ['*', { least: 0, most: null }],
  ['+', { least: 1, most: null }],
  ['?', { least: 0, most: 1 }],
])

function readRepeats(reader: Reader, part: Part): Part {
  const bounds = readBounds(reader)
  if (bounds === null) return part
  const at = reader.at
  // The shortest repeat fits the same whole values.
  if (reader.input[at] === '?') reader.at += 1
  if (readBounds(reader) !== null) throw wrongAt('a repeat is repeated, expected a group around it', at)
  return { kind: 'repeat', part, ...bounds }
}

/** Reads how often the part before may repeat; null where it does not. */
function readBounds(reader: Reader): Bounds | null {
  const { input, at } = reader
  const character = input[at] ?? ''
  const simple = repeats.get(character)
  if (simple !== undefined) {
    reader.at += 1
    return simple
  }
  if (character !== '{') return null
  const close = input.indexOf('}', at)
  const [, least, comma, most] = /^(\d{1,4})(,?)(\d{0,4})$/.exec(input.slice(at + 1, close).join('')) ?? []
  if (least === undefined || close < 0 || (comma === '' && most !== ''))
    throw wrongAt('{ begins no repeat, expected {m}, {m,} or {m,n}, or \\{', at)
  reader.at = close + 1
  const bounds = { least: Number(least), most: comma === '' ? Number(least) : most === '' ? null : Number(most) }
  if (Math.max(bounds.least, bounds.most ?? 0) > mostRepeats)
    throw wrongAt(`a part is repeated more than ${mostRepeats} times`, at)
  if (bounds.most !== null && bounds.most < bounds.least) throw wrongAt('a repeat has its larger number first', at)
  return bounds
}

function readSet(reader: Reader): Part {
  const begin = reader.at - 1
  const isNegated = reader.input[reader.at] === '^'
  if (isNegated) reader.at += 1
  const ranges: Range[] = []
  if (reader.input[reader.at] === ']') throw wrongAt('a set is empty, expected characters, or \\]', begin)
  while (reader.input[reader.at] !== ']') {
    if (reader.at >= reader.input.length) throw wrongAt('there is a [ without its ]', begin)
    ranges.push(...readItem(reader))
  }
  reader.at += 1
  return { kind: 'set', ranges: isNegated ? complement(ranges) : ranges }
}

/** One item of a set: a character, a range, or a class. */
function readItem(reader: Reader): readonly Range[] {
  const { at } = reader
  const first = readMember(reader)
  const [only] = first
  const isRange = reader.input[reader.at] === '-' && reader.input[reader.at + 1] !== ']'
  if (!isRange) return first
  reader.at += 1
  const [last] = readMember(reader)
  const isRight = only !== undefined && last !== undefined && only[0] === only[1] && last[0] === last[1]
  if (!isRight || only[0] > last[0]) throw wrongAt('a range has no first and last character in order', at)
  return [[only[0], last[0]]]
}

function readMember(reader: Reader): readonly Range[] {
  const character = reader.input[reader.at] ?? ''
  if (character === '[') throw wrongAt('a set has a [ within, expected \\[', reader.at)
  reader.at += 1
  return character === '\\' ? readEscape(reader) : [toRange(character)]
}

function readEscape(reader: Reader): readonly Range[] {
  const character = reader.input[reader.at]
  if (character === undefined) throw wrongAt('it ends with a \\, expected \\\\', reader.at - 1)
  reader.at += 1
  const control = controls.get(character)
  if (control !== undefined) return [[control, control]]
  const ranges = classes.get(character)
  if (ranges !== undefined) return ranges
  if (/^[A-Za-z0-9]$/.test(character))
    throw wrongAt(`\\${character} is not known, expected \\d \\w \\s, or the character alone`, reader.at - 2)
  return [toRange(character)]
}

/** Makes the error of an expression, at the place of a character from 0. */
export function wrongAt(message: string, at: number): RatelimitError {
  return new RatelimitError('invalid_rules', `character ${at + 1}: ${message}`)
}
