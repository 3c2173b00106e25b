/** Stream ids, addresses and transaction hashes: parsed once, branded, never checked again. */

import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { decodeHex, encodeHex } from '../base/hex.ts'
import { encodeUtf8 } from '../base/utf8.ts'
import { invalidArgument } from './errors.ts'
import type { Address, StreamId, TxHash } from './types.ts'

/**
 * Derives a stream id from a name: `st` and the first 30 hex digits of the name's SHA-256.
 *
 * A name that already has 32 characters and begins with `st` is returned as it is, without a look at its
 * alphabet; that is how every client of the network derives ids.
 *
 * @param name - any text.
 *
 * @example
 * const id = generateStreamId('price of bread')
 */
export function generateStreamId(name: string): StreamId {
  const isId = name.length === 32 && name.startsWith('st')
  // Both forms are ids by this very rule.
  return (isId ? name : `st${encodeHex(sha256(encodeUtf8(name))).slice(0, 30)}`) as StreamId
}

/**
 * Checks a stream id: `st` and 30 lower-case letters or digits, the node's own rule.
 *
 * @param text - what may be a stream id.
 * @throws StreamNetError invalid_argument when it has another form.
 *
 * @example
 * const id = parseStreamId('stf64551fcd6f07823cb87971cfb9144')
 */
export function parseStreamId(text: string): StreamId {
  if (!isStreamId(text)) {
    const fault = text?.length === 32 ? 'Invalid stream_id format' : 'stream_id must be exactly 32 characters'
    throw invalidArgument(`${fault}: ${show(text)}, expected "st" and 30 lower-case letters or digits`)
  }
  return text
}

/**
 * Tells whether text is a stream id.
 *
 * @param text - what may be a stream id.
 *
 * @example
 * const isId = isStreamId('stf64551fcd6f07823cb87971cfb9144')
 */
export function isStreamId(text: unknown): text is StreamId {
  return typeof text === 'string' && /^st[a-z0-9]{30}$/.test(text)
}

/**
 * Checks an address: 40 hex digits after an optional `0x`. Mixed case must be the EIP-55 checksum.
 *
 * @param text - 40 hex digits, with or without `0x`.
 * @param name - what the address is, for the message.
 * @returns the address in lower case with `0x`.
 * @throws StreamNetError invalid_argument when it has another form or a wrong checksum.
 *
 * @example
 * const owner = parseAddress('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'owner')
 */
export function parseAddress(text: string, name = 'address'): Address {
  const digits = hexDigits(text, 40)
  if (digits === undefined) throw invalidArgument(`${name} is ${show(text)}, expected 0x and 40 hex digits`)
  // It has just matched the form of an address.
  const address = `0x${digits.toLowerCase()}` as Address
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixed && toChecksumAddress(address) !== `0x${digits}`) {
    throw invalidArgument(`${name} is ${show(text)} with a wrong checksum, expected ${toChecksumAddress(address)}`)
  }
  return address
}

/**
 * Writes an address in the mixed case of EIP-55, whose pattern is a checksum.
 *
 * @param address - `0x` and 40 lower-case hex digits.
 *
 * @example
 * const shown = toChecksumAddress(parseAddress(provider))
 */
export function toChecksumAddress(address: Address): string {
  const digits = address.slice(2)
  const hash = encodeHex(keccak_256(encodeUtf8(digits)))
  return `0x${digits.replace(/[a-f]/g, (digit, at: number) => (hash.charAt(at) > '7' ? digit.toUpperCase() : digit))}`
}

/** The 20 bytes of an address. */
export function addressToBytes(address: Address): Uint8Array {
  return decodeHex(address.slice(2))
}

/** The address of 20 bytes; the caller has checked the length. */
export function addressFromBytes(bytes: Uint8Array): Address {
  // 20 bytes make 40 lower-case hex digits.
  return `0x${encodeHex(bytes)}` as Address
}

/**
 * Checks a transaction hash: 64 hex digits after an optional `0x`.
 *
 * @param text - 64 hex digits, with or without `0x`.
 * @returns the hash in lower case without `0x`, as nodes write it.
 * @throws StreamNetError invalid_argument when it has another form.
 *
 * @example
 * const hash = parseTxHash(`0x${'ab'.repeat(32)}`)
 */
export function parseTxHash(text: string): TxHash {
  const digits = hexDigits(text, 64)
  if (digits === undefined) throw invalidArgument(`Transaction hash is ${show(text)}, expected 64 hex digits`)
  // It has just matched the form of a hash.
  return digits.toLowerCase() as TxHash
}

/** So many hex digits of either case after an optional `0x`; undefined when it is anything else. */
export function hexDigits(text: unknown, count: number): string | undefined {
  const digits = typeof text === 'string' ? /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1] : undefined
  return digits?.length === count ? digits : undefined
}

// A secret pasted into the wrong parameter must not come back in the message: 64 hex digits are also a key.
function show(text: unknown): string {
  if (typeof text !== 'string') return `a ${typeof text}`
  return text.length > 48 ? `${text.length} characters` : `"${text}"`
}
