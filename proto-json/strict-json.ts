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
  const cursor: Cursor = { text, position: 0, containers: 0 }
  skipSpace(cursor)
  const value = readValue(cursor, 0)
  skipSpace(cursor)
  return cursor.position === text.length ? value : fail(cursor, 'the end')
}

interface Cursor {
  readonly text: string
  position: number
  /** Objects and lists that were begun. */
  containers: number
}

function readValue(cursor: Cursor, depth: number): JsonNode {
  if (depth > maxDepth) fail(cursor, `at most ${maxDepth} levels`)
  switch (cursor.text[cursor.position]) {
    case '{':
      countContainer(cursor)
      return readObject(cursor, depth)
    case '[':
      countContainer(cursor)
      return readArray(cursor, depth)
    case '"':
      return readString(cursor)
    case 't':
      return readWord(cursor, 'true', true)
    case 'f':
      return readWord(cursor, 'false', false)
    case 'n':
      return readWord(cursor, 'null', null)
    default:
      return readNumber(cursor)
  }
}

function countContainer(cursor: Cursor): void {
  cursor.containers += 1
  if (cursor.containers > maxContainers) fail(cursor, `at most ${maxContainers} objects and lists`)
}

function readWord<T>(cursor: Cursor, word: string, value: T): T {
  if (!cursor.text.startsWith(word, cursor.position)) fail(cursor, 'a value')
  cursor.position += word.length
  return value
}

function readNumber(cursor: Cursor): NumberText {
  const number = match(cursor, numberPattern)
  if (number === '') fail(cursor, 'a value')
  return { number }
}

function readString(cursor: Cursor): string {
  const { text, position: start } = cursor
  cursor.position++
  match(cursor, plainCharacters)
  while (text[cursor.position] === '\\') {
    cursor.position += 2
    match(cursor, plainCharacters)
  }
  expect(cursor, '"', 'a character of a string')
  const value = resolveEscapes(cursor, text.slice(start, cursor.position))
  return loneSurrogate.test(value) ? fail(cursor, 'Unicode text without lone surrogates') : value
}

/** Resolves the escapes of a string literal, which the platform does best. */
function resolveEscapes(cursor: Cursor, literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return JSON.parse(literal)
  } catch {
    return fail(cursor, 'a string with valid escapes')
  }
}

function readArray(cursor: Cursor, depth: number): readonly JsonNode[] {
  const items: JsonNode[] = []
  cursor.position++
  skipSpace(cursor)
  if (cursor.text[cursor.position] !== ']') {
    do {
      skipSpace(cursor)
      items.push(readValue(cursor, depth + 1))
      skipSpace(cursor)
    } while (take(cursor, ','))
  }
  expect(cursor, ']', '"," or "]"')
  return items
}

function readObject(cursor: Cursor, depth: number): ReadonlyMap<string, JsonNode> {
  const members = new Map<string, JsonNode>()
  cursor.position++
  skipSpace(cursor)
  if (cursor.text[cursor.position] !== '}') {
    do {
      readMember(cursor, members, depth)
      skipSpace(cursor)
    } while (take(cursor, ','))
  }
  expect(cursor, '}', '"," or "}"')
  return members
}

function readMember(cursor: Cursor, members: Map<string, JsonNode>, depth: number): void {
  skipSpace(cursor)
  if (cursor.text[cursor.position] !== '"') fail(cursor, 'a member name')
  const name = readString(cursor)
  if (members.has(name)) fail(cursor, 'every member once')
  skipSpace(cursor)
  expect(cursor, ':', '":"')
  skipSpace(cursor)
  members.set(name, readValue(cursor, depth + 1))
}

function match(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.position
  const found = pattern.exec(cursor.text)?.[0] ?? ''
  cursor.position += found.length
  return found
}

function skipSpace(cursor: Cursor): void {
  match(cursor, whiteSpace)
}

/** Takes the character if it is next. */
function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.position] !== character) return false
  cursor.position++
  return true
}

function expect(cursor: Cursor, character: string, expected: string): void {
  if (!take(cursor, character)) fail(cursor, expected)
}

function fail({ text, position }: Cursor, expected: string): never {
  const found = position < text.length ? JSON.stringify(text[position]) : 'end'
  throw new ProtoJsonError(
    'malformed_json',
    `Cannot parse JSON: unexpected ${found} at ${position}, expected ${expected}`,
  )
}
