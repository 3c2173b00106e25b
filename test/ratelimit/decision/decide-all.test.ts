/** The descriptors of one request decided together: cache, counters, failure policy. */

import { describe, expect, it } from 'vitest'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { decideAll } from '#ratelimit/decision/decide-all.ts'
import { listDescriptorHits } from '#ratelimit/descriptor-hit.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { matchAll } from '#ratelimit/match.ts'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'
import type { CounterHit, Hits, StatDelta } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'
import { compileShop, enoughWork, named } from '../../support/compile-rules.ts'

const rules = compileShop(
  '  - key: small',
  '    rate_limit: {unit: minute, requests_per_unit: 2}',
  '  - key: big',
  '    rate_limit: {unit: minute, requests_per_unit: 10}',
  '  - key: dark',
  '    shadow_mode: true',
  '    rate_limit: {unit: minute, requests_per_unit: 2}',
  ...[
    ['several', '{unit_multiplier: 3}'],
    ['calendar', '{algorithm: calendar}'],
    ['spared', '{charge: admitted, unit_multiplier: 3}'],
    ['sliding', '{algorithm: sliding}'],
    ['bucket', '{algorithm: token_bucket}'],
    ['reserving', '{unsettled: charged}'],
    ['double', '{limits: [{name: hourly, unit: hour, requests_per_unit: 1}]}'],
  ].map(([key, sluice]) => `  - {key: ${key}, rate_limit: {unit: day, requests_per_unit: 2, sluice: ${sluice}}}`),
)

const requestOf = (descriptors: readonly Descriptor[]): RateLimitRequest => ({
  domain: 'shop',
  descriptors,
  hitsAddend: 0,
})
const listHits = (request: RateLimitRequest) => listDescriptorHits(matchAll(rules, request, '', enoughWork()), request)

/** Answers of counters by the descriptor's key; an error fails the whole call. */
type Answers = Readonly<Record<string, Partial<Hits>>> | Error

/** Decides descriptors of the domain `shop` with a store that gives these answers. */
function world(answers: Answers, environment: Record<string, string> = {}) {
  const cache = createOverLimitCache(10_000)
  const asked: string[][] = []
  const recorded: StatDelta[] = []
  const answer = ({ key }: CounterHit): Hits => ({
    after: 1,
    secondsUntilReset: 20,
    ...(answers instanceof Error ? {} : answers[key.split('_')[1] ?? '']),
  })
  const context: DecisionContext = {
    rules,
    settings: readSettings(environment),
    counters: {
      hit: async (hits) => {
        asked.push(hits.map(({ key }) => key.split('_')[1] ?? ''))
        if (answers instanceof Error) throw answers
        return hits.map(answer)
      },
      peek: async (hits) => hits.map(answer),
    },
    overLimitCache: cache,
    drawId: () => 'id',
    stats: { record: (deltas) => void recorded.push(...deltas) },
    nowMs: 1_230_000,
  }
  const decideOnce = (descriptors: readonly Descriptor[], stats: StatDelta[] = []) => {
    const request = requestOf(descriptors)
    return decideAll(request, listHits(request), context, stats)
  }
  const decide = async (...descriptors: readonly Descriptor[]) => {
    const stats: StatDelta[] = []
    const { decisions, degraded } = await decideOnce(descriptors, stats)
    const statuses = decisions.map((decision) => decision?.status)
    const changes = stats.map(({ name, delta }) => [name.split('.').slice(-2).join('.'), delta])
    return {
      ...{ decisions, degraded, statuses, codes: statuses.map((status) => status?.code) },
      isOver: decisions.map((decision) => decision?.isOver),
      stats: Object.fromEntries(changes),
    }
  }
  return { decide, decideOnce, asked, recorded, cache }
}

const codeAndMessage = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof RatelimitError ? [error.code, error.message] : error
}

describe('decideAll()', () => {
  it('asks nothing where no descriptor has a counter', async () => {
    const { decide, asked } = world({})
    expect(await decide(named('none'))).toMatchObject({ decisions: [], degraded: null })
    expect(asked).toEqual([])
  })

  it('puts each status at the place of its descriptor, with holes where there is no counter', async () => {
    const { decide, asked } = world({ small: { after: 3 }, dark: { after: 3 }, big: { after: 4 } })
    const { codes, isOver, stats } = await decide(named('none'), named('small'), named('dark'), named('big'))
    expect(codes).toEqual([undefined, 'OVER_LIMIT', 'OK', 'OK'])
    expect(isOver).toEqual([undefined, true, true, false])
    expect(stats).toEqual({ 'small.over_limit': 1, 'dark.over_limit': 1, 'dark.shadow_mode': 1, 'big.within_limit': 1 })
    expect(asked).toEqual([['small', 'dark', 'big']])
  })

  it('remembers a counter that is over, and does not ask for it again', async () => {
    const { decide, asked } = world({ small: { after: 3 } })
    await decide(named('small'))
    const { statuses, stats } = await decide(named('small'), named('big'))
    expect(statuses[0]).toMatchObject({ code: 'OVER_LIMIT', secondsUntilReset: 20 })
    expect(stats).toMatchObject({ 'small.over_limit': 1, 'small.over_limit_with_local_cache': 1 })
    expect(asked).toEqual([['small'], ['big']])
  })

  it.each([
    ['that is not over', { after: 2 }],
    ['whose refusal may be taken back', { after: 3, isProvisional: true }],
  ])('does not remember a counter %s', async (_which, hits) => {
    const { decide, asked } = world({ small: hits })
    await decide(named('small'))
    await decide(named('small'))
    expect(asked).toEqual([['small'], ['small']])
  })

  it.each([
    ['several', true],
    ['calendar', true],
    ['spared', false],
    ['sliding', false],
    ['bucket', false],
    ['reserving', false],
  ])(
    'remembers a counter of an algorithm where every hit counts to the end of a window (%s): %s',
    async (key, isKept) => {
      const { decide, asked } = world({ [key]: { after: 3 } })
      await decide(named(key))
      await decide(named(key))
      expect(asked).toHaveLength(isKept ? 1 : 2)
    },
  )

  it('waits for a counter until the cache knows that it is over, and then for nothing', async () => {
    const { decideOnce } = world({ small: { after: 3 } })
    const first = decideOnce([named('small')])
    expect(first).toBeInstanceOf(Promise)
    const { decisions } = await first
    const second = decideOnce([named('small')])
    expect(second).not.toBeInstanceOf(Promise)
    expect(second).toMatchObject({ decisions: [{ status: decisions[0]?.status, isOver: true }], degraded: null })
  })

  it('asks for a counter that hits are given back to, and forgets that it was over', async () => {
    const { decide, asked } = world({ small: { after: 3 } })
    await decide(named('small'))
    const refund = await decide(named('small', { hitsAddend: 1n, isNegativeHits: true }))
    expect(refund.codes).toEqual(['OK'])
    await decide(named('small'))
    expect(asked).toEqual([['small'], ['small'], ['small']])
  })

  describe('when the store fails', () => {
    const down = new RatelimitError('counter_unavailable', 'Cannot count: down')

    it.each([
      ['in its own words', down, 'Cannot count: down'],
      [
        'in words that show no secret',
        new TypeError('redis://:password@host'),
        'Cannot count: the counter store failed',
      ],
    ])('throws counter_unavailable %s, with the statistics recorded', async (_how, error, message) => {
      const { decide, recorded } = world(error)
      expect(await codeAndMessage(decide(named('small')))).toEqual(['counter_unavailable', message])
      expect(recorded).toEqual([{ name: 'ratelimit.service.call.should_rate_limit.redis_error', delta: 1 }])
    })

    it.each([
      ['open', ['OK', 'OK', 'OK'], 'should_rate_limit.failed_open'],
      ['closed', ['OVER_LIMIT', 'OK', 'OK'], 'should_rate_limit.failed_closed'],
      ['error,shop=closed', ['OVER_LIMIT', 'OK', 'OK'], 'should_rate_limit.failed_closed'],
    ])('answers by FAILURE_POLICY=%s without numbers', async (policy, codes, counted) => {
      const { decide } = world(down, { FAILURE_POLICY: policy })
      const refund = named('big', { hitsAddend: 1n, isNegativeHits: true })
      const decided = await decide(named('small'), named('dark'), refund)
      expect(decided.codes).toEqual(codes)
      expect(decided.degraded).toBe(policy === 'open' ? 'open' : 'closed')
      expect(decided.isOver).toEqual([false, false, false])
      expect(decided.stats).toEqual({ 'should_rate_limit.redis_error': 1, [counted]: 1 })
      for (const status of decided.statuses) expect(status).not.toHaveProperty('currentLimit')
    })

    it('keeps what the over-limit cache has refused', async () => {
      const { decide, cache } = world(down, { FAILURE_POLICY: 'open' })
      cache.useRules(rules)
      cache.remember('shop_small_v_', 'MINUTE', 20, 1_230_000)
      const { codes, isOver, statuses } = await decide(named('small'), named('big'))
      expect(codes).toEqual(['OVER_LIMIT', 'OK'])
      expect(isOver).toEqual([true, false])
      expect(statuses[0]).toHaveProperty('currentLimit')
    })
  })

  describe('with a limit that is known to be over beside one that cannot be counted', () => {
    it.each(['open', 'closed'])('refuses the descriptor by FAILURE_POLICY=%s', async (policy) => {
      const { decide, cache } = world(new Error('no answer'), { FAILURE_POLICY: policy })
      cache.useRules(rules)
      for (const { hit } of listHits(requestOf([named('double')])))
        if (hit.unit === 'HOUR') cache.remember(hit.key, 'HOUR', 20, 1_230_000)
      const { statuses, isOver } = await decide(named('double'))
      expect(statuses).toMatchObject([{ code: 'OVER_LIMIT', currentLimit: { unit: 'HOUR' } }])
      expect(isOver).toEqual([true])
    })
  })

  describe('with a counter that could not be read', () => {
    const unread = { small: { after: 1, unread: 'memcached: i/o timeout' } }

    it('believes the store where no policy is set', async () => {
      expect((await world(unread).decide(named('small'))).codes).toEqual(['OK'])
    })

    it('decides that counter by the policy, and the others by their counters', async () => {
      const { decide } = world(unread, { FAILURE_POLICY: 'closed' })
      const { statuses, degraded } = await decide(named('small'), named('big'))
      expect(statuses).toMatchObject([
        { code: 'OVER_LIMIT', limitRemaining: 0 },
        { code: 'OK', limitRemaining: 9 },
      ])
      expect(degraded).toBe('closed')
    })

    it('throws why it could not be read under the policy error', async () => {
      const { decide } = world(unread, { FAILURE_POLICY: 'error' })
      expect(await codeAndMessage(decide(named('big'), named('small')))).toEqual([
        'counter_unavailable',
        'memcached: i/o timeout',
      ])
    })
  })
})
