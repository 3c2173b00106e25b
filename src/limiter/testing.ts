/** A limiter that counts in memory, for tests: rules, matching, counting and results are those of the service. */

import { readRequest, writeResponse } from '#proto-json/json.ts'
import { compileFiles, parseFiles } from '../ratelimit/config/compile.ts'
import { readSettings } from '../ratelimit/settings.ts'
import { answerCall } from './answer.ts'
import { createMemoryStore } from './memory-store.ts'
import { defaultPlatform } from './platform.ts'
import type { Limiter, LimiterDefaults, LimiterMethod } from './types.ts'

/** Options of a limiter in memory. */
export interface MemoryLimiterOptions extends LimiterDefaults {
  /** Rules as YAML, a text for each domain; without them there is the domain of the requests, and no limit but theirs. */
  readonly rules?: string | readonly string[]
  /** Settings of the service by their names, such as `{ CALLER_REFUNDS: 'refuse' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/**
 * Makes a limiter that counts in memory.
 *
 * @param options - rules, and what a binding's `props` would say.
 * @throws RatelimitError invalid_rules when the rules have a mistake; the message is that of the service.
 * @throws RatelimitError invalid_settings when a setting has one.
 * @example
 * const limiter = createMemoryLimiter({ limit: 2, period: 60 })
 * await limiter.limit({ key: 'ada' }) // { success: true, limit: 2, remaining: 1, ... }
 */
export function createMemoryLimiter(options: MemoryLimiterOptions = {}): Limiter {
  const { rules, settings: environment = {}, now = defaultPlatform.now, domain = 'default', limit, period } = options
  const texts = typeof rules === 'string' ? [rules] : (rules ?? [`domain: ${JSON.stringify(domain)}`])
  const settings = readSettings(environment)
  const files = texts.map((text, at) => ({ key: `rules-${at + 1}.yaml`, text }))
  let requests = 0
  const context = {
    rules: compileFiles(parseFiles(files), { mergeDomains: settings.MERGE_DOMAIN_CONFIG }),
    settings,
    overLimitCache: null,
    counters: createMemoryStore(now),
    stats: { record: () => undefined },
    drawId: () => String(requests++),
  }
  const props = { domain, ...(limit !== undefined && { limit }), ...(period !== undefined && { period }) }
  const around = {
    codec: { readRequest, writeResponse },
    contextOf: () => ({ ...context, nowMs: now() }),
    maxLength: () => settings.REQUEST_MAX_BODY_BYTES,
    onFailure: () => undefined,
  }
  const ask = <Result>(method: LimiterMethod, asked: unknown) =>
    answerCall({ method, asked, props }, around) as Promise<Result> // The method decides the kind of the result.
  return {
    limit: (request) => ask('limit', request),
    peek: (request) => ask('peek', request),
    refund: (request) => ask('refund', request),
    settle: (request) => ask('settle', request),
    decide: (request) => ask('decide', request),
  }
}
