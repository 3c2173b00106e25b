/** Names of statistics, as the reference writes them. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  callPrefix,
  domainNotFoundName,
  leaseStats,
  limitPrefix,
  limitStatNames,
  parseResponseTime,
  quotaStats,
  responseTimeName,
  sanitizeStatName,
  serviceStats,
  totalRequestsName,
} from '#ratelimit/statistics/names.ts'

describe('sanitizeStatName()', () => {
  it.each([
    ['shop.tenant_t1', 'shop.tenant_t1'],
    ['a:b|c', 'a_b_c'],
    ['a\r\nb', 'a__b'],
    ['ip_10.0.0.1', 'ip_10_0_0_1'],
    ['10.0.0.1.d', '10_0_0_1.d'],
    ['1234.5.6.7', '1234_5_6_7'],
    ['10.0.0.1,10.0.0.2', '10_0_0_1,10_0_0_2'],
    ['1.2.3', '1.2.3'],
  ])('of %j is %j', (name, safe) => {
    expect(sanitizeStatName(name)).toBe(safe)
  })

  it('leaves nothing that ends a name in a statistics line, and changes no name twice', () => {
    const name = fc.string({ unit: fc.constantFrom(':', '|', '\r', '\n', '.', '1', '23', 'a') })
    fc.assert(
      fc.property(name, (text) => {
        const safe = sanitizeStatName(text)
        expect(safe).not.toMatch(/[:|\r\n]/)
        expect(safe).toHaveLength(text.length)
        expect(safe.replace(/:|\||\r|\n|\./g, '_')).toBe(text.replace(/:|\||\r|\n|\./g, '_'))
      }),
      { seed: 7 },
    )
  })
})

describe('limitStatNames()', () => {
  it('are the seven names of the reference below the limit, and that of settlements', () => {
    expect(limitStatNames('shop.ip_10.0.0.1')).toEqual(
      Object.fromEntries(
        [
          ['totalHits', 'total_hits'],
          ['overLimit', 'over_limit'],
          ['nearLimit', 'near_limit'],
          ['withinLimit', 'within_limit'],
          ['overLimitWithLocalCache', 'over_limit_with_local_cache'],
          ['shadowMode', 'shadow_mode'],
          ['totalNegativeHits', 'total_negative_hits'],
          ['settledHits', 'settled_hits'],
        ].map(([field, name]) => [field, `ratelimit.service.rate_limit.shop.ip_10_0_0_1.${name}`]),
      ),
    )
  })
})

describe('domainNotFoundName()', () => {
  it('names the domain, made safe', () => {
    expect(domainNotFoundName('sh:op')).toBe('ratelimit.service.rate_limit.sh_op.domain_not_found')
    expect(domainNotFoundName('shop').startsWith(limitPrefix)).toBe(true)
  })
})

describe('responseTimeName()', () => {
  it.each([
    [0, 0],
    [-5, 0],
    [7.4, 7],
    [99, 99],
    [100, 100],
    [104, 100],
    [105, 110],
    [1_234, 1_200],
    [3_600_000, 3_600_000],
    [9_999_999, 3_600_000],
  ])('keeps two digits of %d ms: %i', (milliseconds, kept) => {
    expect(responseTimeName('ShouldRateLimit', milliseconds)).toBe(
      `ratelimit_server.ShouldRateLimit.response_time.ms.${kept}`,
    )
  })

  it('has at most some hundred names', () => {
    const names = new Set<string>()
    for (let ms = 0; ms <= 20_000; ms++) names.add(responseTimeName('m', ms))
    for (let ms = 20_000; ms <= 3_700_000; ms += 500) names.add(responseTimeName('m', ms))
    expect(names.size).toBeLessThan(600)
  })
})

describe('parseResponseTime()', () => {
  it('gives back what responseTimeName() wrote', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z]{1,20}$/), fc.integer({ min: 0, max: 99 }), (method, milliseconds) => {
        expect(parseResponseTime(responseTimeName(method, milliseconds))).toEqual({ method, milliseconds })
      }),
      { seed: 1 },
    )
  })

  it.each([
    totalRequestsName('ShouldRateLimit'),
    'ratelimit_server.a.b.response_time.ms.1',
    'ratelimit_server.a.response_time.ms.',
    'ratelimit_server.a.response_time.ms.1x',
    'other.a.response_time.ms.1',
    '',
  ])('of %j is null', (name) => {
    expect(parseResponseTime(name)).toBeNull()
  })
})

describe('totalRequestsName()', () => {
  it('is below the prefix of calls', () => {
    expect(totalRequestsName('ShouldRateLimit')).toBe(`${callPrefix}ShouldRateLimit.total_requests`)
  })
})

describe('serviceStats, leaseStats and quotaStats', () => {
  const names = [serviceStats, leaseStats, quotaStats].flatMap((stats) => Object.values(stats))

  it('are different names, safe as they are', () => {
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(sanitizeStatName(name)).toBe(name)
  })

  it('never change: dashboards are made of them', () => {
    expect(names).toEqual([
      'ratelimit.service.config_load_success',
      'ratelimit.service.config_load_error',
      'ratelimit.service.global_shadow_mode',
      'ratelimit.service.call.should_rate_limit.service_error',
      'ratelimit.service.call.should_rate_limit.redis_error',
      'ratelimit.service.call.should_rate_limit.failed_open',
      'ratelimit.service.call.should_rate_limit.failed_closed',
      'ratelimit.service.call.should_rate_limit.unauthenticated',
      'ratelimit.service.call.should_rate_limit.not_allowed',
      'ratelimit.service.call.should_rate_limit.override_ignored',
      'ratelimit.service.call.should_rate_limit.refund_ignored',
      'ratelimit.service.call.should_rate_limit.hits_capped',
      'ratelimit.service.call.should_rate_limit.denied',
      'ratelimit.service.call.should_rate_limit.allowed',
      'ratelimit.leases.admitted',
      'ratelimit.leases.granted',
      'ratelimit.leases.returned',
      'ratelimit.leases.calls',
      'ratelimit.leases.lost',
      'ratelimit.leases.faults',
      'ratelimit.service.quota.streams',
      'ratelimit.service.quota.streams_refused',
      'ratelimit.service.quota.reports',
      'ratelimit.service.quota.assignments',
      'ratelimit.service.quota.refusals',
      'ratelimit.service.quota.abandoned',
      'ratelimit.service.quota.reclaimed',
      'ratelimit.service.quota.unlimited',
      'ratelimit.service.quota.not_assignable',
      'ratelimit.service.quota.uncovered_hits',
      'ratelimit.service.quota.draw_failed',
    ])
  })
})
