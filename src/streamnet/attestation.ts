/** Signed attestations: the payload as rows, and who signed it. */

import { formatTrimmed } from '../base/decimal.ts'
import { decodeUtf8 } from '../base/utf8.ts'
import { decodeBoolean, decodeDataPoints } from './codec/abi.ts'
import { decodeArgs, decodeAttestation, digestAttestation, isBinaryAction } from './codec/attestation.ts'
import { invalidArgument, malformedBytes } from './errors.ts'
import { toChecksumAddress } from './ids.ts'
import { recoverAddress } from './signing/digest.ts'
import type { Scalar } from './types.ts'

/** One row of an attested result: time and value as text, or one boolean. */
export interface AttestedRow {
  readonly values: readonly (string | boolean)[]
}

/** An attestation in words. */
export interface ParsedAttestation {
  readonly version: number
  readonly algorithm: number
  readonly blockHeight: number
  /** Lower case. */
  readonly dataProvider: string
  readonly streamId: string
  readonly actionId: number
  readonly arguments: readonly (Scalar | readonly Scalar[])[]
  /** Empty when there was no answer: a question that was attested before its time is signed without one. */
  readonly result: readonly AttestedRow[]
}

/**
 * Parses the payload of an attestation, without the 65 bytes of its signature.
 *
 * @param payload - the document without its last 65 bytes.
 * @throws StreamNetError invalid_argument when it is not bytes, or empty.
 * @throws StreamNetError malformed_bytes when it does not have the form of an attestation.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const question = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const { document } = await attest(client, question)
 * const { blockHeight, result } = parseAttestationPayload(document.subarray(0, -65))
 */
export function parseAttestationPayload(payload: Uint8Array): ParsedAttestation {
  if (!(payload instanceof Uint8Array)) throw invalidArgument(`Payload must be bytes, got ${typeof payload}`)
  if (payload.length === 0) throw invalidArgument('Payload cannot be empty')
  try {
    const { streamId, args, result, ...rest } = decodeAttestation(payload)
    return {
      ...rest,
      streamId: decodeUtf8(streamId).replace(/\0+$/, ''),
      arguments: decodeArgs(args).map(({ value }) => value),
      result: parseAttestedResult(rest.actionId, result),
    }
  } catch (cause) {
    // The decoders throw Errors.
    throw malformedBytes(`Failed to parse attestation payload: ${(cause as Error).message}`)
  }
}

/**
 * Parses the result of an attestation: one row of true or false for actions 6 to 9, else one row of time and
 * value a point, values without trailing zeros. The result of an action 6 to 9 that had no answer yet is two empty
 * lists, as it would be for the others: no row.
 *
 * @throws StreamNetError malformed_bytes when it is neither a boolean nor two lists.
 */
export function parseAttestedResult(actionId: number, result: Uint8Array): readonly AttestedRow[] {
  if (isBinaryAction(actionId) && !isUnanswered(result)) return [{ values: [decodeBoolean(result)] }]
  return decodeDataPoints(result).map(([time, value]) => ({ values: [`${time}`, formatTrimmed(value, 18)] }))
}

/** True and false have 32 bytes; two lists have 64 for where they begin, and a length each. */
function isUnanswered(result: Uint8Array): boolean {
  return result.length === 128 && decodeDataPoints(result).length === 0
}

/** A signed attestation taken apart. */
export interface VerifiedAttestation {
  /** The signer's address, EIP-55 form; the caller knows the validators. */
  readonly validatorAddress: string
  readonly canonicalPayload: Uint8Array
  readonly signature: Uint8Array
}

/**
 * Finds who signed an attestation: payload, then 65 bytes of signature over the plain SHA-256 of the payload.
 *
 * @param attestation - the payload, then 65 bytes of signature.
 * @throws StreamNetError malformed_bytes when it is shorter than 66 bytes, or no key fits the signature.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const question = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const { document } = await attest(client, question)
 * const { validatorAddress } = verifyAttestationSignature(document)
 */
export function verifyAttestationSignature(attestation: Uint8Array): VerifiedAttestation {
  if (attestation.length < 66) {
    throw malformedBytes(
      `Payload too short: ${attestation.length} bytes, expected at least 66 (minimum 1 byte data + 65 bytes signature)`,
    )
  }
  const canonicalPayload = attestation.slice(0, -65)
  const signature = attestation.slice(-65)
  const validator = recoverAddress(digestAttestation(canonicalPayload), signature)
  return { validatorAddress: toChecksumAddress(validator), canonicalPayload, signature }
}
