/** Gets a question attested: asks, waits for the signature, asks again when it was lost, and checks who signed. */

import { type ParsedAttestation, parseAttestationPayload, verifyAttestationSignature } from './attestation.ts'
import { attestedActionId } from './codec/attestation.ts'
import { isStreamNetError, malformedResponse, StreamNetError } from './errors.ts'
import { parseAddress } from './ids.ts'
import { getSignedAttestation, requestAttestation } from './operations/attestation.ts'
import { checkId } from './operations/parameters.ts'
import type { Client } from './ports.ts'
import type { TxHash } from './types.ts'

/** The question, the time to wait for a signature, and the pause between two looks for it. */
export type AttestParams = Omit<Parameters<typeof requestAttestation>[1], 'wait' | 'timeoutMs'> & {
  /** Milliseconds to wait for the signature of one request; 30,000 when left out. */
  readonly signatureTimeoutMs?: number | undefined
  /** Requests at most, each of which costs the network's fee; 3 when left out. */
  readonly maxRequests?: number | undefined
  /** The signer that is accepted; any key when left out. */
  readonly validators?: readonly string[] | undefined
}

/** An attestation with its signature. */
export interface Attested {
  /** The request that was signed. */
  readonly requestTxId: TxHash
  /** The payload, then 65 bytes of signature. */
  readonly document: Uint8Array
  /** The signer's address, EIP-55 form. */
  readonly validatorAddress: string
  readonly attestation: ParsedAttestation
}

const pollMs = 1000

/**
 * Gets a question attested.
 *
 * A leader of the network sometimes loses a signature, and nothing ever signs that request again; a second request of
 * the same question is signed, and may have the first one signed with it.
 *
 * @param params - the question as for `requestAttestation`; `signatureTimeoutMs` in milliseconds.
 * @throws StreamNetError as `requestAttestation` does.
 * @throws StreamNetError timeout when none was signed; `hash` is the last request's.
 * @throws StreamNetError malformed_response when the signature is by none of `validators`, or the payload is
 * about another question.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const question = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const { validatorAddress, attestation } = await attest(client, question)
 */
export async function attest(client: Client, params: AttestParams): Promise<Attested> {
  const { signatureTimeoutMs = 30_000, maxRequests = 3, validators, ...request } = params
  checkId(maxRequests, 'max_requests')
  const allowed = validators?.map((one) => parseAddress(one, 'validators'))
  const asked: TxHash[] = []
  while (asked.length < maxRequests) {
    asked.push(await requestAttestation(client, request))
    const signed = await awaitSignature(client, asked, signatureTimeoutMs)
    if (signed !== undefined) return checked(signed, params, allowed)
  }
  const hash = asked.at(-1) ?? ''
  throw new StreamNetError(
    'timeout',
    `Attestation ${hash} is not signed ${signatureTimeoutMs} ms after request ${asked.length} of ${maxRequests}`,
    { hash },
  )
}

interface Signed {
  readonly requestTxId: TxHash
  readonly document: Uint8Array
}

/** Asks for all requests so far, the newest first, until one is signed or the time is over. */
async function awaitSignature(
  client: Client,
  asked: readonly TxHash[],
  timeoutMs: number,
): Promise<Signed | undefined> {
  const end = client.platform.now() + timeoutMs
  for (;;) {
    for (const requestTxId of asked.toReversed()) {
      const document = await findSigned(client, requestTxId)
      if (document !== undefined) return { requestTxId, document }
    }
    // So that a time that is not a number ends the wait.
    if (!(client.platform.now() < end)) return undefined
    await client.platform.sleep(Math.min(pollMs, timeoutMs))
  }
}

/** Reads an attestation; undefined while it is not signed. */
async function findSigned(client: Client, requestTxId: TxHash): Promise<Uint8Array | undefined> {
  try {
    return await getSignedAttestation(client, { requestTxId })
  } catch (error) {
    // Right after its block a node may not know the request yet.
    const isPending = isStreamNetError(error, 'action_failed') || isStreamNetError(error, 'not_found')
    if (isPending && /not yet signed|not found/.test(error.message)) return undefined
    throw error
  }
}

function checked(
  { requestTxId, document }: Signed,
  { dataProvider, streamId, actionName }: AttestParams,
  allowed: readonly string[] | undefined,
): Attested {
  const { validatorAddress, canonicalPayload } = verifyAttestationSignature(document)
  if (allowed !== undefined && !allowed.includes(validatorAddress.toLowerCase())) {
    throw malformedResponse(`Cannot use attestation: ${validatorAddress} signed it, expected a known validator`)
  }
  const attestation = parseAttestationPayload(canonicalPayload)
  const provider = parseAddress(dataProvider, 'data_provider')
  const about = `${attestation.dataProvider}/${attestation.streamId} by action ${attestation.actionId}`
  const asked = `${provider}/${streamId} by action ${attestedActionId(actionName)}`
  if (about !== asked) throw malformedResponse(`Cannot use attestation: it is about ${about}, expected ${asked}`)
  return { requestTxId, document, validatorAddress, attestation }
}
