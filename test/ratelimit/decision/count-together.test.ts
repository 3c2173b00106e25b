/** All or nothing over several counters: a model over random requests, in which calls of the second phase are lost. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { createMemoryStore } from '#limiter/memory-store.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { CounterHit, CounterStore } from '#ratelimit/ports.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { compileShop } from '../../support/compile-rules.ts'
import { sweep } from '../../support/sweep.ts'

const together = '{charge: all_or_nothing}'
const limits = { a: 6, b: 4, c: 9 } as const
type Key = keyof typeof limits
const keys = Object.keys(limits) as readonly Key[]
const rules = compileShop(
  ...keys.flatMap((key) => [
    `  - {key: ${key}, rate_limit: {unit: year, requests_per_unit: ${limits[key]}, sluice: ${together}}}`,
  ]),
  '  - {key: plain, rate_limit: {unit: year, requests_per_unit: 3}}',
  '  - {key: reserving, rate_limit: {unit: month, requests_per_unit: 9, sluice: {unsettled: charged}}}',
  '  - {key: shadow, shadow_mode: true, rate_limit: {unit: year, requests_per_unit: 1}}',
  `  - {key: month, rate_limit: {unit: month, requests_per_unit: 2, sluice: {charge: all_or_nothing, algorithm: calendar}}}`,
)

const entry = (key: string, value: string) => ({ key, value })

/** The service over counters in memory: those that one call takes, or those between which and it calls are lost. */
function createWorld(isOneCall = false) {
  let [nowMs, requests] = [1_700_000_000_000, 0]
  const counters = createMemoryStore(() => nowMs)
  let calls = 0
  /** The number of hits of the next settling call that arrive before it is lost; Infinity for all. */
  let arriving = Number.POSITIVE_INFINITY
  const lossy: CounterStore = {
    peek: (hits) => counters.peek(hits),
    isOneCall: () => isOneCall,
    async hit(hits) {
      calls += 1
      const isSecondPhase = hits.some(({ step }) => step?.action === 'settle')
      if (!isSecondPhase || arriving >= hits.length) return counters.hit(hits)
      await counters.hit(hits.slice(0, arriving))
      throw new RatelimitError('counter_unavailable', 'Cannot count: the call was lost')
    },
  }
  const context = {
    ...{ rules, settings: readSettings({}), counters: lossy, overLimitCache: null },
    stats: { record: () => {} },
    drawId: () => `request ${requests++}`,
  }
  return {
    /** Decides hits by key; 'failed' where the second phase was lost. */
    async ask(hits: Readonly<Record<string, number>>, lostAfter = Number.POSITIVE_INFINITY, reservation = '') {
      arriving = lostAfter
      const named = (key: string) => (key === 'reserving' ? [{ key: 'sluice.reserve', value: reservation }] : [])
      const descriptors = Object.entries(hits).map(([key, addend]) => ({
        entries: [{ key, value: 'v' }, ...named(key)],
        hitsAddend: BigInt(addend),
      }))
      try {
        const request = { domain: 'shop', descriptors, hitsAddend: 0 }
        return (await shouldRateLimit(request, { ...context, nowMs })).overallCode
      } catch {
        return 'failed'
      }
    },
    calls: () => calls,
    async settleReserving(id: string) {
      const entries = [entry('reserving', 'v'), entry('sluice.settle', id)]
      const request = { domain: 'shop', descriptors: [{ entries, hitsAddend: 2n }], hitsAddend: 0 }
      return (await shouldRateLimit(request, { ...context, nowMs })).overallCode
    },
    passSeconds(seconds: number) {
      nowMs += seconds * 1_000
    },
    async counted(key: string) {
      const suffix = key in limits ? '\nfixed 31536000 all_or_nothing' : '_'
      const look: CounterHit = {
        key: `shop_${key}_v${suffix === '_' ? '_' : `_${suffix}`}`,
        unit: 'YEAR',
        addend: 0,
        limit: 9,
      }
      return (await counters.peek([look]))[0]?.after
    },
  }
}

function drawHits(random: Random): Partial<Record<Key, number>> {
  const chosen = keys.filter(() => random.uniform() < 0.7)
  return Object.fromEntries((chosen.length === 0 ? keys : chosen).map((key) => [key, random.integer(1, 3)]))
}

/** Hits of plain limits too, some of which refuse no request. */
function drawMixed(random: Random): Readonly<Record<string, number>> {
  const others = ['plain', 'shadow', 'month']
    .filter(() => random.uniform() < 0.3)
    .map((key) => [key, random.integer(0, 2)])
  return { ...Object.fromEntries(others), ...drawHits(random) }
}

describe('countTogether()', () => {
  it('decides and counts in one call, where one takes all counters, as in two phases', async () => {
    for (let seed = 0; seed < sweep(50_000, 100); seed++) {
      const random = createRandom(seed, 'one call')
      const [one, two] = [createWorld(true), createWorld()]
      for (let turn = 1; turn <= 12; turn++) {
        const hits = drawMixed(random)
        expect({ seed, turn, code: await one.ask(hits) }).toEqual({ seed, turn, code: await two.ask(hits) })
        for (const key of [...keys, 'plain', 'shadow'])
          expect({ seed, turn, key, hits: await one.counted(key) }).toEqual({
            seed,
            turn,
            key,
            hits: await two.counted(key),
          })
        expect(one.calls()).toBe(turn)
      }
    }
  })

  it('admits a request where each counter has room, and counts nothing of another one', async () => {
    for (let seed = 0; seed < sweep(50_000, 100); seed++) {
      const random = createRandom(seed, 'together')
      const { ask, counted } = createWorld()
      const model: Record<Key, number> = { a: 0, b: 0, c: 0 }
      for (let turn = 0; turn < 12; turn++) {
        const hits = drawHits(random)
        const fits = keys.every((key) => model[key] + (hits[key] ?? 0) <= limits[key])
        expect({ seed, turn, code: await ask(hits) }).toEqual({ seed, turn, code: fits ? 'OK' : 'OVER_LIMIT' })
        if (fits) for (const key of keys) model[key] += hits[key] ?? 0
        for (const key of keys) expect({ seed, key, hits: await counted(key) }).toEqual({ seed, key, hits: model[key] })
      }
    }
  })

  it('never admits above a limit while calls are lost, and gives back what was held, ten seconds later', async () => {
    for (let seed = 0; seed < sweep(50_000, 100); seed++) {
      const random = createRandom(seed, 'lost together')
      const { ask, counted, passSeconds } = createWorld()
      const admitted: Record<Key, number> = { a: 0, b: 0, c: 0 }
      const kept: Record<Key, number> = { a: 0, b: 0, c: 0 }
      for (let turn = 0; turn < 12; turn++) {
        const hits = drawHits(random)
        const [lostAfter, asked] = [random.integer(0, 4), Object.keys(hits) as readonly Key[]]
        const code = await ask(hits, lostAfter)
        for (const [at, key] of asked.entries()) {
          if (code === 'OK') admitted[key] += hits[key] ?? 0
          // A counter that was told to keep has kept, though the request was not admitted.
          if (code === 'OK' || (code === 'failed' && at < lostAfter)) kept[key] += hits[key] ?? 0
        }
        passSeconds(random.integer(0, 4))
      }
      passSeconds(11)
      for (const key of keys) {
        expect(admitted[key]).toBeLessThanOrEqual(limits[key])
        expect({ seed, key, hits: await counted(key) }).toEqual({ seed, key, hits: kept[key] })
      }
    }
  })

  it.each([true, false])('counts the other hits of a refused request, in one call: %s', async (isOneCall) => {
    const { ask, counted } = createWorld(isOneCall)
    expect(await ask({ a: 7, plain: 1 })).toBe('OVER_LIMIT')
    expect([await counted('a'), await counted('plain')]).toEqual([0, 1])
    expect(await ask({ a: 1, plain: 3 })).toBe('OVER_LIMIT')
    expect([await counted('a'), await counted('plain')]).toEqual([0, 4])
  })

  it.each([true, false])('leaves a reservation in the same request open, in one call: %s', async (isOneCall) => {
    const { ask, settleReserving } = createWorld(isOneCall)
    expect(await ask({ a: 1, reserving: 4 }, Number.POSITIVE_INFINITY, 'call-1')).toBe('OK')
    expect(await settleReserving('call-1')).toBe('OK')
  })

  it('counts where a limit that is over only shadows, because the request passes', async () => {
    const { ask, counted } = createWorld()
    expect(await ask({ a: 1, shadow: 2 })).toBe('OK')
    expect(await ask({ a: 1, shadow: 1 })).toBe('OK')
    expect([await counted('a'), await counted('shadow')]).toEqual([2, 3])
  })

  it('counts one descriptor by itself as charge: admitted does, by the calendar too', async () => {
    const { ask } = createWorld()
    expect([await ask({ month: 1 }), await ask({ month: 2 }), await ask({ month: 1 })]).toEqual([
      'OK',
      'OVER_LIMIT',
      'OK',
    ])
    expect(await ask({ month: 1, a: 1 })).toBe('OVER_LIMIT')
  })
})
