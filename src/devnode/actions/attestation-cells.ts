/** Attestations as the rows of the actions that read them. */

import { decodeHex } from '../../base/hex.ts'
import { digestAttestation } from '../../streamnet/codec/attestation.ts'
import type { Profile } from '../profiles.ts'
import { compressKey, recoverKey } from '../recovery.ts'
import type { Attestation, Seal } from '../state/attestations.ts'
import type { Value } from './action.ts'

/** The row of `list_attestations`: eight cells, in the order of its columns. */
export function listCells({ seal, ...attestation }: Attestation): readonly Value[] {
  return [
    attestation.requestTxId,
    decodeHex(attestation.hash),
    decodeHex(attestation.requester.slice(2)),
    attestation.dataProvider,
    attestation.streamId,
    BigInt(attestation.createdHeight),
    seal === undefined ? null : BigInt(seal.signedHeight),
    false,
  ]
}

/** The row of `get_transaction_attestation`: nine cells, in the order of its columns. */
export function transactionCells(attestation: Attestation, profile: Profile): readonly Value[] {
  const { seal } = attestation
  return [
    attestation.requestTxId,
    decodeHex(attestation.hash),
    decodeHex(attestation.requester.slice(2)),
    attestation.payload,
    false,
    BigInt(attestation.createdHeight),
    seal?.signature ?? null,
    seal === undefined ? null : recoverValidator(attestation.payload, seal, profile),
    seal === undefined ? null : BigInt(seal.signedHeight),
  ]
}

/**
 * Today's network names a validator by its public key, which the signature tells; an address is what is left where the
 * leader wrote a signature that is not by its key.
 */
function recoverValidator(payload: Uint8Array, { signature, validator }: Seal, { answers }: Profile): Uint8Array {
  const isCurrent = answers === 'current'
  const key = isCurrent ? recoverKey(validator, digestAttestation(payload), signature) : undefined
  return key === undefined ? decodeHex(validator.slice(2)) : compressKey(key)
}
