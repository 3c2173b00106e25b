/** Answers a call of ShouldRateLimit in the front: from the frame to the answer, without the service where a lease covers it. */

import type { IncomingHttpHeaders } from 'node:http2'
import { onlyMessage } from '#proto-json/grpc-web/dialect.ts'
import { errorStatus } from '#proto-json/grpc-web/status.ts'
import {
  decodeFrames,
  decodeRequest,
  encodeResponse,
  ProtoJsonError,
  type Status,
  shouldRateLimitPath,
  statusCodes,
  writeResponse,
} from '#proto-json/index.ts'
import { readRequestBytes } from '#proto-json/json.ts'
import { writeFailure, writeRefusal } from '#ratelimit/decision/log.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { responseTimeName, totalRequestsName } from '#ratelimit/statistics/names.ts'
import { problemStatus } from '#workers/ratelimit/problems.ts'
import { findFrontCaller } from '../decider/caller.ts'
import type { ReadyDecider } from '../decider/decider.ts'

interface DecidedCall {
  readonly headers: IncomingHttpHeaders
  readonly isJson: boolean
  readonly body: Buffer
}

/** Takes the answer of a call: its message, or the status that it ends with. */
interface Answering {
  readonly answer: (message: Uint8Array) => void
  readonly fail: (status: Status) => void
}

const totalRequests = { name: totalRequestsName('ShouldRateLimit'), delta: 1 }

/** Decides a call, and answers it in the same turn where no counter is asked. */
export async function decideCall(
  { headers, isJson, body }: DecidedCall,
  ready: ReadyDecider,
  { answer, fail }: Answering,
): Promise<void> {
  let caller: string | null = null
  try {
    caller = findFrontCaller(headers.authorization, ready)
    const message = onlyMessage(decodeFrames(body, ready.settings.REQUEST_MAX_BODY_BYTES))
    const request = isJson ? readRequestBytes(message) : decodeRequest(message)
    const startedMs = Date.now()
    try {
      const response = await ready.decide(request)
      answer(isJson ? Buffer.from(writeResponse(response)) : encodeResponse(response))
    } finally {
      const name = responseTimeName('ShouldRateLimit', Date.now() - startedMs)
      ready.stats.record([totalRequests, { name, delta: 1 }])
    }
  } catch (error) {
    fail(readFailure(error, caller, ready))
  }
}

function readFailure(error: unknown, caller: string | null, { logger }: ReadyDecider): Status {
  if (error instanceof ProtoJsonError) return { code: errorStatus[error.code], message: error.message }
  if (!(error instanceof RatelimitError)) {
    writeFailure(logger, 'Cannot answer a call', error, Date.now())
    return { code: statusCodes.UNKNOWN, message: 'internal error' }
  }
  if (error.code === 'counter_unavailable') writeFailure(logger, 'Cannot decide', error, Date.now())
  else writeRefusal(logger, error, { path: shouldRateLimitPath, caller }, Date.now())
  return { code: problemStatus[error.code].grpc, message: error.message }
}
