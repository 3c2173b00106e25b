/**
 * The short way for requests of the plain shape, in one pass without a tree:
 *
 * ```json
 * { "domain": "…", "descriptors": [{ "entries": [{ "key": "…", "value": "…" }] }], "hitsAddend": 1 }
 * ```
 *
 * Members may come in any order and be absent, white space may be anywhere. Everything else, however valid, is left
 * to the long way: other members, `null`, escapes, characters beyond the basic plane, numbers of ten digits or more.
 */

import type { Descriptor, Entry, RateLimitRequest } from '#ratelimit/types.ts'

/** Reads a request of the plain shape; null for a text of any other, valid or not. */
export function readPlainRequest(text: string): RateLimitRequest | null {
  const cursor: Cursor = { text, position: 0 }
  const request = readRequest(cursor)
  if (request === null) return null
  skipSpace(cursor)
  return cursor.position === text.length ? request : null
}

interface Cursor {
  readonly text: string
  position: number
}

function readRequest(cursor: Cursor): RateLimitRequest | null {
  let domain: string | null = null
  let descriptors: readonly Descriptor[] | null = null
  let hitsAddend: number | null = null
  if (!take(cursor, openBrace)) return null
  if (take(cursor, closeBrace)) return { domain: '', descriptors: [], hitsAddend: 0 }
  do {
    const name = readName(cursor)
    if (name === 'domain' && domain === null) {
      domain = readString(cursor)
      if (domain === null) return null
    } else if (name === 'descriptors' && descriptors === null) {
      descriptors = readList(cursor, readDescriptor)
      if (descriptors === null) return null
    } else if (name === 'hitsAddend' && hitsAddend === null) {
      hitsAddend = readDigits(cursor)
      if (hitsAddend === null) return null
    } else return null
  } while (take(cursor, comma))
  if (!take(cursor, closeBrace)) return null
  return { domain: domain ?? '', descriptors: descriptors ?? [], hitsAddend: hitsAddend ?? 0 }
}

function readDescriptor(cursor: Cursor): Descriptor | null {
  if (!take(cursor, openBrace)) return null
  if (readName(cursor) !== 'entries') return null
  const entries = readList(cursor, readEntry)
  if (entries === null || !take(cursor, closeBrace)) return null
  return { entries }
}

function readEntry(cursor: Cursor): Entry | null {
  let key: string | null = null
  let value: string | null = null
  if (!take(cursor, openBrace)) return null
  do {
    const name = readName(cursor)
    if (name === 'key' && key === null) {
      key = readString(cursor)
      if (key === null) return null
    } else if (name === 'value' && value === null) {
      value = readString(cursor)
      if (value === null) return null
    } else return null
  } while (take(cursor, comma))
  if (!take(cursor, closeBrace)) return null
  return { key: key ?? '', value: value ?? '' }
}

function readList<T>(cursor: Cursor, readItem: (cursor: Cursor) => T | null): readonly T[] | null {
  const items: T[] = []
  if (!take(cursor, openBracket)) return null
  if (take(cursor, closeBracket)) return items
  do {
    const item = readItem(cursor)
    if (item === null) return null
    items.push(item)
  } while (take(cursor, comma))
  return take(cursor, closeBracket) ? items : null
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function readName(cursor: Cursor): string | null {
  const name = readString(cursor)
  return name !== null && take(cursor, colon) ? name : null
}

/** Reads a string without escapes, control characters and surrogates. */
function readString(cursor: Cursor): string | null {
  if (!take(cursor, quote)) return null
  const { text } = cursor
  const start = cursor.position
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      cursor.position = index + 1
      return text.slice(start, index)
    }
    if (code < 0x20 || code === backslash || (code >= 0xd800 && code <= 0xdfff)) return null
  }
  return null
}

/** Reads an integer of one to nine digits without a sign; nine digits are always within 32 bits. */
function readDigits(cursor: Cursor): number | null {
  skipSpace(cursor)
  const { text, position: start } = cursor
  let value = 0
  let index = start
  for (let code = text.charCodeAt(index); code >= 0x30 && code <= 0x39; code = text.charCodeAt(++index)) {
    value = value * 10 + (code - 0x30)
  }
  const length = index - start
  if (length === 0 || length > 9 || (length > 1 && text.charCodeAt(start) === 0x30)) return null
  cursor.position = index
  return value
}

/** Skips white space and takes the character if it is the expected one. */
function take(cursor: Cursor, expected: number): boolean {
  skipSpace(cursor)
  if (cursor.text.charCodeAt(cursor.position) !== expected) return false
  cursor.position++
  return true
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor
  for (;;) {
    const code = text.charCodeAt(cursor.position)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    cursor.position++
  }
}
