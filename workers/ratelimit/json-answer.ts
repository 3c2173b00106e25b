/** Answers of `/json` as plain values: the Worker makes a Response of one, a front that decides writes it to its client. */

import type { Logger } from '#base/logger.ts'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { encodeStatusMessage } from '#proto-json/grpc-web/status.ts'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { currentFields } from '#ratelimit/answer/respond.ts'
import { unlimitedByNothing } from '#ratelimit/decision/decide.ts'
import { longestReason, writeFailure, writeRefusal } from '#ratelimit/decision/log.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { type BodyFault, decodeBody } from '../edge/body.ts'
import { type PlainAnswer, plainAnswer } from './plain-answer.ts'

/** Name of the header with the reason of an answer, percent-encoded as `grpc-message` is. */
export const reasonHeader = 'x-ratelimit-reason'

/** Writes a reason as the value of a header. */
export function reasonValue(reason: string): string {
  return encodeStatusMessage(reason.slice(0, longestReason))
}

/** Reads a body, null for one beyond `maxBytes`: request_too_large, malformed_request or malformed_json. */
export function readDecisionBody(bytes: ArrayBuffer | Uint8Array | null, maxBytes: number): RateLimitRequest {
  const body = decodeBody(bytes)
  if ('fault' in body) throw unreadable(body.fault, maxBytes)
  return readRequest(body.text)
}

/** Error of a body that cannot be read. */
export function unreadable(fault: BodyFault, maxBytes: number): RatelimitError {
  return fault === 'too_large'
    ? new RatelimitError(
        'request_too_large',
        `Cannot read the body: it is too long, expected at most ${maxBytes} bytes (REQUEST_MAX_BODY_BYTES)`,
      )
    : new RatelimitError('malformed_request', 'Cannot read the body: its bytes are not UTF-8')
}

/** Headers of an answer without further fields. */
export const decidedHeaders = { 'content-type': 'application/json' } as const
/** Headers of an answer to which no rule applied. */
export const unmatchedHeaders = {
  'content-type': 'application/json',
  [reasonHeader]: reasonValue('no rule matches any descriptor, so nothing was counted'),
} as const

/** The answer of a decision: 200 or 429, with the IETF's fields and Retry-After where they are switched on. */
export function answerDecision(response: RateLimitResponse, settings: Settings): PlainAnswer {
  const { overallCode, statuses } = response
  const isUnmatched = statuses.every((status) => status === unlimitedByNothing)
  const known = isUnmatched ? unmatchedHeaders : decidedHeaders
  const fields = currentFields(overallCode, statuses, settings)
  return {
    status: overallCode === 'OVER_LIMIT' ? 429 : 200,
    // Made once: a Worker knows finished headers by their identity.
    headers:
      fields.length === 0 ? known : { ...known, ...Object.fromEntries(fields.map(({ key, value }) => [key, value])) },
    body: writeResponse(response),
  }
}

/** An answer of one line in the form of Go's `http.Error`, and the reason in a header. */
export function refusal(status: number, line: string, reason: string, isReasonInBody = false): PlainAnswer {
  const answer = plainAnswer(status, isReasonInBody ? `${line}: ${reason.slice(0, longestReason)}` : line)
  return { ...answer, headers: { ...answer.headers, [reasonHeader]: reasonValue(reason) } }
}

/** A request that was refused, and where that is written. */
interface RefusedJson {
  readonly logger: Logger
  readonly isReasonInBody: () => boolean
  /** The name of its token; null where callers need none, or it has none. */
  readonly caller: string | null
}

/**
 * The answer to a request that was not decided, which goes to the log too: 400 `Bad Request` as in the reference,
 * with JSON_REASON_IN_BODY and its reason; beyond the reference 401 without a token, 403 for what callers may not ask.
 *
 * @returns Null for an error of the deployment or of the program.
 */
export function refuseDecision(error: unknown, { logger, isReasonInBody, caller }: RefusedJson): PlainAnswer | null {
  if (!isOfContract(error)) return null
  const { code, message } = error
  const reason = error instanceof RatelimitError && error.hint ? `${message}: ${error.hint}` : message
  if (code === 'counter_unavailable') writeFailure(logger, 'Cannot decide', error, Date.now())
  else writeRefusal(logger, error, { path: '/json', caller }, Date.now())
  if (code === 'not_allowed') return refusal(403, 'Forbidden', reason, isReasonInBody())
  if (code !== 'unauthenticated') return refusal(400, 'Bad Request', reason, isReasonInBody())
  const answer = refusal(401, message, reason)
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Bearer realm="rate limit decisions"' } }
}

/** Tells errors that the contract answers, with 400 as a rule, from those of the deployment or of the program. */
function isOfContract(error: unknown): error is RatelimitError | ProtoJsonError {
  if (error instanceof RatelimitError) return error.code !== 'invalid_settings'
  return error instanceof ProtoJsonError && error.code === 'malformed_json'
}
