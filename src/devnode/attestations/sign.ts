/** Signs what waits for the validator's signature, at the start of a block. */

import { decodeAttestation, digestAttestation } from '../../streamnet/codec/attestation.ts'
import { signForContract } from '../contract-signature.ts'
import type { LedgerStore } from '../ports.ts'
import type { NodeSettings } from '../settings.ts'
import { type Attestation, listByHash, putAttestation, takeUnsigned } from '../state/attestations.ts'
import { takeFault } from '../state/control.ts'

/** Signs every attestation whose hash was asked for since the last block, also earlier ones of the same hash. */
export function signAttestations(store: LedgerStore, settings: NodeSettings, height: number): void {
  const { nodeKey, operator } = settings
  for (const hash of takeUnsigned(store)) {
    const isLost = takeFault(store, 'sign_attestation') !== undefined
    if (isLost || nodeKey === undefined) continue
    for (const attestation of listByHash(store, hash)) {
      if (attestation.seal !== undefined || !isSignable(attestation)) continue
      const signature = signForContract(digestAttestation(attestation.payload), nodeKey)
      putAttestation(store, { ...attestation, seal: { signature, validator: operator, signedHeight: height } })
    }
  }
}

/** The network's validators refuse a payload that a contract could not read: a provider of 20 bytes, a stream of 32. */
function isSignable({ payload }: Attestation): boolean {
  try {
    return decodeAttestation(payload).streamId.length === 32
  } catch {
    // The provider or the stream id is missing or has another length.
    return false
  }
}
