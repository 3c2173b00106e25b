/** Writes and jobs, passed to the object that signs with the deployment's key. */

import { jobScopes } from '#gateway/access.ts'
import type { GatewayEntry } from '#gateway/entries.ts'
import { GatewayError } from '#gateway/errors.ts'
import type { Params } from '#gateway/handle.ts'
import { pause } from '#objects/base/pause.ts'
import type { SignerObject } from '#objects/streamnet/signer.ts'
import type { Signer } from '#streamnet/index.ts'
import type { RecordBatch } from '#streamnet/record-args.ts'
import { answerOutcome } from './answers.ts'
import type { Call } from './call.ts'

/** Runs an operation that sends a transaction; an idempotency key that was used gives its first answer again. */
export async function write(call: Call, entry: GatewayEntry, params: Params): Promise<Response> {
  const outcome = await signerObject(call).write({
    operation: entry.name,
    params,
    idempotencyKey: readIdempotencyKey(call),
  })
  return answerOutcome(outcome, outcome.isReplay ? { 'idempotency-replayed': 'true' } : {})
}

/** Starts a bulk insertion, 202 with the job's address; `areas` are for tokens that may look at it. */
export async function startJob(call: Call, params: Params, areas: readonly string[]): Promise<Response> {
  const { batches, ...options } = params
  // Checking the records took a slice; keeping them takes another.
  await pause()
  const outcome = await signerObject(call).startJob({
    // Shaped by readParams() as the catalogue's `batches`.
    batches: batches as readonly RecordBatch[],
    options,
    who: call.grant.name,
    areas: jobScopes(areas),
    idempotencyKey: readIdempotencyKey(call),
  })
  const headers = outcome.isReplay ? { 'idempotency-replayed': 'true' } : {}
  const location = outcome.ok ? { location: `/streamnet/v1/jobs/${readJobId(outcome.result)}` } : {}
  return answerOutcome(outcome, { ...headers, ...location }, 202)
}

function readJobId(result: string): string {
  // The result of startJob() is a job's status.
  const { job_id: id } = JSON.parse(result) as { readonly job_id: string }
  return id
}

/** The object that signs with the deployment's key. */
export function signerObject(call: Pick<Call, 'env' | 'isolate'>): DurableObjectStub<SignerObject> {
  return call.env.SIGNER.getByName(requireSigner(call).address)
}

function requireSigner({ isolate }: Pick<Call, 'isolate'>): Signer {
  if (isolate.signer !== undefined) return isolate.signer
  throw new GatewayError('key_missing', 'Cannot write: the gateway has no key, set the secret STREAMNET_PRIVATE_KEY')
}

function readIdempotencyKey({ request, grant }: Call): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  // Visible ASCII, as in other header fields; with the token's name, so that keys of two tokens never meet.
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return `${grant.name}\n${key}`
  throw new GatewayError(
    'idempotency_conflict',
    'Cannot write: Idempotency-Key is malformed, expected 1 to 200 visible characters',
  )
}
