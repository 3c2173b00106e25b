/**
 * The short way for requests in protobuf of the plain shape, in one pass without a message in between: a domain,
 * descriptors of entries only, and the request's addend.
 *
 * Fields may come in any order, be absent or come again. Everything else, however valid, is left to the library:
 * other fields, texts beyond ASCII, lengths and addends of 2^28 and more, and messages that are cut short.
 */

import type { Descriptor, Entry, RateLimitRequest } from '#ratelimit/types.ts'

/** Reads a `RateLimitRequest` of the plain shape; null for bytes of any other, valid or not. */
export function readWireRequest(bytes: Uint8Array): RateLimitRequest | null {
  const cursor: Cursor = { bytes, position: 0 }
  const descriptors: Descriptor[] = []
  let domain = ''
  let hitsAddend = 0
  while (cursor.position < bytes.length) {
    const tag = bytes[cursor.position++]
    if (tag === tags.domain) {
      const text = readText(cursor, bytes.length)
      if (text === null) return null
      domain = text
    } else if (tag === tags.descriptor) {
      const descriptor = readDescriptor(cursor, bytes.length)
      if (descriptor === null) return null
      descriptors.push(descriptor)
    } else if (tag === tags.hitsAddend) {
      hitsAddend = readNumber(cursor, bytes.length)
      if (hitsAddend < 0) return null
    } else return null
  }
  return { domain, descriptors, hitsAddend }
}

/** A field's number and wire type in one byte: the number times eight, plus 2 for a length or 0 for a number. */
const tags = {
  domain: 0x0a,
  descriptor: 0x12,
  hitsAddend: 0x18,
  /** Of a descriptor. */
  entry: 0x0a,
  /** Of an entry. */
  key: 0x0a,
  value: 0x12,
} as const

interface Cursor {
  readonly bytes: Uint8Array
  position: number
}

function readDescriptor(cursor: Cursor, limit: number): Descriptor | null {
  const end = readEnd(cursor, limit)
  const entries: Entry[] = []
  while (cursor.position < end) {
    if (cursor.bytes[cursor.position++] !== tags.entry) return null
    const entry = readEntry(cursor, end)
    if (entry === null) return null
    entries.push(entry)
  }
  return end < 0 ? null : { entries }
}

function readEntry(cursor: Cursor, limit: number): Entry | null {
  const end = readEnd(cursor, limit)
  let key: string | null = ''
  let value: string | null = ''
  while (cursor.position < end) {
    const tag = cursor.bytes[cursor.position++]
    if (tag === tags.key) key = readText(cursor, end)
    else if (tag === tags.value) value = readText(cursor, end)
    else return null
    if (key === null || value === null) return null
  }
  return end < 0 ? null : { key, value }
}

/** Texts up to here are put together letter by letter, which costs less than a call to the decoder. */
const shortText = 32

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a text of ASCII letters; null when it has others or does not end before the limit. */
function readText(cursor: Cursor, limit: number): string | null {
  const end = readEnd(cursor, limit)
  if (end < 0) return null
  const { bytes, position: start } = cursor
  cursor.position = end
  const isShort = end - start <= shortText
  let text = ''
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0x80
    if (byte >= 0x80) return null
    if (isShort) text += String.fromCharCode(byte)
  }
  return isShort ? text : decoder.decode(bytes.subarray(start, end))
}

/** Reads a length and finds where its field ends; -1 when that is beyond the limit. */
function readEnd(cursor: Cursor, limit: number): number {
  const length = readNumber(cursor, limit)
  const end = cursor.position + length
  return length < 0 || end > limit ? -1 : end
}

/** Reads a number of at most four bytes, seven bits in each, the lowest first; -1 when it is longer or cut short. */
function readNumber(cursor: Cursor, limit: number): number {
  let value = 0
  for (let shift = 0; shift < 28 && cursor.position < limit; shift += 7) {
    const byte = cursor.bytes[cursor.position++] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  return -1
}
