/** A limiter of another program's making: over a binding of the platform or over HTTP, with the same results. */

import { messageOf } from '../base/errors.ts'
import { stringifyWide } from '../base/json.ts'
import { failedDecide, failedLimit } from './failure.ts'
import { defaultPlatform, type LimiterPlatform } from './platform.ts'
import type { DecideResult, FailureCode, Limiter, LimiterDefaults, LimiterMethod, LimitResult } from './types.ts'

/** A service binding with `entrypoint = "RateLimiter"`, or a binding of the platform's own rate limiting. */
export interface LimiterBinding {
  limit(request: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Options of a limiter: `binding` or `url`. */
export interface LimiterOptions extends LimiterDefaults {
  readonly binding?: LimiterBinding
  /** Address of the service, such as `https://limits.example.com`. */
  readonly url?: string
  /** A token of CALLER_TOKENS; over HTTP only. */
  readonly token?: string
  /**
   * Result of `limit` when no decision was made because of the service, its settings or the way to it: `open` passes,
   * `closed` (the default) refuses. A mistake of a request, such as a key that is too long, is refused with either.
   */
  readonly failure?: 'open' | 'closed'
  /** Milliseconds to wait for an answer; 5,000 when absent. */
  readonly timeout?: number
  readonly platform?: LimiterPlatform
}

/** Calls a method with its argument, until the signal. */
type Call = (method: LimiterMethod, request: object, signal: AbortSignal) => Promise<unknown>

/**
 * Makes a limiter. None of its methods throws or rejects: a failure is a result with a `reason`.
 *
 * @param options - where the service is, and what a failure means.
 * @throws TypeError when there is neither a binding nor an address, or both; so a binding that is missing shows at once.
 * @example
 * const limiter = createLimiter({ binding: env.LIMITER, failure: 'open' })
 * const { success, retryAfter } = await limiter.limit({ key: 'user-7' })
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { failure = 'closed', timeout = 5_000, platform = defaultPlatform, domain, limit, period } = options
  const call = openCall(options, platform)
  const late = `Cannot reach the limiter: no answer within ${timeout} ms`
  const defaults = withoutAbsent({ domain, limit, period })

  function ask(method: LimiterMethod, request: object): Promise<unknown> {
    const asked = method === 'decide' ? request : { ...defaults, ...request }
    return withDeadline((signal) => call(method, asked, signal), timeout, platform)
  }

  async function askLimit(method: LimiterMethod, request: object): Promise<LimitResult> {
    const result = await ask(method, request).then(
      (answer) => (answer === overdue ? failedLimit('timeout', late) : readResult(answer)),
      (error: unknown) => failedLimit('unreachable', describeError(error)),
    )
    const isOpen = failure === 'open' && !result.success && unavailable.has(result.reason)
    return isOpen ? { ...result, success: true } : result
  }

  return {
    limit: (request) => askLimit('limit', request),
    peek: (request) => askLimit('peek', request),
    refund: (request) => askLimit('refund', request),
    settle: (request) => askLimit('settle', request),
    decide(request) {
      return ask('decide', request).then(
        (answer) => (answer === overdue ? failedDecide('timeout', late) : readDecision(answer)),
        (error: unknown) => failedDecide('unreachable', describeError(error)),
      )
    },
  }
}

/** Reasons that are not of the request: of the service, its settings, or the way to it. */
const unavailable: ReadonlySet<unknown> = new Set<FailureCode>([
  'counter_unavailable',
  'rules_not_loaded',
  'invalid_settings',
  'unauthenticated',
  'unknown_domain',
  'internal',
  'timeout',
  'unreachable',
])

function openCall({ binding, url, token }: LimiterOptions, platform: LimiterPlatform): Call {
  if (binding !== undefined && url !== undefined) throw new TypeError(wrongTarget('both binding and url are set'))
  if (url !== undefined) return overHttp(url, token, platform)
  if (binding === undefined || binding === null) throw new TypeError(wrongTarget('binding and url are undefined'))
  // A stub of the platform has every method; the service refuses those that it lacks.
  const methods = binding as unknown as Record<LimiterMethod, ((request: object) => Promise<unknown>) | undefined>
  return async (method, request) => {
    if (methods[method] === undefined) throw new Error(`the binding has no method ${method}`)
    return methods[method](request)
  }
}

function wrongTarget(state: string): string {
  return `Cannot create a limiter: ${state}, expected a service binding with entrypoint = "RateLimiter", or a url`
}

function overHttp(url: string, token: string | undefined, { fetch: send }: LimiterPlatform): Call {
  const base = `${url.replace(/\/+$/, '')}/limiter/`
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return async (method, request, signal) => {
    const body = stringifyWide(request)
    const response = await send(`${base}${method}`, { method: 'POST', headers, body, signal })
    try {
      return await response.json()
    } catch {
      throw new Error(`${base}${method} answered ${response.status}, expected a limiter of Sluice there`)
    }
  }
}

const overdue = Symbol('overdue')

function withDeadline<T>(
  begin: (signal: AbortSignal) => Promise<T>,
  ms: number,
  { after }: LimiterPlatform,
): Promise<T | typeof overdue> {
  const end = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = after(ms, () => {
      resolve(overdue)
      end.abort()
    })
    begin(end.signal)
      .then(resolve, reject)
      .finally(() => timer.cancel())
  })
}

const foreign = 'Cannot reach the limiter: the answer is not one of a limiter, expected the address of Sluice'

/** A result; members that a binding of the platform's own does not have are null. */
function readResult(answer: unknown): LimitResult {
  // Read as a result once it has the member that every result has.
  const found = answer as Partial<LimitResult> | null | undefined
  if (typeof found?.success !== 'boolean') return failedLimit('unreachable', foreign)
  const { success, limit = null, remaining = null, period = null, reset = null, retryAfter = null, message } = found
  const { reason = success ? null : 'over_limit' } = found
  return { success, limit, remaining, period, reset, retryAfter, reason, ...(message !== undefined && { message }) }
}

function readDecision(answer: unknown): DecideResult {
  // Read as an answer or a failure once it has a member of one.
  const found = answer as Partial<DecideResult> | null | undefined
  if (found !== null && typeof found === 'object' && ('overallCode' in found || 'error' in found)) {
    return found as DecideResult
  }
  return failedDecide('unreachable', foreign)
}

function describeError(error: unknown): string {
  const state = messageOf(error)
  // The platform's words for a binding without the entrypoint, or with one of an earlier release.
  const isForeign = /does not implement the method|no method/.test(state)
  const right = isForeign ? ', expected entrypoint = "RateLimiter" of a Sluice that has it' : ''
  return `Cannot reach the limiter: ${state}${right}`
}

function withoutAbsent(defaults: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined))
}
