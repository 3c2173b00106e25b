/** The envelope that proves to a local node who asks: a signature over method, parameters and time. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'

/** Version of the envelope, and the first line of what is signed. */
export const localAuthVersion = 'tn_local.auth.v1'

/** The parameter `_auth` of a request. */
export interface LocalAuth {
  /** `0x` and 65 bytes in hex, recovery byte 27 or 28. */
  readonly sig: string
  /** Unix time in milliseconds. */
  readonly ts: number
  readonly ver: string
}

/**
 * The text whose digest is signed: version, method, hash of the parameters, time.
 *
 * @param paramsHash - SHA-256 of the canonical parameters without `_auth`.
 * @param ts - Unix time in milliseconds.
 */
export function localAuthText(method: string, paramsHash: Uint8Array, ts: number): string {
  return `${localAuthVersion}\n${method}\n${encodeHex(paramsHash)}\n${ts}`
}

/** The digest of this text: plain Keccak-256, without the prefix of personal messages. */
export function digestLocalAuth(method: string, paramsHash: Uint8Array, ts: number): Uint8Array {
  return keccak_256(encodeUtf8(localAuthText(method, paramsHash, ts)))
}

/** Writes a signature of 65 bytes R, S, V for the envelope. */
export function encodeLocalAuth(signature: Uint8Array, ts: number): LocalAuth {
  const wallet = signature.slice()
  const recovery = signature[64] ?? 0
  wallet[64] = recovery < 27 ? recovery + 27 : recovery
  return { sig: `0x${encodeHex(wallet)}`, ts, ver: localAuthVersion }
}
