/** The store in front of the counters: what leases cover stays here, and all else is counted once and in order. */

import { describe, expect, it } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'
import { createHeldLeases } from '#ratelimit/lease/held-leases.ts'
import type { LeaseHolder } from '#ratelimit/lease/holder.ts'
import { type Draw, readQuestion, type WireDraw } from '#ratelimit/lease/lease.ts'
import { leaseStore } from '#ratelimit/lease/store.ts'
import type { CounterHit, CounterStore, StatDelta } from '#ratelimit/ports.ts'
import { leaseStats } from '#ratelimit/statistics/names.ts'
import { units } from '#ratelimit/window.ts'

const hit = (key: string, more: Partial<CounterHit> = {}): CounterHit => ({
  key,
  unit: 'DAY',
  addend: 1,
  limit: 100,
  isLeased: true,
  ...more,
})

/** A draw that counts: the number in the key, with a lease of 5. */
const drawOf = ([key]: WireDraw, outstanding = 0): Draw => ({
  after: Number(key.slice(1)) + 5,
  windowStart: 0,
  millisecondsUntilReset: 1_500,
  granted: 5,
  outstanding,
  faults: 0,
})

/** A holder whose leases cover fewer than 9 hits on keys that begin with c; objects are the first letters of keys. */
function setUp(options: { fallsBack?: boolean; fails?: boolean; tooFew?: boolean; outstanding?: number } = {}) {
  const calls = { sent: [] as string[], plain: [] as string[], asked: [] as string[], scheduled: 0 }
  const stats: StatDelta[] = []
  const wanted: number[] = []
  const holder = {
    held: createHeldLeases(1),
    admit: ({ key, addend }: CounterHit) =>
      key.startsWith('c') && addend < 9
        ? { after: 7, secondsUntilReset: 9, askWithinMs: key === 'c2' ? 30 : null }
        : null,
    ask: ({ key, unit, addend, limit }: CounterHit) => [key, units.indexOf(unit), addend, limit, 5, 0, []],
    source: {
      objectOf: (key: string) => key.slice(0, 1),
      canCount: (key: string) => !key.startsWith('n'),
      fallsBack: options.fallsBack ?? false,
    },
    async send(object: string, draws: readonly WireDraw[]) {
      calls.sent.push(`${object}: ${draws.map(([key]) => key).join(' ')}`)
      wanted.push(...draws.map((draw) => readQuestion(draw).wanted))
      if (options.fails) throw new Error('the object is away')
      const answers = draws.map((draw) => drawOf(draw, options.outstanding))
      return options.tooFew ? answers.slice(1) : answers
    },
    askWithin: ({ key }: CounterHit, milliseconds: number) => calls.asked.push(`${key} ${milliseconds}`),
    scheduleReturns: () => {
      calls.scheduled += 1
    },
  } as unknown as LeaseHolder // Every member that the store uses is there.
  const answer = async (hits: readonly CounterHit[]) => {
    calls.plain.push(hits.map(({ key }) => key).join(' '))
    return hits.map(({ key }) => ({ after: Number(key.slice(1)), secondsUntilReset: 60 }))
  }
  const plain: CounterStore = { hit: answer, peek: answer }
  const record = (deltas: readonly StatDelta[]) => void stats.push(...deltas)
  const call = { now: () => 0, later: () => {}, within: <T>(answer: Promise<T>) => answer, stats: { record } }
  return { wanted, calls, stats, store: leaseStore(plain, holder, call) }
}

describe('leaseStore().hit()', () => {
  it('answers what leases cover without a call, and asks for more where a lease runs low', async () => {
    const { store, calls, stats } = setUp()
    const answers = await store.hit([hit('c1'), hit('c2', { addend: 3 })])
    expect(answers).toMatchObject([{ after: 7 }, { after: 7 }])
    expect(calls).toEqual({ sent: [], plain: [], asked: ['c2 30'], scheduled: 1 })
    expect(stats).toEqual([{ name: leaseStats.admitted, delta: 4 }])
  })

  it('asks the counters for the wait of what may be blocked, which a draw does not tell', async () => {
    const { store, calls } = setUp()
    const raised = `a${2 ** 40}`
    const answers = await store.hit([hit('a1'), hit(raised)])
    expect(answers.map(({ secondsUntilReset }) => secondsUntilReset)).toEqual([2, 60])
    expect(calls.plain).toEqual([raised])
  })

  it('asks each object once for what is left, and gives the answers in the order of the hits', async () => {
    const { store, calls, stats } = setUp()
    const plain = hit('p4', { isLeased: false })
    const answers = await store.hit([hit('x1'), hit('c2'), plain, hit('y3'), hit('x5'), hit('n6')])
    expect(answers.map(({ after }) => after)).toEqual([1, 7, 4, 3, 5, 6])
    expect(calls.sent.sort()).toEqual(['x: x1 x5', 'y: y3'])
    expect(calls.plain).toEqual(['p4 n6'])
    expect(stats).toEqual([{ name: leaseStats.admitted, delta: 1 }])
  })

  it('leaves hits that are not leased, look only, give back or have no limit to the store', async () => {
    const { store, calls } = setUp()
    const plain = [
      hit('a1', { isLeased: false }),
      hit('a2', { addend: 0 }),
      hit('a3', { isRefund: true }),
      { key: 'a4', unit: 'DAY', addend: 1, isLeased: true } as const,
    ]
    await store.hit(plain)
    expect(calls).toEqual({ sent: [], plain: ['a1 a2 a3 a4'], asked: [], scheduled: 0 })
  })

  it('rounds the time up to seconds, and marks what may come back of leases', async () => {
    expect(await setUp().store.hit([hit('x1')])).toEqual([{ after: 1, secondsUntilReset: 2 }])
    expect(await setUp({ outstanding: 5 }).store.hit([hit('x1')])).toEqual([
      { after: 1, secondsUntilReset: 2, isProvisional: true },
    ])
  })

  it('fails when the counters do, and falls back to the store where the back end fails open', async () => {
    const { store, calls } = setUp({ fails: true })
    const failure = await store.hit([hit('x1'), hit('p2', { isLeased: false })]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RatelimitError)
    expect(failure).toMatchObject({ code: 'counter_unavailable', message: 'Cannot count: the object is away' })
    expect(calls.plain).toEqual(['p2'])
    const open = setUp({ fails: true, fallsBack: true })
    expect(await open.store.hit([hit('x1')])).toEqual([{ after: 1, secondsUntilReset: 60 }])
  })

  it('fails when an object answers fewer questions than it was asked', async () => {
    const { store } = setUp({ tooFew: true })
    await expect(store.hit([hit('x1'), hit('x2'), hit('p2', { isLeased: false })])).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'Cannot count: the store answered 1 counters, expected 2',
    })
  })
})

describe('leaseStore().hit(), one counter several times', () => {
  it('counts behind a hit that asks in the order of the request, and asks for a lease with the last of them', async () => {
    const { store, calls, wanted } = setUp()
    await store.hit([hit('c1'), hit('c1', { addend: 9 }), hit('c2'), hit('c1')])
    expect(calls.sent).toEqual(['c: c1 c1'])
    expect(wanted).toEqual([0, 5])
  })
})

describe('leaseStore().peek()', () => {
  it('reads the counters, leases included', async () => {
    const { store, calls } = setUp()
    expect(await store.peek([hit('c1')])).toEqual([{ after: 1, secondsUntilReset: 60 }])
    expect(calls.plain).toEqual(['c1'])
  })
})
