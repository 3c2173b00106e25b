/** Statuses become an answer: overall code, headers, quota and global shadow mode. */

import { capacityOf } from '../algorithm/algorithm.ts'
import type { Match } from '../match.ts'
import type { HeaderNames, Settings } from '../settings.ts'
import type { Code, DescriptorStatus, Header, RateLimitResponse } from '../types.ts'
import { rateLimitFields, retryAfterField } from './ietf-fields.ts'

/** A descriptor of a request: the limit that it matched, and the status that it got. */
export interface DecidedDescriptor {
  readonly match: Match
  readonly status: DescriptorStatus
}

/** A decided descriptor, and whether its counter is over its limit, also where a mode turned the status into OK. */
export interface JudgedDescriptor extends DecidedDescriptor {
  readonly isOver: boolean
}

/** An answer, and whether global shadow mode turned a refusal into it. */
export interface Answer {
  readonly response: RateLimitResponse
  readonly isShadowed: boolean
}

/** The settings that an answer depends on. */
export type AnswerSettings = Pick<
  Settings,
  | 'QUOTA_MODE'
  | 'SHADOW_MODE'
  | 'limitHeaders'
  | 'requestLimitHeaders'
  | 'LIMIT_IETF_HEADERS_ENABLED'
  | 'LIMIT_RETRY_AFTER_ENABLED'
>

/** Makes the answer of one request from its descriptors, in their order. */
export function respond(decided: readonly DecidedDescriptor[], settings: AnswerSettings): Answer {
  const code = overallCode(decided, settings.QUOTA_MODE)
  const isShadowed = code === 'OVER_LIMIT' && settings.SHADOW_MODE
  const overall: Code = isShadowed ? 'OK' : code
  const { limitHeaders, requestLimitHeaders } = settings
  const statuses = decided.map(({ status }) => status)
  const fields = currentFields(overall, statuses, settings)
  const response = { overallCode: overall, statuses, responseHeadersToAdd: fields }
  const chosen =
    limitHeaders === null && requestLimitHeaders === null ? null : chooseStatus(decided, settings.QUOTA_MODE)
  return { response: chosen === null ? response : withClassicHeaders(response, chosen, settings), isShadowed }
}

/**
 * Finds the code of a request: over when a list refuses a descriptor, when an ordinary descriptor is over, or when there
 * are quota descriptors and all of them are.
 *
 * Under the global quota mode every descriptor is a quota one; those without a limit pass, those that are
 * unlimited are left out.
 */
export function overallCode(decided: readonly DecidedDescriptor[], isQuotaMode: boolean): Code {
  let quotas = 0
  let passed = 0
  for (const { match, status } of decided) {
    const { limit, listing } = match
    if (listing?.list === 'deny') return 'OVER_LIMIT'
    if (limit !== null && limit.rateLimit === null) continue
    const isOver = status.code === 'OVER_LIMIT'
    if (isQuotaMode || limit?.isQuota === true) {
      quotas += 1
      if (!isOver) passed += 1
    } else if (isOver) return 'OVER_LIMIT'
  }
  return quotas > 0 && passed === 0 ? 'OVER_LIMIT' : 'OK'
}

const noHeaders: readonly Header[] = []

function withClassicHeaders(
  response: RateLimitResponse,
  chosen: DescriptorStatus,
  { limitHeaders, requestLimitHeaders }: AnswerSettings,
): RateLimitResponse {
  const { responseHeadersToAdd: fields } = response
  return {
    ...response,
    responseHeadersToAdd: limitHeaders === null ? fields : [...classicHeaders(chosen, limitHeaders), ...fields],
    ...(requestLimitHeaders !== null && { requestHeadersToAdd: classicHeaders(chosen, requestLimitHeaders) }),
  }
}

/** The fields of the IETF draft and `Retry-After`, as far as they are switched on; empty when none is. */
export function currentFields(
  overall: Code,
  statuses: readonly DescriptorStatus[],
  {
    LIMIT_IETF_HEADERS_ENABLED: ietfHeaders,
    LIMIT_RETRY_AFTER_ENABLED: retryAfter,
  }: Pick<AnswerSettings, 'LIMIT_IETF_HEADERS_ENABLED' | 'LIMIT_RETRY_AFTER_ENABLED'>,
): readonly Header[] {
  if (!ietfHeaders && !retryAfter) return noHeaders
  const wait = retryAfter && overall === 'OVER_LIMIT' ? retryAfterField(statuses) : null
  return [...(ietfHeaders ? rateLimitFields(statuses) : []), ...(wait === null ? [] : [wait])]
}

/** A status with this many hits left or more is not reported, as in the reference: an unused limit of 2^32 - 1. */
const mostRemaining = 4_294_967_295

/**
 * Chooses the status that the classic headers report: the least remaining, the first of equals; but every
 * ordinary descriptor that is over takes the place, so the last of those wins. Null when none has less than
 * 4294967295 left.
 */
function chooseStatus(decided: readonly DecidedDescriptor[], isQuotaMode: boolean): DescriptorStatus | null {
  let chosen: DescriptorStatus | null = null
  for (const { match, status } of decided) {
    if (status.currentLimit === undefined) continue
    const isQuota = isQuotaMode || match.limit?.isQuota === true
    const isRefused = status.code === 'OVER_LIMIT' && !isQuota
    const least = chosen?.limitRemaining ?? mostRemaining
    if (isRefused || status.limitRemaining < least) chosen = status
  }
  return chosen
}

function classicHeaders(status: DescriptorStatus, names: HeaderNames): readonly Header[] {
  return [
    { key: names.limit, value: String(status.currentLimit === undefined ? 0 : capacityOf(status.currentLimit)) },
    { key: names.remaining, value: String(status.limitRemaining) },
    { key: names.reset, value: String(status.secondsUntilReset ?? 0) },
  ]
}
