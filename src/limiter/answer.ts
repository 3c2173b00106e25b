/** Answers a call of a limiter's method on the decision path of the protocol; a failure is a result. */

import { suggest } from '../base/nearest.ts'
import type { DecisionContext } from '../ratelimit/decision/context.ts'
import { RatelimitError } from '../ratelimit/errors.ts'
import { shouldRateLimit } from '../ratelimit/service.ts'
import type { RateLimitRequest, RateLimitResponse } from '../ratelimit/types.ts'
import { failedDecide, failedLimit } from './failure.ts'
import { readLimitRequest } from './limit-request.ts'
import { toLimitResult } from './limit-result.ts'
import type { DecideResult, FailureCode, LimiterMethod, LimitResult } from './types.ts'

/** One call: the method, its argument as it came, and the `props` of the binding. */
export interface LimiterCall {
  readonly method: LimiterMethod
  readonly asked: unknown
  readonly props?: unknown
}

/** Codec of whole messages. */
export interface MessageCodec {
  readonly readRequest: (text: string) => RateLimitRequest
  readonly writeResponse: (response: RateLimitResponse) => string
}

/** Surroundings of a call. */
export interface CallSurroundings {
  readonly codec: MessageCodec
  /** Makes the context of the decision; only asked for a request that could be read. */
  readonly contextOf: () => Promise<DecisionContext> | DecisionContext
  /** Finds the longest text of a whole message, in UTF-16 code units. */
  readonly maxLength: () => number
  /** Takes every failure, for the log. */
  readonly onFailure: (error: unknown) => void
}

/** Answers a call; a failure is a result with its code. Nothing is thrown. */
export async function answerCall(
  call: LimiterCall,
  surroundings: CallSurroundings,
): Promise<LimitResult | DecideResult> {
  const { method, asked, props } = call
  try {
    if (method === 'decide') return await decideMessage(asked, surroundings)
    const request = readLimitRequest(asked, method, props)
    const opened = surroundings.contextOf()
    // An `await` costs half of a microsecond.
    const context = opened instanceof Promise ? await opened : opened
    const response = await shouldRateLimit(request, context)
    // Checked after the decision, which counts unknown domains in the statistics.
    const unknown = unknownDomain(request.domain, context)
    return unknown === null ? toLimitResult(response, context.nowMs) : failedLimit('unknown_domain', unknown)
  } catch (error) {
    surroundings.onFailure(error)
    const { code, message } = describeFailure(error)
    return method === 'decide' ? failedDecide(code, message) : failedLimit(code, message)
  }
}

async function decideMessage(asked: unknown, { codec, contextOf, maxLength }: CallSurroundings): Promise<DecideResult> {
  const text = messageText(asked)
  const most = maxLength()
  if (text.length > most) {
    const state = `it has ${text.length} characters, expected at most ${most} (REQUEST_MAX_BODY_BYTES)`
    throw new RatelimitError('request_too_large', `Cannot read the request: ${state}`)
  }
  const response = await shouldRateLimit(readMessage(text, codec), await contextOf())
  // The codec writes an answer of the protocol.
  return JSON.parse(codec.writeResponse(response)) as DecideResult
}

/** JSON of a message; numbers of 64 bits are text there. */
function messageText(asked: unknown): string {
  try {
    return JSON.stringify(asked, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? ''
  } catch (cause) {
    throw new RatelimitError('malformed_request', 'Cannot read the request: it is not JSON', { cause })
  }
}

function readMessage(text: string, { readRequest }: MessageCodec): RateLimitRequest {
  try {
    return readRequest(text)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'Cannot read the request'
    throw new RatelimitError('malformed_request', message, { cause })
  }
}

/** Domains that an unknown one is compared with. */
const comparedDomains = 200

/**
 * Describes a domain that no rule has; null for a known one. A program that names it has made a mistake, although the
 * protocol lets requests of unknown domains pass.
 */
function unknownDomain(domain: string, { rules }: DecisionContext): string | null {
  if (rules === null || rules.domains.has(domain)) return null
  const compared = [...rules.domains.keys()].slice(0, comparedDomains)
  const right = suggest(domain, compared, 'expected a domain of the rules')
  return `Cannot decide: there is no domain ${JSON.stringify(domain.slice(0, 40))}, ${right}`
}

function describeFailure(error: unknown): { readonly code: FailureCode; readonly message: string } {
  if (error instanceof RatelimitError) {
    const { code, message, hint } = error
    return { code, message: hint === undefined ? message : `${message}: ${hint}` }
  }
  return { code: 'internal', message: 'Cannot decide: an internal error, which the log of the service has' }
}
