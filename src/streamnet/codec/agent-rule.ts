/** Rules and addresses of agent wallets, to the bytes that identify them. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../base/bytes.ts'
import { encodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { invalidArgument } from '../errors.ts'
import { addressFromBytes, addressToBytes } from '../ids.ts'
import type { Address } from '../types.ts'
import { encodeWord } from './abi.ts'
import { encodeUintBigEndian } from './layout.ts'

/** An action that an agent wallet may run. */
export interface AllowedAction {
  readonly namespace: string
  readonly action: string
  /** The 32 bytes that pin the action's body; null or no bytes where it is not pinned. */
  readonly bodyHash: Uint8Array | null
}

/** The terms of a rule; its agent and its salt are not among them. */
export interface RuleTerms {
  readonly feeMode: 'bps' | 'flat'
  /** Ten-thousandths of a withdrawal. */
  readonly feeBps: number
  /** In the smallest unit of the token that is withdrawn, below 2^256. */
  readonly feeFlat: bigint
  /** Each namespace and action at most once. */
  readonly allowed: readonly AllowedAction[]
}

/**
 * Hashes the terms of a rule: Keccak-256 of 1, the mode (0 bps, 1 flat), fee_bps as u32, fee_flat as u256, the count of
 * actions as u16, and each of them by the order of its UTF-8: namespace and action behind a byte of length, then 0, or
 * 1 and the body hash. Integers are big endian; the order in which the actions are given does not count.
 *
 * @throws StreamNetError invalid_argument when there are more than 65,535 actions, a name has more than 255 bytes, or
 * a body hash is not 32 bytes long.
 */
export function hashRuleTerms({ feeMode, feeBps, feeFlat, allowed }: RuleTerms): Uint8Array {
  if (allowed.length > 0xffff) throw invalidArgument(`too many allow-list entries: ${allowed.length}`)
  const entries = allowed
    .map((entry) => ({ ...entry, name: encodeUtf8(entry.namespace), verb: encodeUtf8(entry.action) }))
    .sort((left, right) => compareBytes(left.name, right.name) || compareBytes(left.verb, right.verb))
  return keccak_256(
    concatBytes(
      Uint8Array.of(1, feeMode === 'bps' ? 0 : 1),
      encodeUintBigEndian(feeBps, 4),
      encodeWord(feeFlat),
      encodeUintBigEndian(entries.length, 2),
      ...entries.flatMap((entry) => [
        encodeName('namespace', entry.namespace, entry.name),
        encodeName('action', entry.action, entry.verb),
        encodeBodyHash(entry),
      ]),
    ),
  )
}

/** Derives a rule's id: Keccak-256 of 1, the agent, the hash of the terms and the salt, empty for none. */
export function deriveRuleId(agent: Address, termsHash: Uint8Array, salt: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(Uint8Array.of(1), addressToBytes(agent), termsHash, salt))
}

/** Derives the address of a wallet: the last 20 bytes of Keccak-256 of 1, its owner, its agent and its rule. */
export function deriveAgentWallet(owner: Address, agent: Address, ruleId: Uint8Array): Address {
  const hash = keccak_256(concatBytes(Uint8Array.of(1), addressToBytes(owner), addressToBytes(agent), ruleId))
  return addressFromBytes(hash.subarray(12))
}

function encodeName(kind: string, text: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 255) return concatBytes(Uint8Array.of(bytes.length), bytes)
  throw invalidArgument(
    `${kind} ${JSON.stringify(text)}: length-prefixed field exceeds 255 bytes (got ${bytes.length})`,
  )
}

function encodeBodyHash({ namespace, action, bodyHash }: AllowedAction): Uint8Array {
  if (bodyHash === null || bodyHash.length === 0) return Uint8Array.of(0)
  if (bodyHash.length === 32) return concatBytes(Uint8Array.of(1), bodyHash)
  throw invalidArgument(`body_hash for ${namespace}.${action} must be 32 bytes, got ${bodyHash.length}`)
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const [first, second] = [encodeHex(left), encodeHex(right)]
  return first < second ? -1 : first > second ? 1 : 0
}
