/**
 * JSON text as strictly as the reference reads it, keeping what `JSON.parse` throws away: members that occur twice
 * and the digits of numbers.
 */

import { ProtoJsonError } from './errors.ts'

/** A number as it is written, such as `1e1` or `18446744073709551615`. */
export interface NumberText {
  readonly number: string
}

/** A parsed JSON text; objects are maps, so that no name can reach a prototype. */
export type JsonNode = null | boolean | string | NumberText | readonly JsonNode[] | ReadonlyMap<string, JsonNode>

/** The deepest nesting that is read; messages of this service nest five deep. */
const maxDepth = 100
/**
 * The most objects and lists of a text: each costs some 2 us here and in the library, and a text of a megabyte has room
 * for 340,000. The largest request that the usual bounds allow has 17,000.
 */
const maxContainers = 30_000

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Everything from the space on but the quote and the backslash. */
const plainCharacters = /[ !#-[\]-\uffff]*/y
/** With the `u` flag a pair of surrogates is one character of another category. */
const loneSurrogate = /\p{Surrogate}/u
const whiteSpace = /[ \t\n\r]*/y

/**
 * Parses a JSON text (RFC 8259).
 *
 * Refuses what the reference refuses: a byte-order mark, comments, trailing commas, a member that occurs twice in
 * one object (also when one of them is written with escapes), and text that is not Unicode (a lone surrogate,
 * escaped or not); and text with more than 30,000 objects and lists.
 *
 * @throws ProtoJsonError malformed_json when the text is one of these, or not JSON.
 */
export function parseJsonText(text: string): JsonNode {
  let position = 0
  let containers = 0

  const fail = (expected: string): never => {
    throw new ProtoJsonError(
      'malformed_json',
      `Cannot parse JSON: unexpected ${position < text.length ? JSON.stringify(text[position]) : 'end'} at ${position}, expected ${expected}`,
    )
  }

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = position
    const found = pattern.exec(text)?.[0] ?? ''
    position += found.length
    return found
  }

  const skipSpace = () => match(whiteSpace)

  const takeComma = (): boolean => {
    if (text[position] !== ',') return false
    position++
    return true
  }

  const readValue = (depth: number): JsonNode => {
    if (depth > maxDepth) fail(`at most ${maxDepth} levels`)
    switch (text[position]) {
      case '{':
        countContainer()
        return readObject(depth)
      case '[':
        countContainer()
        return readArray(depth)
      case '"':
        return readString()
      case 't':
        return readWord('true', true)
      case 'f':
        return readWord('false', false)
      case 'n':
        return readWord('null', null)
      default:
        return readNumber()
    }
  }

  const countContainer = () => {
    containers += 1
    if (containers > maxContainers) fail(`at most ${maxContainers} objects and lists`)
  }

  const readWord = <T>(word: string, value: T): T => {
    if (!text.startsWith(word, position)) fail('a value')
    position += word.length
    return value
  }

  const readNumber = (): NumberText => {
    const number = match(numberPattern)
    if (number === '') fail('a value')
    return { number }
  }

  const readString = (): string => {
    const start = position
    position++
    match(plainCharacters)
    while (text[position] === '\\') {
      position += 2
      match(plainCharacters)
    }
    if (text[position] !== '"') fail('a character of a string')
    position++
    const value = resolveEscapes(text.slice(start, position), fail)
    return loneSurrogate.test(value) ? fail('Unicode text without lone surrogates') : value
  }

  const readArray = (depth: number): readonly JsonNode[] => {
    const items: JsonNode[] = []
    position++
    skipSpace()
    if (text[position] !== ']') {
      do {
        skipSpace()
        items.push(readValue(depth + 1))
        skipSpace()
      } while (takeComma())
    }
    if (text[position] !== ']') fail('"," or "]"')
    position++
    return items
  }

  const readObject = (depth: number): ReadonlyMap<string, JsonNode> => {
    const members = new Map<string, JsonNode>()
    position++
    skipSpace()
    if (text[position] !== '}') {
      do {
        readMember(members, depth)
        skipSpace()
      } while (takeComma())
    }
    if (text[position] !== '}') fail('"," or "}"')
    position++
    return members
  }

  const readMember = (members: Map<string, JsonNode>, depth: number) => {
    skipSpace()
    if (text[position] !== '"') fail('a member name')
    const name = readString()
    if (members.has(name)) fail('every member once')
    skipSpace()
    if (text[position] !== ':') fail('":"')
    position++
    skipSpace()
    members.set(name, readValue(depth + 1))
  }

  skipSpace()
  const value = readValue(0)
  skipSpace()
  return position === text.length ? value : fail('the end')
}

/** Resolves the escapes of a string literal, which the platform does best. */
function resolveEscapes(literal: string, fail: (expected: string) => never): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return JSON.parse(literal)
  } catch {
    return fail('a string with valid escapes')
  }
}
