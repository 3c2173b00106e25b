/** The outcome of a market by an attestation: yes or no. */

import { decodeBoolean, decodeDataPoints } from '../../streamnet/codec/abi.ts'
import { decodeAttestation, isBinaryAction } from '../../streamnet/codec/attestation.ts'
import { actionError } from '../errors.ts'

/** The numeric actions of a settlement: records, indexes, changes, the last and the first record. */
const lastNumericAction = 5

/**
 * Reads the outcome of a payload: a binary action's own answer, or whether the last value is above zero.
 *
 * @throws DevnodeError action_failed when a binary result is not 32 bytes (one that was attested before its
 * time has two empty lists), there is no value, or the action settles nothing; the text is the network's.
 */
export function attestedOutcome(payload: Uint8Array): boolean {
  const { actionId, result } = decodeAttestation(payload)
  if (isBinaryAction(actionId)) return binaryOutcome(result)
  if (actionId < 1 || actionId > lastNumericAction) throw actionError(`unsupported action_id ${actionId}`)
  const last = decodeDataPoints(result).at(-1)
  if (last === undefined) throw actionError('result payload contains no values')
  return last[1] > 0n
}

function binaryOutcome(result: Uint8Array): boolean {
  if (result.length === 32) return decodeBoolean(result)
  throw actionError(`binary action result must be 32 bytes (abi-encoded bool), got ${result.length}`)
}
