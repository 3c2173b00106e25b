/** Assignments after a step of demand: many Envoys on simulated time, beside a counter that is charged. */

import { describe, expect, it } from 'vitest'
import type { Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { newHolding } from '#ratelimit/quota/holding.ts'
import { createPool } from '#ratelimit/quota/pool.ts'
import { propose } from '#ratelimit/quota/proposal.ts'
import { rateOf } from '#ratelimit/quota/token-bucket.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { createQuotaEnvoy } from '../../support/quota-envoy.ts'
import { sweep } from '../../support/sweep.ts'

const [streams, buckets, reportMs, roundMs, stepMs] = [200, 50, 1_000, 250, 50]

/** One bucket of all streams. */
interface Plan {
  readonly unit: 'MINUTE' | 'HOUR' | 'DAY'
  /** Hits a second of the limit. */
  readonly rate: number
  /** Demand of all streams as a part of the limit, before and after. */
  readonly overload: number
  /** Every so manieth stream makes all of it after the step. */
  readonly busyEvery: number
  /** Milliseconds from the start to the step. */
  readonly stepAtMs: number
  readonly lastsMs: number
  /** True where every stream reports at another moment, false where all report at once. */
  readonly isScattered: boolean
}

/** One moment: rates in force, in parts of the limit, and assignments sent so far. */
interface Moment {
  readonly atMs: number
  readonly assigned: number
  /** The part of `assigned` that is asked for. */
  readonly used: number
  readonly sent: number
}

/** Plays one bucket from the beginning of a window. */
function play(plan: Plan): { readonly moments: readonly Moment[]; readonly admitted: readonly number[] } {
  const { unit, rate, overload, busyEvery, stepAtMs, isScattered } = plan
  const [windowMs, limit] = [unitSeconds[unit] * 1000, rate * unitSeconds[unit]]
  const pool = createPool({ limit, unit, lifeSeconds: 30 })
  const book = createLeaseBook()
  const envoys = Array.from({ length: streams }, (_, at) => ({
    envoy: createQuotaEnvoy(),
    owed: at / streams,
    assigned: 0,
    reportsAtMs: isScattered ? Math.floor((at * reportMs) / streams / stepMs) * stepMs : 0,
  }))
  const demandOf = (at: number, atMs: number) => {
    if (atMs < stepAtMs) return (overload * rate) / streams
    return at % busyEvery === 0 ? (overload * rate * busyEvery) / streams : 0
  }
  let window: Window | undefined
  let [id, sent] = [0, 0]
  const moments: Moment[] = []
  const admitted: number[] = []

  function assign(nowMs: number): void {
    const draw = pool.plan(nowMs)
    if (draw === null) return
    const returned = draw.lease === null ? [] : [draw.lease, draw.unused]
    const wire = ['k', 0, draw.addend, limit, draw.wanted, 1, returned] as const
    const drawn = drawFrom(book, { name: 'k', unit, window, isBlocked: false }, wire, { id: ++id, holder: 1, nowMs })
    window = drawn.window
    for (const message of pool.settle(drawn.draw, id, nowMs)) {
      const one = envoys[Number(message.holder)]
      if (one === undefined) continue
      one.envoy.receive(message, nowMs)
      one.assigned = message.bucket === null ? 0 : rateOf(message.bucket)
      sent += 1
    }
  }

  for (let atMs = 0; atMs < plan.lastsMs; atMs += stepMs) {
    const nowMs = windowMs * 20 + atMs
    let passed = 0
    for (const [at, one] of envoys.entries()) {
      one.owed += (demandOf(at, atMs) * stepMs) / 1000
      const hits = Math.floor(one.owed)
      one.owed -= hits
      passed += one.envoy.ask(hits, nowMs)
      if (atMs % reportMs === one.reportsAtMs) pool.report(String(at), one.envoy.usage(nowMs), nowMs)
    }
    const started = Math.floor(atMs / windowMs)
    admitted[started] = (admitted[started] ?? 0) + passed
    if (atMs % roundMs === 0) assign(nowMs)
    const [assigned, used] = envoys.reduce(
      ([all, asked], one, at) => [all + one.assigned, asked + Math.min(one.assigned, demandOf(at, atMs))],
      [0, 0],
    )
    moments.push({ atMs, assigned: assigned / rate, used: used / rate, sent })
  }
  return { moments, admitted }
}

/** Intervals from the step to assignments that give 95 % of the limit to those who ask. */
function intervalsOf(moments: readonly Moment[], stepAtMs: number): number {
  const reached = moments.find(({ atMs, used }) => atMs >= stepAtMs && used >= 0.95)
  return ((reached?.atMs ?? Number.POSITIVE_INFINITY) - stepAtMs) / reportMs
}

/** The step of a bucket: at another moment of the reporting interval, to other streams, by another amount in each. */
function stepOf(bucket: number): Omit<Plan, 'isScattered'> {
  return {
    unit: bucket % 2 === 0 ? 'DAY' : 'HOUR',
    rate: 800 + 40 * bucket,
    overload: 1.5 + (bucket % 5) / 4,
    busyEvery: 2 + (bucket % 3),
    stepAtMs: 10_000 + bucket * 20,
    lastsMs: 20_000,
  }
}

describe('propose()', () => {
  it.each([
    { restMs: 20_000, kind: 'replace' },
    { restMs: 20_001, kind: 'extend' },
  ])('proposes $kind for an assignment that ends in $restMs ms where a message takes 10 s', ({ restMs, kind }) => {
    const [nowMs, lagMs, window] = [3_600_000, 10_000, 3_600]
    const bucket = { maxTokens: 5, tokensPerFill: 10_000 }
    const endsMs = nowMs + restMs
    const inForce = { bucket, startedMs: nowMs - 10_000, endsMs, windowStart: window, left: 300, owed: 0 }
    const holding = { ...newHolding(nowMs), assignments: [inForce], demand: 10 / 1.1 }
    const outlook = { nowMs, lagMs, window, endsMs: nowMs + 60_000, lifeSeconds: 60, restSeconds: 3_000 }
    expect(propose([['envoy', holding]], 30_000, outlook)).toMatchObject([{ holder: 'envoy', kind }])
  })

  it.each([
    { reports: 'at once', isScattered: false },
    { reports: 'each at a moment of its own', isScattered: true },
  ])('follows a step of demand within two intervals: 200 streams that report $reports', ({ isScattered }) => {
    for (let bucket = 0; bucket < sweep(buckets, 10); bucket++) {
      const step = stepOf(bucket)
      const { moments } = play({ ...step, isScattered })
      const intervals = intervalsOf(moments, step.stepAtMs)
      expect(intervals, `bucket ${bucket}`).toBeLessThanOrEqual(2)
      const settled = moments.filter(({ atMs }) => atMs >= step.stepAtMs + intervals * reportMs)
      for (const { used } of settled) expect(used).toBeGreaterThanOrEqual(0.95)
      // Under overload, before the step and after it, the assignments sum to the limit within 5 %.
      const known = moments.filter(({ atMs }) => atMs >= 5_000)
      for (const { assigned } of known) expect(assigned).toBeLessThanOrEqual(1.05)
      const before = known.filter(({ atMs }) => atMs < step.stepAtMs)
      for (const { assigned } of before) expect(assigned).toBeGreaterThanOrEqual(0.95)
      // A demand that stays where it is moves nothing any more.
      expect(moments.at(-1)?.sent).toBe(moments.find(({ atMs }) => atMs >= 17_000)?.sent)
    }
  })

  it('never admits more than the limit of a minute in which demand steps', () => {
    for (let bucket = 0; bucket < sweep(10, 3); bucket++) {
      const plan = { ...stepOf(bucket), unit: 'MINUTE', stepAtMs: 20_000 + bucket * 200, lastsMs: 120_000 } as const
      for (const hits of play({ ...plan, isScattered: bucket % 2 === 0 }).admitted) {
        expect(hits).toBeLessThanOrEqual(plan.rate * 60)
        expect(hits).toBeGreaterThanOrEqual(0.9 * plan.rate * 60)
      }
    }
  })
})
