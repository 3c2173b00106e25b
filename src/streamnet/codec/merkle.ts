/** Hashes of the withdrawals' tree (OpenZeppelin's StandardMerkleTree): leaves, pairs, what validators sign. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../base/bytes.ts'
import { decodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import type { Address } from '../types.ts'

/** The claim in a leaf: a recipient, an amount, a contract and an epoch. */
export interface WithdrawalLeaf {
  readonly recipient: Address
  /** In the token's smallest unit, below 2^256. */
  readonly amount: bigint
  /** The escrow on the other chain. */
  readonly contract: Address
  /** Hash of the block that ended the epoch: 32 bytes. */
  readonly blockHash: Uint8Array
}

/** The hash of a leaf: Keccak-256 twice over `abi.encode(address, uint256, address, bytes32)`, or malformed_bytes. */
export function hashLeaf({ recipient, amount, contract, blockHash }: WithdrawalLeaf): Uint8Array {
  const digits = amount.toString(16)
  if (amount < 0n || digits.length > 64) throw malformedBytes('Cannot hash leaf: the amount does not fit 256 bits')
  if (blockHash.length !== 32) {
    throw malformedBytes(`Cannot hash leaf: a block hash of ${blockHash.length} bytes, expected 32`)
  }
  const words = [recipient.slice(2), digits, contract.slice(2)].map((hex) => decodeHex(hex.padStart(64, '0')))
  return keccak_256(keccak_256(concatBytes(...words, blockHash)))
}

/** The hash of two nodes, the smaller first, so that a proof need not say which side each is on. */
export function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return keccak_256(isBefore(left, right) ? concatBytes(left, right) : concatBytes(right, left))
}

/** The root that a leaf and its siblings lead to, from the leaf upwards. */
export function computeRoot(leaf: Uint8Array, proof: readonly Uint8Array[]): Uint8Array {
  return proof.reduce(hashPair, leaf)
}

/** The digest that a validator signs of an epoch: the personal message (EIP-191) of Keccak-256 of root and block hash. */
export function digestEpoch(root: Uint8Array, blockHash: Uint8Array): Uint8Array {
  const message = keccak_256(concatBytes(root, blockHash))
  return keccak_256(concatBytes(encodeUtf8(`\x19Ethereum Signed Message:\n${message.length}`), message))
}

/** Tells whether bytes come before others of the same length. */
export function isBefore(left: Uint8Array, right: Uint8Array): boolean {
  for (const [index, byte] of left.entries()) {
    const other = right[index] ?? 0
    if (byte !== other) return byte < other
  }
  return false
}
