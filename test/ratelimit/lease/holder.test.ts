/** Leases of an isolate: questions travel together, answers reach the leases, and nothing unused is kept. */

import { beforeEach, describe, expect, it } from 'vitest'
import { createLeaseHolder, type LeaseHolder } from '#ratelimit/lease/holder.ts'
import { type Draw, decodeReturned, readQuestion, type WireDraw } from '#ratelimit/lease/lease.ts'
import { countHeld } from '#ratelimit/lease/returns.ts'
import { type DrawCall, leaseSource } from '#ratelimit/lease/source.ts'
import type { StatDelta } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { leaseStats } from '#ratelimit/statistics/names.ts'

let nowMs = 0
/** Ends of the work that requests left behind. */
let waits: { readonly milliseconds: number; readonly end: () => void }[] = []

beforeEach(() => {
  // The beginning of a day, so that no window turns.
  nowMs = 86_400_000 * 20_000
  waits = []
})

/** Lets time pass for the oldest wait, and for what follows from it. */
async function endWait(): Promise<void> {
  const [wait] = waits.splice(0, 1)
  nowMs += wait?.milliseconds ?? 0
  wait?.end()
  for (let turn = 0; turn < 20; turn++) await null
}

const hit = (key: string, addend = 1) => ({ key, unit: 'DAY', addend, limit: 1_000_000 }) as const

/** Counters that grant what is wanted; one object for each first letter of a key would be a shard. */
function setUp() {
  const calls: { readonly object: string; readonly draws: readonly WireDraw[] }[] = []
  const state = { isAway: false, answered: Promise.resolve() }
  const draw = async ({ object, draws }: DrawCall): Promise<readonly Draw[]> => {
    calls.push({ object, draws })
    if (state.isAway) throw new Error('the object is away')
    await state.answered
    const start = Math.floor(nowMs / 1000)
    return draws
      .map(readQuestion)
      .map(({ addend, wanted }) => ({
        after: addend + wanted,
        windowStart: start,
        millisecondsUntilReset: 86_400_000,
        granted: wanted,
        outstanding: wanted,
        faults: 0,
      }))
  }
  const questions = () => calls.flatMap(({ draws }) => draws.map(readQuestion))
  const source = leaseSource(readSettings({}), draw, () => Math.floor(nowMs / 1000))
  const world = {
    now: () => nowMs,
    wait: (milliseconds: number) => new Promise<void>((end) => waits.push({ milliseconds, end })),
    drawId: () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
  }
  const holder = createLeaseHolder({ most: 10_000, source, world })
  const stats = new Map<string, number>()
  const works: Promise<unknown>[] = []
  const record = (deltas: readonly StatDelta[]) => {
    for (const { name, delta } of deltas) stats.set(name, (stats.get(name) ?? 0) + delta)
  }
  const carrier = { later: (work: Promise<unknown>) => void works.push(work), stats: { record } }
  return { holder, calls, questions, state, stats, works, carrier }
}

/** Has a counter hit so often that the holder gets a lease of it. */
async function heat(holder: LeaseHolder, key: string, carrier: ReturnType<typeof setUp>['carrier']) {
  for (let times = 0; times < 200; times++) {
    nowMs += 5
    if (holder.admit(hit(key), nowMs) === null) {
      const wire = holder.ask(hit(key), nowMs)
      await holder.send(holder.source.objectOf(key), [wire], carrier.stats)
    }
  }
}

describe('createLeaseHolder().returnAll()', () => {
  it('returns each hit that was not admitted, also of an answer that was on its way, and only once', async () => {
    const { holder, calls, stats, carrier } = setUp()
    await heat(holder, 'a', carrier)
    await heat(holder, 'b', carrier)
    const admitted = 400 - (stats.get(leaseStats.calls) ?? 0)
    void holder.send('key:c', [['c', 3, 0, 1_000_000, 7, 0, []]], carrier.stats)
    holder.ask(hit('c'), nowMs)
    await holder.returnAll(carrier.stats)
    expect(countHeld(holder.held)).toBe(0)
    const granted = stats.get(leaseStats.granted) ?? 0
    expect(stats.get(leaseStats.returned)).toBe(granted - admitted)
    const made = calls.length
    await holder.returnAll(carrier.stats)
    expect(calls).toHaveLength(made)
  })

  it('ends where the counters are away', async () => {
    const { holder, state, calls, carrier } = setUp()
    await heat(holder, 'a', carrier)
    const made = calls.length
    state.isAway = true
    await holder.returnAll(carrier.stats)
    expect([countHeld(holder.held), calls.length]).toEqual([0, made + 1])
  })
})

describe('createLeaseHolder().send()', () => {
  it('gives the answers to the holder, which then admit without a call', async () => {
    const { holder, calls, questions, stats, carrier } = setUp()
    await heat(holder, 'a', carrier)
    expect(calls.length).toBeLessThan(100)
    expect(stats.get(leaseStats.calls)).toBe(calls.length)
    expect(stats.get(leaseStats.granted)).toBe(questions().reduce((sum, { wanted }) => sum + wanted, 0))
    expect(countHeld(holder.held)).toBe(1)
  })

  it('counts a call without an answer as lost, and lets the counter be asked again', async () => {
    const { holder, state, stats, carrier } = setUp()
    await heat(holder, 'a', carrier)
    const before = stats.get(leaseStats.calls) ?? 0
    state.isAway = true
    // More than any lease has: the counter is asked.
    const wire = holder.ask(hit('a', 900_000), nowMs)
    expect(readQuestion(wire).wanted).toBeGreaterThan(0)
    await expect(holder.send('key:a', [wire], carrier.stats)).rejects.toThrow('the object is away')
    expect([stats.get(leaseStats.calls), stats.get(leaseStats.lost)]).toEqual([before + 1, 1])
    const again = readQuestion(holder.ask(hit('a', 900_000), nowMs))
    expect(again.wanted).toBeGreaterThan(0)
    // What the lost question gave back is given back by the next one.
    expect(again.returned).toEqual(readQuestion(wire).returned)
  })

  it('asks nothing where there is no question', async () => {
    const { holder, calls, carrier } = setUp()
    expect([await holder.send('key:a', [], carrier.stats), calls]).toEqual([[], []])
  })
})

describe('createLeaseHolder().askWithin()', () => {
  it('asks every object once, by the timer of one request', async () => {
    const { holder, calls, questions, works, carrier } = setUp()
    for (const key of ['a', 'b']) await heat(holder, key, carrier)
    calls.length = 0
    for (const key of ['a', 'b', 'a']) {
      // Hits until the lease runs low, when it says that more is to be asked for.
      for (let times = 0; times < 100_000; times++) {
        const admitted = holder.admit(hit(key), nowMs)
        if (admitted === null) break
        if (admitted.askWithinMs === null) continue
        holder.askWithin(hit(key), 40, carrier)
        break
      }
    }
    expect([works.length, waits.map(({ milliseconds }) => milliseconds)]).toEqual([1, [40]])
    await endWait()
    expect(calls.map(({ object, draws }) => [object, draws.length])).toEqual([
      ['key:a', 1],
      ['key:b', 1],
    ])
    // Nothing is hit by a question that is asked ahead.
    expect(questions().map(({ addend }) => addend)).toEqual([0, 0])
  })

  it('begins another timer for an earlier moment, and for one that was lost with its request', () => {
    const { holder, works, carrier } = setUp()
    const ask = (milliseconds: number) => holder.askWithin(hit('a'), milliseconds, carrier)
    ask(200)
    ask(250)
    expect(works.length).toBe(1)
    ask(50)
    expect(works.length).toBe(2)
    nowMs += 50 + 1_000
    ask(200)
    expect(works.length).toBe(2)
    nowMs += 1
    ask(200)
    expect(works.length).toBe(3)
  })
})

describe('createLeaseHolder().scheduleReturns()', () => {
  it('returns what is not needed any more, and ends once nothing is left', async () => {
    const { holder, calls, questions, stats, works, carrier } = setUp()
    await heat(holder, 'a', carrier)
    calls.length = 0
    holder.scheduleReturns(carrier)
    holder.scheduleReturns(carrier)
    expect(works.length).toBe(1)
    for (let second = 0; second < 27 && countHeld(holder.held) > 0; second++) await endWait()
    await works[0]
    expect(countHeld(holder.held)).toBe(0)
    expect(questions().flatMap(({ returned }) => decodeReturned(returned))).not.toEqual([])
    expect(stats.get(leaseStats.returned)).toBeGreaterThan(0)
    holder.scheduleReturns(carrier)
    expect(works.length).toBe(2)
  })

  it('waits for an answer that is on its way, and returns its lease as well', async () => {
    const { holder, state, stats, works, carrier } = setUp()
    let answer = () => {}
    state.answered = new Promise((resolve) => {
      answer = resolve
    })
    const asked = holder.send('key:c', [['c', 3, 0, 1_000_000, 7, 0, []]], carrier.stats)
    holder.ask(hit('c'), nowMs)
    holder.scheduleReturns(carrier)
    await endWait()
    answer()
    await asked
    expect(countHeld(holder.held)).toBe(1)
    for (let second = 0; second < 27 && countHeld(holder.held) > 0; second++) await endWait()
    await works[0]
    expect(stats.get(leaseStats.returned)).toBe(7)
  })

  it('takes over after ten seconds from a watch that may have been lost', () => {
    const { holder, works, carrier } = setUp()
    holder.scheduleReturns(carrier)
    nowMs += 9_999
    holder.scheduleReturns(carrier)
    expect(works.length).toBe(1)
    nowMs += 1
    holder.scheduleReturns(carrier)
    expect(works.length).toBe(2)
  })
})

describe('createLeaseHolder().settle()', () => {
  it('waits for the answers of one object, and for no other', async () => {
    const ends = new Map<string, () => void>()
    const draw = ({ object }: DrawCall) =>
      new Promise<readonly Draw[]>((resolve) => ends.set(object, () => resolve([])))
    const source = leaseSource(readSettings({}), draw, () => Math.floor(nowMs / 1000))
    const world = { now: () => nowMs, wait: () => Promise.resolve(), drawId: () => 1 }
    const holder = createLeaseHolder({ most: 10, source, world })
    const stats = { record: () => {} }
    for (const object of ['key:a', 'key:b']) void holder.send(object, [[object, 3, 0, 10, 1, 0, []]], stats)
    let isSettled = false
    const settled = holder.settle('key:a').then(() => {
      isSettled = true
    })
    await new Promise(setImmediate)
    expect(isSettled).toBe(false)
    ends.get('key:a')?.()
    await settled
    await holder.settle('key:c')
    ends.get('key:b')?.()
  })
})
