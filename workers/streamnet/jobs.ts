/** Bulk insertions over HTTP: progress, hashes, cancel and resume. */

import { isCovered } from '#gateway/access.ts'
import { GatewayError } from '#gateway/errors.ts'
import { wanted } from '#gateway/param-mistakes.ts'
import type { JobView } from '#objects/streamnet/signer.ts'
import { answerOutcome, answerResult } from './answers.ts'
import type { Call } from './call.ts'
import { signerObject } from './writes.ts'

/** The jobs that a list shows. */
const listed = 50

/** `GET /streamnet/v1/jobs`: those whose streams the token may write to. */
export async function listJobs(call: Call): Promise<Response> {
  return answerResult(await signerObject(call).jobs(call.grant.scopes, listed))
}

/** `GET /streamnet/v1/jobs/{job_id}`. */
export async function showJob(call: Call, id: string): Promise<Response> {
  return answerResult((await requireJob(call, id)).status)
}

/** `GET /streamnet/v1/jobs/{job_id}/tx_hashes?limit=&offset=`. */
export async function showHashes(call: Call, id: string): Promise<Response> {
  await requireJob(call, id)
  const offset = pageNumber(call, 'offset', 0, Number.MAX_SAFE_INTEGER)
  const limit = pageNumber(call, 'limit', 1000, 10_000)
  return answerResult(await signerObject(call).jobHashes(id, offset, limit))
}

/** `DELETE /streamnet/v1/jobs/{job_id}`. */
export async function cancelJob(call: Call, id: string): Promise<Response> {
  await requireJob(call, id)
  return answerOutcome(await signerObject(call).cancelJob(id))
}

/** `POST /streamnet/v1/jobs/{job_id}/resume`. */
export async function resumeJob(call: Call, id: string): Promise<Response> {
  await requireJob(call, id)
  return answerOutcome(await signerObject(call).resumeJob(id))
}

async function requireJob(call: Call, id: string): Promise<JobView> {
  const job = await signerObject(call).job(id)
  // To a stranger a job does not exist.
  if (job !== null && isCovered(call.grant, 'write', job.areas)) return job
  throw new GatewayError('job_not_found', `Cannot find job: "${id.slice(0, 64)}" is unknown`, {
    hint: 'GET /streamnet/v1/jobs lists the newest',
  })
}

function pageNumber({ url }: Call, name: string, otherwise: number, max: number): number {
  const text = url.searchParams.get(name)
  if (text === null) return otherwise
  if (/^\d{1,15}$/.test(text) && Number(text) <= max) return Number(text)
  const message = wanted(`a whole number from 0 to ${max}`)({ input: text })
  throw new GatewayError('invalid_params', `Cannot list: ${name} ${message}`, { mistakes: [{ path: name, message }] })
}
