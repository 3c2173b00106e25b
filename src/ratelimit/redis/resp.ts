/** The Redis serialization protocol, version 2: commands as bytes, replies from a stream of bytes. */

import { encodeUtf8 } from '#base/utf8.ts'

/** An error reply; `text` is Redis's own, for example `READONLY You can't write against a read only replica.` */
interface ErrorReply {
  readonly error: string
}

/** Any reply: simple or bulk string, integer, nil, array, error. An integer beyond 2^53 loses its last bits. */
export type Reply = string | number | null | ErrorReply | readonly Reply[]

/** Tells an error reply from every other. */
export function isErrorReply(reply: Reply): reply is ErrorReply {
  return typeof reply === 'object' && reply !== null && 'error' in reply
}

const decoder = new TextDecoder()

/** Encodes commands as a pipeline: each `*<count>\r\n`, then `$<bytes>\r\n<argument>\r\n` for every argument. */
export function encodeCommands(commands: readonly (readonly string[])[]): Uint8Array {
  let text = ''
  for (const command of commands) {
    text += `*${command.length}\r\n`
    for (const argument of command) text += `$${byteLength(argument)}\r\n${argument}\r\n`
  }
  return encodeUtf8(text)
}

function byteLength(text: string): number {
  // Most arguments are ASCII, whose length is known without encoding.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them
  return /^[\x00-\x7f]*$/.test(text) ? text.length : encodeUtf8(text).length
}

/** Bounds on what a server may send before it is taken for something else. */
const maxBulkBytes = 64 * 1024 * 1024
const maxDepth = 8
const maxLineBytes = 65_536

/** Marks a reply that has not arrived whole. */
const incomplete = Symbol('incomplete')

interface Cursor {
  readonly bytes: Uint8Array
  offset: number
}

/**
 * Reads replies from bytes that may end anywhere; hand `rest`, the reply that has not arrived whole, back in front of the
 * next chunk.
 *
 * A chunk that ends in the middle of a reply costs one more look at that reply when the rest arrives.
 *
 * @throws TypeError when the bytes are not RESP2; the connection is of no further use then.
 */
export function readReplies(bytes: Uint8Array): { readonly replies: readonly Reply[]; readonly rest: Uint8Array } {
  const cursor: Cursor = { bytes, offset: 0 }
  const replies: Reply[] = []
  for (;;) {
    const start = cursor.offset
    const reply = start < bytes.length ? readReply(cursor, 0) : incomplete
    if (reply === incomplete) return { replies, rest: bytes.subarray(start) }
    replies.push(reply)
  }
}

function readReply(cursor: Cursor, depth: number): Reply | typeof incomplete {
  const line = readLine(cursor)
  if (line === null) return incomplete
  const rest = line.slice(1)
  switch (line[0]) {
    case '+':
      return rest
    case '-':
      return { error: rest }
    case ':':
      return readInteger(rest)
    case '$':
      return readBulk(cursor, readInteger(rest))
    case '*':
      return readArray(cursor, readInteger(rest), depth)
    default:
      throw new TypeError(`Cannot read a Redis reply: it begins with "${line.slice(0, 16)}"`)
  }
}

function readBulk(cursor: Cursor, length: number): string | null | typeof incomplete {
  if (length < 0) return null
  if (length > maxBulkBytes) throw new TypeError(`Cannot read a Redis reply: ${length} bytes in one string`)
  const end = cursor.offset + length
  if (cursor.bytes.length < end + 2) return incomplete
  const text = decoder.decode(cursor.bytes.subarray(cursor.offset, end))
  cursor.offset = end + 2
  return text
}

function readArray(cursor: Cursor, length: number, depth: number): readonly Reply[] | null | typeof incomplete {
  if (length < 0) return null
  if (depth >= maxDepth) throw new TypeError(`Cannot read a Redis reply: arrays nest deeper than ${maxDepth}`)
  const items: Reply[] = []
  for (let index = 0; index < length; index++) {
    const item = readReply(cursor, depth + 1)
    if (item === incomplete) return incomplete
    items.push(item)
  }
  return items
}

/** The next line without its end, or null while it has not arrived whole. */
function readLine(cursor: Cursor): string | null {
  const { bytes, offset } = cursor
  const end = bytes.indexOf(13, offset)
  if (end < 0 && bytes.length - offset > maxLineBytes) {
    throw new TypeError(`Cannot read a Redis reply: a line of more than ${maxLineBytes} bytes`)
  }
  if (end < 0 || end + 1 >= bytes.length) return null
  if (bytes[end + 1] !== 10) throw new TypeError('Cannot read a Redis reply: CR without LF')
  cursor.offset = end + 2
  return decoder.decode(bytes.subarray(offset, end))
}

function readInteger(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  throw new TypeError(`Cannot read a Redis reply: "${text.slice(0, 16)}" is not an integer`)
}
