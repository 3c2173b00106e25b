/** Explanations: every outcome, the counters before the request, and the answer that it would get. */

import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#limiter/memory-store.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { explain } from '#ratelimit/explain.ts'
import type { CounterStore } from '#ratelimit/ports.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'
import { compileShop, named } from '../support/compile-rules.ts'
import { createMemoryCounterStore, type MemoryCounterStore } from '../support/memory-counter-store.ts'

const rules = compileShop(
  '  - key: small',
  '    rate_limit: {unit: minute, requests_per_unit: 2, name: small}',
  '  - key: big',
  '    rate_limit: {unit: minute, requests_per_unit: 10}',
  '  - key: free',
  '    rate_limit: {unlimited: true}',
  '  - key: instead',
  '    rate_limit: {unit: minute, requests_per_unit: 5, replaces: [{name: small}]}',
  '  - key: whole',
  '    rate_limit: {unit: minute, requests_per_unit: 5, sluice: {charge: all_or_nothing}}',
  '  - key: tight',
  '    rate_limit: {unit: minute, requests_per_unit: 2, sluice: {charge: all_or_nothing}}',
  '  - {key: path, value: "/a*"}',
  '  - key: path',
  '    value: "/b*"',
  '    descriptors:',
  '      - key: user',
  '        rate_limit: {unit: minute, requests_per_unit: 5}',
)

const backEnds = {
  redis: { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: 'localhost:6379' },
  memcache: { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: 'localhost:11211' },
}

function inMemory(): MemoryCounterStore {
  return createMemoryCounterStore({ now: () => 1_234 })
}

function worldOf<Store extends CounterStore = MemoryCounterStore>(
  environment: Record<string, string> = {},
  // Without a store it is one in memory.
  store: Store = inMemory() as CounterStore as Store,
) {
  const context: DecisionContext = {
    rules,
    settings: readSettings(environment),
    counters: store,
    overLimitCache: null,
    drawId: () => 'id',
    stats: { record: () => {} },
    nowMs: 1_234_000,
  }
  const requestOf = (descriptors: readonly Descriptor[]): RateLimitRequest => ({
    domain: 'shop',
    descriptors,
    hitsAddend: 0,
  })
  return {
    store,
    context,
    ask: (...descriptors: readonly Descriptor[]) => shouldRateLimit(requestOf(descriptors), context),
    explained: (...descriptors: readonly Descriptor[]) => explain(requestOf(descriptors), context),
  }
}

describe('explain()', () => {
  it.each([
    ['no rule matches', [named('none')], null],
    ['limit of the last rule', [named('small')], 'shop.small'],
    ['unlimited', [named('free')], 'shop.free'],
    ['replaced', [named('small'), named('instead')], null],
    ['limit in the request', [named('none', { limit: { requestsPerUnit: 1, unit: 'DAY' } })], 'shop.none_v'],
  ] as const)('says "%s"', async (outcome, descriptors, rule) => {
    const { descriptors: explained } = await worldOf().explained(...descriptors)
    expect(explained[0]).toMatchObject({ outcome, rule })
  })

  it('answers "unknown domain" and shows no level of it', async () => {
    const request = { domain: 'unknown', descriptors: [named('small')], hitsAddend: 0 }
    const { descriptors, response } = await explain(request, worldOf().context)
    expect(descriptors).toMatchObject([{ outcome: 'unknown domain', levels: [], counter: null }])
    expect(response.overallCode).toBe('OK')
  })

  it('shows no level for a limit in the request, which does not look at the tree', async () => {
    const { descriptors } = await worldOf().explained(named('small', { limit: { requestsPerUnit: 1, unit: 'DAY' } }))
    expect(descriptors[0]?.levels).toEqual([])
  })

  it('shows every rule tried, up to the level at which the walk ends', async () => {
    const path = (value: string) => ({ key: 'path', value })
    const user = { key: 'user', value: 'ann' }
    const trialsOf = async (...entries: Descriptor['entries']) =>
      (await worldOf().explained({ entries })).descriptors[0]?.levels.map(({ trials }) =>
        trials.map(({ kind, pattern, isTaken }) => `${kind} ${pattern}${isTaken ? ' taken' : ''}`),
      )
    expect(await trialsOf(path('/bx'), user)).toEqual([
      ['exact path_/bx', 'wildcard path_/a*', 'wildcard path_/b* taken'],
      ['exact user_ann', 'bare user taken'],
    ])
    expect(await trialsOf(path('/c'), user)).toEqual([
      ['exact path_/c', 'wildcard path_/a*', 'wildcard path_/b*', 'bare path'],
    ])
    expect(await trialsOf(path('/ax'), user)).toEqual([['exact path_/ax', 'wildcard path_/a* taken']])
    expect(await trialsOf({ key: 'path', value: '/a*' })).toEqual([['exact path_/a* taken']])
  })

  it('shows the counter before the request, and the status after it', async () => {
    const { ask, explained } = worldOf()
    await ask(named('small'))
    expect((await explained(named('small'))).descriptors[0]).toMatchObject({
      counter: { key: 'shop_small_v_', hits: 1, secondsUntilReset: 26, addend: 1 },
      status: { code: 'OK', limitRemaining: 0 },
    })
  })

  it('lets the second of two equal descriptors see what the first would add', async () => {
    const { descriptors } = await worldOf().explained(
      named('small', { hitsAddend: 2n }),
      named('small', { hitsAddend: 1n, isNegativeHits: true }),
      named('small'),
      named('small'),
    )
    expect(descriptors.map(({ counter }) => [counter?.hits, counter?.addend])).toEqual([
      [0, 2],
      [2, -1],
      [1, 1],
      [2, 1],
    ])
    expect(descriptors.map(({ status }) => status.code)).toEqual(['OK', 'OK', 'OK', 'OVER_LIMIT'])
  })

  it.each([{}, { STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true' }])(
    'counts nothing and foretells the answer with the settings %j',
    async (environment) => {
      const { ask, explained, store } = worldOf(environment)
      const asked = [named('small', { hitsAddend: 2n }), named('big'), named('none'), named('free')]
      for (let turn = 0; turn < 3; turn++) {
        const dump = store.dump()
        const { response } = await explained(...asked)
        expect(store.dump()).toEqual(dump)
        expect(response).toEqual(await ask(...asked))
      }
    },
  )

  it.each([
    ['redis', [named('small'), named('small')]],
    ['redis', [named('small', { hitsAddend: 3n }), named('big'), named('big')]],
    ['memcache', [named('small', { hitsAddend: 3n }), named('big'), named('small')]],
  ] as const)('foretells what %s leaves uncounted where a request is refused', async (backend, asked) => {
    const flavour = backend === 'memcache' ? 'memcached' : 'redis'
    const { ask, explained } = worldOf(
      { STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true', ...backEnds[backend] },
      createMemoryCounterStore({ now: () => 1_234, flavour }),
    )
    await ask(named('small'))
    const { response } = await explained(...asked)
    expect(response).toEqual(await ask(...asked))
  })

  it('foretells limits that count all or nothing', async () => {
    const { ask, explained } = worldOf(
      {},
      createMemoryStore(() => 1_234_000),
    )
    const asked = [named('whole'), named('tight', { hitsAddend: 2n }), named('big')]
    for (let turn = 0; turn < 2; turn++) {
      const { response } = await explained(...asked)
      expect(response).toEqual(await ask(...asked))
    }
  })

  it.each([
    ['empty_domain', { domain: '', descriptors: [named('small')], hitsAddend: 0 }],
    ['no_descriptors', { domain: 'shop', descriptors: [], hitsAddend: 0 }],
  ])('throws %s as a decision does', async (code, request) => {
    await expect(explain(request, worldOf().context)).rejects.toMatchObject({ code })
  })

  it('throws counter_unavailable when the store fails, under every failure policy', async () => {
    const { explained, store } = worldOf({ FAILURE_POLICY: 'open' })
    store.fail('down')
    await expect(explained(named('small'))).rejects.toMatchObject({ code: 'counter_unavailable' })
  })
})
