/** Proofs of withdrawals: what they say, and whether a contract would take them. */

import { decodeBase64 } from '../base/base64.ts'
import { equalBytes } from '../base/bytes.ts'
import { computeRoot, digestEpoch, hashLeaf } from './codec/merkle.ts'
import { invalidArgument, malformedBytes } from './errors.ts'
import { parseAddress, toChecksumAddress } from './ids.ts'
import { recoverAddress } from './signing/digest.ts'

/** The proof by which the other chain pays out a withdrawal; bytes in base64, the amount in wei. */
export interface WithdrawalProof {
  readonly chain: string
  readonly chainId: string
  readonly contract: string
  readonly recipient: string
  readonly amount: string
  /** Height at which the withdrawal's epoch ended. */
  readonly blockHeight: number
  readonly blockHash: string
  readonly root: string
  readonly proofs: readonly string[]
  readonly signatures: readonly string[]
}

/** The signers that confirm a withdrawal. */
export interface VerifiedWithdrawal {
  /** The signers of the epoch, EIP-55 form; the caller knows the validators. */
  readonly validators: readonly string[]
}

/**
 * Checks a proof as the contract on the other chain does: the leaf of recipient, amount, contract and block hash leads
 * to the root over its siblings, and every signature is over root and block hash.
 *
 * @throws StreamNetError malformed_bytes when the leaf does not lead to the root, a part is not base64, or no
 * key fits a signature.
 * @throws StreamNetError invalid_argument when an address or the amount is malformed.
 */
export function verifyProof(proof: WithdrawalProof): VerifiedWithdrawal {
  const [blockHash, root] = [decodeBytes(proof.blockHash), decodeBytes(proof.root)]
  const leaf = hashLeaf({
    recipient: parseAddress(proof.recipient, 'recipient'),
    amount: parseAmount(proof.amount),
    contract: parseAddress(proof.contract, 'contract'),
    blockHash,
  })
  if (!equalBytes(computeRoot(leaf, proof.proofs.map(decodeBytes)), root)) {
    throw malformedBytes('Cannot verify withdrawal: the leaf and its siblings do not lead to the root')
  }
  const digest = digestEpoch(root, blockHash)
  const signers = proof.signatures.map((one) => toChecksumAddress(recoverAddress(digest, decodeBytes(one))))
  return { validators: [...new Set(signers)] }
}

function parseAmount(amount: string): bigint {
  if (/^\d{1,78}$/.test(amount)) return BigInt(amount)
  throw invalidArgument(`amount is "${amount.slice(0, 90)}", expected at most 78 decimal digits`)
}

function decodeBytes(text: string): Uint8Array {
  try {
    return decodeBase64(text)
  } catch {
    throw malformedBytes('Cannot verify withdrawal: a part of the proof is not base64')
  }
}
