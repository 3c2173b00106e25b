/** The statistics of an isolate: each delta reaches the object once, however often a batch is lost. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { domainNotFoundName } from '#ratelimit/statistics/names.ts'
import { foldedName } from '#ratelimit/statistics/sum.ts'

/** The longest name that is kept, in characters. */
const longestName = 1_024

const pushes = { USE_STATSD: false, USE_DOG_STATSD: false, STATS_FLUSH_INTERVAL: 5_000 }
const options = { ...pushes, DISABLE_STATS: false, STATS_MAX_NAMES: 50 }

/** An object as StatsObject is: it adds a batch of a sender once. */
function statsObjects() {
  const objects = new Map<string, Map<string, number>>()
  const batches = new Map<string, number>()
  const state = { calls: 0, losesAnswers: false, isAway: false, maxNames: [] as number[], hold: async () => {} }
  const getByName = (name: string) => {
    const sums = objects.get(name) ?? new Map<string, number>()
    objects.set(name, sums)
    return {
      async add(sender: string, batch: number, deltas: readonly { name: string; delta: number }[], most: number) {
        state.calls += 1
        state.maxNames.push(most)
        await state.hold()
        if (state.isAway) throw new Error('the object is away')
        if (batch > (batches.get(sender) ?? 0)) {
          for (const { name, delta } of deltas) sums.set(name, (sums.get(name) ?? 0) + delta)
          batches.set(sender, batch)
        }
        if (state.losesAnswers) throw new Error('the answer was lost')
      },
      read: async () => [...sums].map(([name, value]) => ({ name, value })),
    }
  }
  // Nothing else of the environment is read, but for a logger that writes nothing.
  const env = { STATS: { getByName }, LOG_LEVEL: 'fatal' } as unknown as RatelimitEnv
  return { env, state, objects }
}

/** A request's context; `flushed` waits for what it was left to do. */
function context() {
  const works: Promise<unknown>[] = []
  const ctx = { waitUntil: (work: Promise<unknown>) => void works.push(work) }
  // Nothing else of the context is used.
  return { ctx: ctx as unknown as ExecutionContext, works, flushed: () => Promise.all(works) }
}

let adapters: typeof import('#workers/ratelimit/adapters/stat-sink.ts')
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
beforeEach(async () => {
  // An isolate keeps its counts for its life; each test has a new one.
  vi.resetModules()
  vi.stubGlobal('scheduler', { wait: async () => {} })
  adapters = await import('#workers/ratelimit/adapters/stat-sink.ts')
})

describe('statSink()', () => {
  it('hands over the sums of many requests in one batch, which one of them carries', async () => {
    const { env, state } = statsObjects()
    const first = context()
    const second = context()
    adapters.statSink(env, first.ctx, options).record([{ name: 'a', delta: 1 }])
    adapters.statSink(env, second.ctx, options).record([
      { name: 'a', delta: 2 },
      { name: 'b', delta: 5 },
    ])
    expect([first.works.length, second.works.length]).toEqual([1, 0])
    await first.flushed()
    expect([state.calls, state.maxNames]).toEqual([1, [50]])
    expect(await adapters.readStats(env, options)).toEqual([
      { name: 'a', value: 3 },
      { name: 'b', value: 5 },
    ])
  })

  it.each([
    [{}, 20_000],
    [{ USE_STATSD: true }, 5_000],
    [{ USE_DOG_STATSD: true, STATS_FLUSH_INTERVAL: 10 }, 1_000],
    [{ USE_STATSD: true, STATS_FLUSH_INTERVAL: 60_000 }, 20_000],
  ])('waits with %o for %i ms, where statistics are pushed no longer than a push', (settings, milliseconds) => {
    const { env } = statsObjects()
    const wait = vi.fn(() => new Promise(() => {}))
    vi.stubGlobal('scheduler', { wait })
    adapters.statSink(env, context().ctx, { ...options, ...settings }).record([{ name: 'a', delta: 1 }])
    expect(wait).toHaveBeenCalledWith(milliseconds)
  })

  it('records nothing when statistics are off, and nothing of an empty list', () => {
    const { env } = statsObjects()
    const { ctx, works } = context()
    adapters.statSink(env, ctx, { ...options, DISABLE_STATS: true }).record([{ name: 'a', delta: 1 }])
    adapters.statSink(env, ctx, options).record([])
    expect(works).toEqual([])
  })

  it('counts names beyond 10 000 that wait under one name', async () => {
    const { env } = statsObjects()
    const { ctx, flushed } = context()
    const deltas = Array.from({ length: 10_004 }, (_, at) => ({ name: `n${at}`, delta: 7 }))
    adapters.statSink(env, ctx, options).record([...deltas, { name: 'n0', delta: 7 }])
    await flushed()
    const sums = new Map((await adapters.readStats(env, options)).map(({ name, value }) => [name, value]))
    expect([sums.size, sums.get('n0'), sums.get(foldedName)]).toEqual([10_001, 14, 4])
  })

  it('keeps the names of rules while callers name very many domains that no rule has', async () => {
    const { env } = statsObjects()
    const { ctx, flushed } = context()
    const sink = adapters.statSink(env, ctx, options)
    const strangers = Array.from({ length: 10_004 }, (_, at) => ({ name: domainNotFoundName(`d${at}`), delta: 7 }))
    const rules = Array.from({ length: 10_000 }, (_, at) => ({ name: `n${at}`, delta: 7 }))
    sink.record([...strangers, ...strangers.slice(0, 1)])
    sink.record(rules)
    await flushed()
    const sums = new Map((await adapters.readStats(env, options)).map(({ name, value }) => [name, value]))
    expect([sums.get('n0'), sums.get('n9999')]).toEqual([7, 7])
    expect([sums.size, sums.get(domainNotFoundName('d0')), sums.get(foldedName)]).toEqual([11_001, 14, 9_004])
  })
})

describe('statSink(), a name of values', () => {
  it('is counted under one name when it is too long, so that a batch can always travel', async () => {
    const { env } = statsObjects()
    const { ctx, flushed } = context()
    const names = ['n'.repeat(longestName), 'n'.repeat(longestName + 1), 'm'.repeat(8_192)]
    adapters.statSink(env, ctx, options).record(names.map((name) => ({ name, delta: 7 })))
    await flushed()
    const sums = new Map((await adapters.readStats(env, options)).map(({ name, value }) => [name, value]))
    expect([sums.size, sums.get('n'.repeat(longestName)), sums.get(foldedName)]).toEqual([2, 7, 2])
  })
})

describe('readStats()', () => {
  it('has what all isolates reported to the one object and this one counted a moment ago, in order of names', async () => {
    const { env, objects } = statsObjects()
    await adapters.readStats(env, options)
    expect([...objects.keys()]).toEqual(['stats:0'])
    objects.get('stats:0')?.set('c', 2).set('b', 1)
    const { ctx } = context()
    vi.stubGlobal('scheduler', { wait: () => new Promise(() => {}) })
    adapters.statSink(env, ctx, options).record([{ name: 'a', delta: 3 }])
    expect(await adapters.readStats(env, options)).toEqual([
      { name: 'a', value: 3 },
      { name: 'b', value: 1 },
      { name: 'c', value: 2 },
    ])
  })

  it('sends a batch again under its number until it is taken, and later counts after it', async () => {
    const { env, state } = statsObjects()
    const { ctx, flushed } = context()
    const sink = adapters.statSink(env, ctx, options)
    sink.record([{ name: 'a', delta: 1 }])
    state.losesAnswers = true
    await flushed()
    await adapters.readStats(env, options)
    sink.record([{ name: 'a', delta: 10 }])
    state.losesAnswers = false
    expect(await adapters.readStats(env, options)).toEqual([{ name: 'a', value: 11 }])
  })

  it('keeps a batch that failed while another reader was still waiting for the one before', async () => {
    const { env, state } = statsObjects()
    const { ctx } = context()
    vi.stubGlobal('scheduler', { wait: () => new Promise(() => {}) })
    const held: ((isAway: boolean) => void)[] = []
    state.hold = () =>
      new Promise((resolve, reject) => {
        held.push((isAway) => (isAway ? reject(new Error('the object is away')) : resolve()))
      })
    const sink = adapters.statSink(env, ctx, options)
    sink.record([{ name: 'a', delta: 1 }])
    const readers = [adapters.readStats(env, options), adapters.readStats(env, options)]
    sink.record([{ name: 'b', delta: 5 }])
    held[0]?.(false)
    await expect.poll(() => held.length).toBe(3)
    held[1]?.(false)
    await expect.poll(() => held.length).toBe(4)
    held[2]?.(true)
    held[3]?.(true)
    await Promise.all(readers)
    state.hold = async () => {}
    expect(await adapters.readStats(env, options)).toEqual([
      { name: 'a', value: 1 },
      { name: 'b', value: 5 },
    ])
  })

  it('gives the other sums when this isolate cannot hand its own over, and keeps them', async () => {
    const { env, state } = statsObjects()
    const { ctx } = context()
    adapters.statSink(env, ctx, options).record([{ name: 'a', delta: 1 }])
    state.isAway = true
    expect(await adapters.readStats(env, options)).toEqual([])
    state.isAway = false
    expect(await adapters.readStats(env, options)).toEqual([{ name: 'a', value: 1 }])
  })
})
