/** The whole story: what is counted, what is not, and what is answered when counting fails. */

import { describe, expect, it, test } from 'vitest'
import { createMemoryStore } from '#limiter/memory-store.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { explain } from '#ratelimit/explain.ts'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'
import { compileRules, compileShop } from '../support/compile-rules.ts'
import { createMemoryCounterStore } from '../support/memory-counter-store.ts'
import { createStatTable } from '../support/memory-stats.ts'

const rules = compileShop(
  '  - key: small',
  '    rate_limit: {unit: minute, requests_per_unit: 2}',
  '  - key: big',
  '    rate_limit: {unit: minute, requests_per_unit: 10}',
  '  - key: dark',
  '    shadow_mode: true',
  '    rate_limit: {unit: minute, requests_per_unit: 1}',
  '  - key: path',
  '    value: /a*',
  '    share_threshold: true',
  '    descriptors:',
  '      - key: user',
  '        rate_limit: {unit: minute, requests_per_unit: 5}',
)

function worldOf(environment: Record<string, string> = {}) {
  const settings = readSettings(environment)
  const clock = { ms: 1_234_000 }
  const store = createMemoryCounterStore({ now: () => Math.floor(clock.ms / 1000) })
  const table = createStatTable(1000)
  const cache = settings.LOCAL_CACHE_SIZE_IN_BYTES > 0 ? createOverLimitCache(settings.LOCAL_CACHE_SIZE_IN_BYTES) : null
  const world = (): DecisionContext => ({
    rules,
    settings,
    counters: store,
    overLimitCache: cache,
    drawId: () => 'id',
    stats: { record: (deltas) => table.add(deltas) },
    nowMs: clock.ms,
  })
  const stat = (name: string) => table.list().find((sum) => sum.name === `ratelimit.service.${name}`)?.value ?? 0
  return { world, store, clock, stat, table }
}

function ask(...descriptors: readonly (string | Descriptor)[]): RateLimitRequest {
  return {
    domain: 'shop',
    hitsAddend: 0,
    descriptors: descriptors.map((item) =>
      typeof item === 'string' ? { entries: [{ key: item, value: 'v' }] } : item,
    ),
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof RatelimitError) return error.code
    throw error
  }
  return 'answered'
}

test('shouldRateLimit() hits all counters of a request in one call', async () => {
  const { world, store } = worldOf()
  await shouldRateLimit(ask('small', 'big', 'dark'), world())
  expect(store.calls).toEqual({ hit: 1, peek: 0 })
  expect(store.dump().map(({ key }) => key)).toEqual(['shop_small_v_1200', 'shop_big_v_1200', 'shop_dark_v_1200'])
})

test('shouldRateLimit() does not ask the store for what the over-limit cache knows, until the window turns', async () => {
  const { world, store, clock } = worldOf({ LOCAL_CACHE_SIZE_IN_BYTES: '10000' })
  const request = ask({ entries: [{ key: 'small', value: 'v' }], hitsAddend: 3n })
  await shouldRateLimit(request, world())
  expect((await shouldRateLimit(request, world())).statuses[0]).toMatchObject({
    code: 'OVER_LIMIT',
    secondsUntilReset: 26,
  })
  expect(store.calls.hit).toBe(1)
  clock.ms = 1_260_000
  expect((await shouldRateLimit(ask('small'), world())).overallCode).toBe('OK')
  expect(store.calls.hit).toBe(2)
})

test('shouldRateLimit() refuses from the over-limit cache, with any limit of the request, until the rules change', async () => {
  const { world, store } = worldOf({ LOCAL_CACHE_SIZE_IN_BYTES: '10000' })
  const entries = [{ key: 'small', value: 'v' }]
  const override = (requestsPerUnit: number, hitsAddend: bigint) =>
    ask({ entries, limit: { requestsPerUnit, unit: 'MINUTE' }, hitsAddend })
  expect((await shouldRateLimit(override(1, 2n), world())).overallCode).toBe('OVER_LIMIT')
  expect((await shouldRateLimit(override(100, 1n), world())).overallCode).toBe('OVER_LIMIT')
  expect(store.calls.hit).toBe(1)
  const other = { ...world(), rules: { domains: new Map(rules.domains) } }
  expect((await shouldRateLimit(override(100, 1n), other)).overallCode).toBe('OK')
})

test('shouldRateLimit() gives hits back, and forgets that the counter was over', async () => {
  const { world, stat } = worldOf({ LOCAL_CACHE_SIZE_IN_BYTES: '10000' })
  const entries = [{ key: 'small', value: 'v' }]
  await shouldRateLimit(ask({ entries, hitsAddend: 3n }), world())
  const refund = ask({ entries, hitsAddend: 3n, isNegativeHits: true })
  expect((await shouldRateLimit(refund, world())).statuses[0]).toMatchObject({ code: 'OK', limitRemaining: 2 })
  expect((await shouldRateLimit(ask('small'), world())).overallCode).toBe('OK')
  expect(stat('rate_limit.shop.small.total_negative_hits')).toBe(3)
  expect(stat('rate_limit.shop.small.total_hits')).toBe(4)
})

test('shouldRateLimit() with STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT charges only the counters that refuse', async () => {
  const { world, store } = worldOf({ STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true' })
  for (let turn = 0; turn < 5; turn++) await shouldRateLimit(ask('small', 'big'), world())
  expect(store.dump().map(({ value }) => value)).toEqual([5, 2])
})

test.each([
  ['error', 'counter_unavailable', { failed_open: 0, failed_closed: 0 }],
  ['open', 'answered', { failed_open: 1, failed_closed: 0 }],
  ['error,shop=closed', 'answered', { failed_open: 0, failed_closed: 1 }],
])('shouldRateLimit() under FAILURE_POLICY=%s', async (policy, outcome, counted) => {
  const { world, store, stat } = worldOf({ FAILURE_POLICY: policy, RESPONSE_DYNAMIC_METADATA: 'true' })
  store.fail('down')
  expect(await codeOf(shouldRateLimit(ask('small', 'dark', 'none'), world()))).toBe(outcome)
  expect({
    failed_open: stat('call.should_rate_limit.failed_open'),
    failed_closed: stat('call.should_rate_limit.failed_closed'),
  }).toEqual(counted)
  expect(stat('call.should_rate_limit.redis_error')).toBe(1)
  expect(stat('rate_limit.shop.small.total_hits')).toBe(1)
  if (outcome !== 'answered') return
  const answer = await shouldRateLimit(ask('small', 'dark', 'none'), world())
  const isClosed = policy.endsWith('closed')
  expect(answer.overallCode).toBe(isClosed ? 'OVER_LIMIT' : 'OK')
  expect(answer.statuses.map(({ code }) => code)).toEqual([isClosed ? 'OVER_LIMIT' : 'OK', 'OK', 'OK'])
  expect(answer.dynamicMetadata?.degraded).toBe(isClosed ? 'closed' : 'open')
})

describe('shouldRateLimit() with a counter that its store takes for unused because it could not be read', () => {
  const unreadWorld = (env: Record<string, string>) => {
    const made = worldOf({ RESPONSE_DYNAMIC_METADATA: 'true', ...env })
    const hit: DecisionContext['counters']['hit'] = async (hits) =>
      hits.map(({ key, addend }) => ({
        after: addend,
        secondsUntilReset: 10,
        ...(key.includes('small') && { unread: 'memcached 10.0.0.1:11211: i/o timeout' }),
      }))
    return { ...made, world: () => ({ ...made.world(), counters: { ...made.store, hit } }) }
  }

  it.each(['', 'bank=closed'])('believes the store where FAILURE_POLICY=%j sets none', async (policy) => {
    const { world, stat } = unreadWorld({ FAILURE_POLICY: policy })
    const answer = await shouldRateLimit(ask('small', 'big'), world())
    expect(answer.statuses.map(({ code, limitRemaining }) => [code, limitRemaining])).toEqual([
      ['OK', 1],
      ['OK', 9],
    ])
    expect(stat('call.should_rate_limit.redis_error')).toBe(0)
  })

  it.each([
    ['closed', 'OVER_LIMIT', 'failed_closed'],
    ['error,shop=open', 'OK', 'failed_open'],
  ])('applies FAILURE_POLICY=%s to that counter and decides the others', async (policy, code, counted) => {
    const { world, stat } = unreadWorld({ FAILURE_POLICY: policy })
    const answer = await shouldRateLimit(ask('small', 'big'), world())
    expect(answer.statuses).toMatchObject([
      { code, limitRemaining: 0 },
      { code: 'OK', limitRemaining: 9 },
    ])
    expect(answer.statuses[0]).not.toHaveProperty('currentLimit')
    expect(stat(`call.should_rate_limit.${counted}`)).toBe(1)
  })

  it("fails the call under FAILURE_POLICY=error, with the store's own words", async () => {
    const { world } = unreadWorld({ FAILURE_POLICY: 'error' })
    await expect(shouldRateLimit(ask('big', 'small'), world())).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'memcached 10.0.0.1:11211: i/o timeout',
    })
  })
})

test.each([
  ['empty_domain', { ...ask('small'), domain: '' }],
  ['no_descriptors', { ...ask(), descriptors: [] }],
  ['request_too_large', ask({ entries: [{ key: 'k'.repeat(1025), value: '' }] })],
  ['request_too_large', ask({ entries: [{ key: 'k', value: 'v'.repeat(8193) }] })],
  ['request_too_large', ask({ entries: Array.from({ length: 65 }, () => ({ key: 'k', value: 'v' })) })],
  ['request_too_large', ask(...Array.from({ length: 257 }, () => 'small'))],
  ['invalid_override', ask({ entries: [], limit: { requestsPerUnit: 1, unit: null } })],
])('shouldRateLimit() refuses with %s before anything is counted', async (code, request) => {
  const { world, store, stat } = worldOf()
  expect(await codeOf(shouldRateLimit(request, world()))).toBe(code)
  expect(store.calls).toEqual({ hit: 0, peek: 0 })
  expect(stat('call.should_rate_limit.service_error')).toBe(1)
})

test('shouldRateLimit() takes a store that answers too little for a store that failed', async () => {
  const { world, store } = worldOf()
  const short = { ...store, hit: async () => [] }
  expect(await codeOf(shouldRateLimit(ask('small'), { ...world(), counters: short }))).toBe('counter_unavailable')
})

test('shouldRateLimit() turns any error of a store into counter_unavailable', async () => {
  const { world, store } = worldOf()
  const broken = { ...store, hit: () => Promise.reject(new TypeError('socket closed')) }
  expect(await codeOf(shouldRateLimit(ask('small'), { ...world(), counters: broken }))).toBe('counter_unavailable')
})

test('shouldRateLimit() saturates an addend of 64 bits', async () => {
  const { world } = worldOf()
  const request = ask({ entries: [{ key: 'big', value: 'v' }], hitsAddend: 2n ** 64n - 1n })
  expect((await shouldRateLimit(request, world())).overallCode).toBe('OVER_LIMIT')
  expect((await shouldRateLimit(ask('big'), world())).overallCode).toBe('OVER_LIMIT')
})

test('explain() shows every rule tried and taken, counts nothing, and foretells the answer', async () => {
  const { world, store, table } = worldOf()
  const descriptor: Descriptor = {
    entries: [
      { key: 'path', value: '/api' },
      { key: 'user', value: 'ann' },
    ],
  }
  await shouldRateLimit(ask(descriptor), world())
  const before = table.list()
  const explained = await explain(ask(descriptor, 'none'), world())
  expect(explained.descriptors[0]).toMatchObject({
    levels: [
      {
        trials: [
          { kind: 'exact', pattern: 'path_/api', isTaken: false },
          { kind: 'wildcard', pattern: 'path_/a*', isTaken: true },
        ],
      },
      {
        trials: [
          { kind: 'exact', pattern: 'user_ann', isTaken: false },
          { kind: 'bare', pattern: 'user', isTaken: true },
        ],
      },
    ],
    outcome: 'limit of the last rule',
    rule: 'shop.path_/a*.user',
    counter: { key: 'shop_path_/a*_user_ann_', hits: 1, addend: 1 },
    status: { code: 'OK', limitRemaining: 3 },
  })
  expect(explained.descriptors[1]).toMatchObject({ outcome: 'no rule matches', counter: null })
  expect(store.calls.hit).toBe(1)
  expect(table.list()).toEqual(before)
  expect(explained.response).toEqual(await shouldRateLimit(ask(descriptor, 'none'), world()))
})

test('a decision by older rules is not remembered for newer ones that came while its counter was asked', async () => {
  const { world, store } = worldOf({ LOCAL_CACHE_SIZE_IN_BYTES: '10000' })
  const text = 'domain: shop\ndescriptors:\n  - key: small\n    rate_limit: {unit: minute, requests_per_unit: 100}\n'
  const raised = compileRules([{ key: 'config.shop.yaml', text }])
  const request = { ...ask('small'), hitsAddend: 5 }
  const waiting: (() => void)[] = []
  const slow: DecisionContext = {
    ...world(),
    counters: {
      ...store,
      hit: async (...asked) => {
        const hits = await store.hit(...asked)
        await new Promise<void>((resolve) => waiting.push(resolve))
        return hits
      },
    },
  }
  const older = shouldRateLimit(request, slow)
  expect((await shouldRateLimit(request, { ...world(), rules: raised })).overallCode).toBe('OK')
  for (const resume of waiting) resume()
  expect((await older).overallCode).toBe('OVER_LIMIT')
  expect((await shouldRateLimit(request, { ...world(), rules: raised })).overallCode).toBe('OK')
})

describe('shouldRateLimit() with several limits on one descriptor', () => {
  const several = compileShop(
    '  - key: api',
    '    rate_limit:',
    '      unit: second',
    '      requests_per_unit: 3',
    '      name: burst',
    '      sluice:',
    '        limits:',
    '          - {unit: hour, requests_per_unit: 5, name: hourly}',
    '          - {unit: minute, requests_per_unit: 60, name: bucket, sluice: {algorithm: token_bucket, burst: 4}}',
  )
  const request: RateLimitRequest = {
    domain: 'shop',
    descriptors: [{ entries: [{ key: 'api', value: 'a' }] }],
    hitsAddend: 0,
  }

  function worldOfSeveral(environment: Record<string, string>) {
    const clock = { ms: 1_700_002_800_000 }
    const table = createStatTable(1000)
    const context: DecisionContext = {
      rules: several,
      settings: readSettings(environment),
      counters: createMemoryStore(() => clock.ms),
      overLimitCache: null,
      drawId: () => 'id',
      stats: { record: (deltas) => table.add(deltas) },
      nowMs: clock.ms,
    }
    return { clock, table, context }
  }

  it('answers the tightest, counts all of them, and writes every one into the IETF fields', async () => {
    const headers = { LIMIT_IETF_HEADERS_ENABLED: 'true', LIMIT_RESPONSE_HEADERS_ENABLED: 'true' }
    const { clock, table, context } = worldOfSeveral(headers)
    const ask = async () => (await shouldRateLimit(request, context)).statuses[0]
    const first = await shouldRateLimit(request, context)
    expect(first.statuses[0]).toMatchObject({ code: 'OK', limitRemaining: 2, currentLimit: { name: 'burst' } })
    expect(Object.fromEntries(first.responseHeadersToAdd.map(({ key, value }) => [key, value]))).toEqual({
      'RateLimit-Limit': '3',
      'RateLimit-Remaining': '2',
      'RateLimit-Reset': '1',
      'RateLimit-Policy': '"burst";q=3;w=1, "hourly";q=5;w=3600, "bucket";q=4;w=4',
      RateLimit: '"burst";r=2;t=1, "hourly";r=4;t=3600, "bucket";r=3;t=1',
    })
    await ask()
    await ask()
    expect(await ask()).toMatchObject({ code: 'OVER_LIMIT', secondsUntilReset: 1, currentLimit: { name: 'burst' } })
    clock.ms += 10_000
    expect(await ask()).toMatchObject({ code: 'OK', limitRemaining: 0, currentLimit: { name: 'hourly' } })
    clock.ms += 10_000
    const refused = { code: 'OVER_LIMIT', secondsUntilReset: 3_580, currentLimit: { name: 'hourly' } }
    expect(await ask()).toMatchObject(refused)
    const stats = new Map(table.list().map(({ name, value }) => [name, value]))
    const path = 'ratelimit.service.rate_limit.shop.api'
    expect(stats.get(`${path}.total_hits`)).toBe(6)
    expect(stats.get(`${path}.over_limit`)).toBe(1)
    expect(stats.get(`${path}.hourly.over_limit`)).toBe(1)
    expect(stats.get(`${path}.bucket.total_hits`)).toBe(6)
    const { descriptors } = await explain(request, context)
    expect(descriptors[0]?.status).toMatchObject({ code: 'OVER_LIMIT', currentLimit: { name: 'hourly' } })
    expect(descriptors[0]?.status.limits).toHaveLength(3)
  })

  it('charges what is admitted only, where a rule says so', async () => {
    const rules = compileShop(
      '  - key: api',
      '    rate_limit: {unit: minute, requests_per_unit: 3, sluice: {charge: admitted}}',
    )
    const { context } = worldOfSeveral({})
    const ask = async (hitsAddend: number) =>
      (await shouldRateLimit({ ...request, hitsAddend }, { ...context, rules })).statuses[0]
    expect(await ask(2)).toMatchObject({ code: 'OK', limitRemaining: 1 })
    expect(await ask(2)).toMatchObject({ code: 'OVER_LIMIT', limitRemaining: 0 })
    expect(await ask(1)).toMatchObject({ code: 'OK', limitRemaining: 0 })
    expect(await ask(1)).toMatchObject({ code: 'OVER_LIMIT' })
  })
})
