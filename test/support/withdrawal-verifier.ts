/**
 * A verifier of withdrawals written only from the standard: OpenZeppelin's MerkleProof over double Keccak-256 leaves,
 * and EIP-191 signatures. It shares no code with the client or the node.
 */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { recoverPublicKey } from '@noble/secp256k1'

/** Arguments of the contract; bytes in base64, addresses in hex. */
export interface ContractClaim {
  readonly recipient: string
  readonly amount: string
  readonly contract: string
  readonly blockHash: string
  readonly root: string
  readonly proofs: readonly string[]
  readonly signatures: readonly string[]
}

const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))
const word = (hex: string) => Buffer.from(hex.padStart(64, '0'), 'hex')

/** The addresses of those who signed, in lower case; undefined when the leaf does not lead to the root. */
export function contractSigners(claim: ContractClaim): readonly string[] | undefined {
  const words = [claim.recipient.slice(2), BigInt(claim.amount).toString(16), claim.contract.slice(2)].map(word)
  let node = keccak_256(keccak_256(Buffer.concat([...words, bytesOf(claim.blockHash)])))
  for (const sibling of claim.proofs.map(bytesOf)) {
    const pair = [Buffer.from(node), Buffer.from(sibling)].sort(Buffer.compare)
    node = keccak_256(Buffer.concat(pair))
  }
  if (Buffer.compare(node, bytesOf(claim.root)) !== 0) return undefined
  const message = keccak_256(Buffer.concat([bytesOf(claim.root), bytesOf(claim.blockHash)]))
  const digest = keccak_256(Buffer.concat([Buffer.from('\x19Ethereum Signed Message:\n32'), message]))
  return claim.signatures.map((one) => {
    const signature = bytesOf(one)
    const v = signature[64] ?? 0
    if (v !== 27 && v !== 28) throw new RangeError(`ECDSA.recover takes V 27 and 28, got ${v}`)
    const recovered = Uint8Array.from([v - 27, ...signature.subarray(0, 64)])
    const key = recoverPublicKey(recovered, digest, { prehash: false, isCompressed: false })
    return `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`
  })
}
