/** The memcached text protocol: the commands that counting needs, and their answers from a stream of bytes. */

import { encodeUtf8 } from '#base/utf8.ts'

/** Answer of a server to one command. */
export type Answer =
  | {
      readonly kind: 'values'
      readonly values: ReadonlyMap<string, string>
      readonly tokens: Tokens
      readonly flags: Flags
    }
  | { readonly kind: 'number'; readonly value: string }
  | { readonly kind: 'stored' | 'not-stored' | 'exists' | 'not-found' | 'ok' }
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'error'; readonly message: string }

/** Tokens of `gets` by key, to be named when a value is changed by `cas`; empty after `get`. */
export type Tokens = ReadonlyMap<string, string>

/** The number that a client keeps beside a value, 32 bits; those that are 0 are left out. */
export type Flags = ReadonlyMap<string, number>

/** Longest key that a server takes, in bytes. */
export const maxKeyBytes = 250

/** The longest time to live in seconds that a server reads as a span; above it reads a Unix time. */
const maxRelativeTtl = 2_592_000

const decoder = new TextDecoder()

/** Tells whether a server would take a key: at most 250 bytes, no space and no control character. */
export function isKey(key: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return key !== '' && !/[\x00-\x20\x7f]/.test(key) && encodeUtf8(key).length <= maxKeyBytes
}

/** `get <key> ...`: one answer of kind `values`, with the keys that exist. */
export function encodeGet(keys: readonly string[]): Uint8Array {
  return encodeUtf8(`get ${keys.join(' ')}\r\n`)
}

/** `incr <key> <value>`: the new value, or `not-found`. */
export function encodeIncrement(key: string, addend: number): Uint8Array {
  return encodeUtf8(`incr ${key} ${addend}\r\n`)
}

/** `decr <key> <value>`: the new value, never below 0, or `not-found`. */
export function encodeDecrement(key: string, addend: number): Uint8Array {
  return encodeUtf8(`decr ${key} ${addend}\r\n`)
}

/** A value to write: its number, its flags (0 where absent), and how long it lives from `now`. */
export interface Item {
  readonly value: number
  readonly flags?: number
  /** Whole seconds. */
  readonly ttl: number
  /** Unix time in whole seconds. */
  readonly now: number
}

/**
 * `add <key> <flags> <exptime> <bytes>`: `stored`, or `not-stored` when the key exists.
 *
 * A time to live above thirty days is written as the Unix time it ends at; as a span the server would take it
 * for a moment in 1970 and store a key that has already expired.
 */
export function encodeAdd(key: string, item: Item): Uint8Array {
  return encodeUtf8(`add ${key} ${itemText(item)}`)
}

function itemText({ value, flags = 0, ttl, now }: Item, token = ''): string {
  const text = String(value)
  return `${flags} ${computeExpiry(ttl, now)} ${text.length}${token === '' ? '' : ` ${token}`}\r\n${text}\r\n`
}

function computeExpiry(ttl: number, now: number): number {
  return ttl > maxRelativeTtl ? now + ttl : ttl
}

/** `gets <key>`: as `get`, with a token for `cas`. */
export function encodeGets(key: string): Uint8Array {
  return encodeUtf8(`gets ${key}\r\n`)
}

/**
 * `cas <key> <flags> <exptime> <bytes> <token>`: `stored`, `exists` when the value has changed since the token was
 * given, or `not-found`. The time to live is written as for `add`.
 */
export function encodeSwap(key: string, item: Item, token: string): Uint8Array {
  return encodeUtf8(`cas ${key} ${itemText(item, token)}`)
}

/** `delete <key>`: `ok`, or `not-found`. */
export function encodeDelete(key: string): Uint8Array {
  return encodeUtf8(`delete ${key}\r\n`)
}

/** `version`, which any healthy server answers. */
export function encodeVersion(): Uint8Array {
  return encodeUtf8('version\r\n')
}

/**
 * Reads answers from bytes that may end anywhere; hand `rest` back in front of the next chunk.
 *
 * @throws TypeError when the bytes are not an answer of the text protocol.
 */
export function readAnswers(bytes: Uint8Array): { readonly replies: readonly Answer[]; readonly rest: Uint8Array } {
  const replies: Answer[] = []
  let offset = 0
  for (;;) {
    const read = readAnswer(bytes, offset)
    if (read === null) return { replies, rest: bytes.subarray(offset) }
    replies.push(read.answer)
    offset = read.next
  }
}

function readAnswer(bytes: Uint8Array, start: number): { readonly answer: Answer; readonly next: number } | null {
  const values = new Map<string, string>()
  const tokens = new Map<string, string>()
  const flags = new Map<string, number>()
  let offset = start
  for (;;) {
    const line = readLine(bytes, offset)
    if (line === null) return null
    const value = /^VALUE (\S+) (\d+) (\d+)(?: (\d+))?$/.exec(line.text)
    if (value === null) return { answer: lineAnswer(line.text, { values, tokens, flags }), next: line.next }
    const end = line.next + Number(value[3])
    if (bytes.length < end + 2) return null
    const [, key = '', flag, , token] = value
    values.set(key, decoder.decode(bytes.subarray(line.next, end)))
    if (flag !== '0') flags.set(key, Number(flag))
    if (token !== undefined) tokens.set(key, token)
    offset = end + 2
  }
}

/** Values of the lines before the last. */
type Found = Omit<Extract<Answer, { kind: 'values' }>, 'kind'>

function lineAnswer(text: string, found: Found): Answer {
  if (text === 'END') return { kind: 'values', ...found }
  if (/^\d+$/.test(text)) return { kind: 'number', value: text }
  if (text === 'STORED') return { kind: 'stored' }
  if (text === 'NOT_STORED') return { kind: 'not-stored' }
  if (text === 'EXISTS') return { kind: 'exists' }
  if (text === 'NOT_FOUND') return { kind: 'not-found' }
  if (text === 'OK' || text === 'TOUCHED' || text === 'DELETED') return { kind: 'ok' }
  if (text.startsWith('VERSION ')) return { kind: 'version', version: text.slice(8) }
  if (/^(ERROR|CLIENT_ERROR|SERVER_ERROR)/.test(text)) return { kind: 'error', message: text }
  throw new TypeError(`Cannot read a memcached answer: it begins with "${text.slice(0, 16)}"`)
}

function readLine(bytes: Uint8Array, offset: number): { readonly text: string; readonly next: number } | null {
  const end = bytes.indexOf(10, offset)
  if (end < 0) {
    if (bytes.length - offset > 2048) throw new TypeError('Cannot read a memcached answer: a line without end')
    return null
  }
  const stop = bytes[end - 1] === 13 ? end - 1 : end
  return { text: decoder.decode(bytes.subarray(offset, stop)), next: end + 1 }
}
