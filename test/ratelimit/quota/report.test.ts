/** Reports of one Envoy: what they explain, what they leave, and the demand that they tell. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Holding, replaceAssignment, sumLeft } from '#ratelimit/quota/holding.ts'
import { report } from '#ratelimit/quota/report.ts'
import { assignment, heldSince, lagMs, window } from '../../support/held-assignment.ts'

const reportAt = (holding: Holding, nowMs: number, allowed: number, denied = 0, windowStart = window) =>
  report(holding, { allowed, denied, elapsed: 0 }, { nowMs, lagMs, windowStart })

describe('report()', () => {
  it('takes off what time has taken off, whether it was used or not, and counts what was used', () => {
    // 21 seconds from one lag before now to the end: 31 hits may still pass, 9 cannot, 5 of them did.
    const { holding, spent, excess } = reportAt(heldSince(5_000), 10_000, 5)
    expect([sumLeft(holding, window), spent, excess]).toEqual([31, 5, 0])
  })

  it('takes more off what is left, where an assignment was in force since the last report', () => {
    const { holding, spent, excess } = reportAt(heldSince(5_000), 10_000, 12)
    expect([sumLeft(holding, window), spent, excess]).toEqual([28, 12, 0])
  })

  it.each([
    ['before the first assignment was delivered', 0, 10_000],
    ['after the last one ended', 20_000, 29_001],
  ])('counts as excess what may have passed %s', (_when, lastReportMs, nowMs) => {
    const { holding, spent, excess } = reportAt(heldSince(lastReportMs), nowMs, 40)
    const offByTime = 40 - sumLeft(holding, window)
    expect([spent, excess]).toEqual([offByTime, 40 - offByTime])
  })

  it('counts as excess what is beyond every assignment', () => {
    const { holding, spent, excess } = reportAt(heldSince(5_000), 10_000, 50)
    expect([sumLeft(holding, window), spent, excess]).toEqual([0, 40, 10])
  })

  it('ends an assignment one lag after its end, and counts what is owed then', () => {
    const owing = { ...heldSince(20_000), assignments: [{ ...assignment, owed: 4 }] }
    expect(reportAt(owing, 30_999, 0).holding.assignments).toHaveLength(1)
    expect(reportAt(owing, 31_000, 0)).toMatchObject({ spent: 4, holding: { assignments: [] } })
  })

  it('owes, in the present window, what an assignment of the window before explains', () => {
    const next = { ...assignment, startedMs: 10_000, endsMs: 40_000, windowStart: 1_260, left: 40 }
    const both = replaceAssignment(heldSince(10_000), next, lagMs)
    // 16 hits passed: 2 are off the new assignment by time, 12 are all that the one before had, 2 come of the new one.
    const { holding, spent, excess } = reportAt(both, 13_000, 16, 0, 1_260)
    expect(holding.assignments).toMatchObject([{ windowStart: 1_260, left: 36, owed: 12 }])
    expect([spent, excess]).toEqual([4, 0])
  })

  it('takes off by time from the newest assignment on: the older one may belong to another window', () => {
    const next = { ...assignment, startedMs: 10_000, endsMs: 40_000, windowStart: 1_260, left: 40 }
    const both = replaceAssignment(heldSince(10_000), next, lagMs)
    const { holding, spent } = reportAt(both, 13_000, 13, 0, 1_260)
    expect([spent, holding.assignments[0]?.owed]).toEqual([2, 11])
  })

  it('changes no interval or demand for a report that comes at once', () => {
    const { holding } = reportAt({ ...heldSince(5_000), demand: 7 }, 5_400, 100)
    expect([holding.demand, holding.intervalMs, holding.lastReportMs]).toEqual([7, 500, 5_400])
  })

  it.each([
    ['a step', 0, 10, 0, 1],
    ['a step of what was refused', 0, 0, 100, 10],
    ['chance', 10, 105, 0, 10.425],
    ['more than chance', 10, 111, 0, 11.1],
  ])('follows the demand after %s', (_what, demand, allowed, denied, expected) => {
    const { holding } = reportAt({ ...heldSince(10_000), demand }, 20_000, allowed, denied)
    expect(holding.demand).toBeCloseTo(expected, 9)
  })

  it('explains each hit once, and never leaves more than before', () => {
    const times = fc.array(fc.integer({ min: 0, max: 12_000 }), { minLength: 1, maxLength: 6 })
    const hits = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(times, hits, (spans, allowed) => {
        let holding = heldSince(0)
        let [nowMs, all, spent, excess] = [0, 0, 0, 0]
        for (const [at, span] of spans.entries()) {
          nowMs += span
          const before = sumLeft(holding, window)
          const reported = reportAt(holding, nowMs, allowed[at] ?? 0)
          holding = reported.holding
          expect(sumLeft(holding, window)).toBeLessThanOrEqual(before + 1e-9)
          expect(reported.spent).toBeLessThanOrEqual(before + 1e-9)
          all += allowed[at] ?? 0
          spent += reported.spent
          excess += reported.excess
        }
        expect(spent + excess).toBeCloseTo(all, 6)
        expect(spent + sumLeft(holding, window)).toBeLessThanOrEqual(40 + 1e-9)
      }),
      { seed: 11 },
    )
  })
})

describe('report() after the stream ended', () => {
  const detached = { ...heldSince(10_000), isDetached: true }
  const reportOf = (allowed: number, elapsed: number, nowMs: number) =>
    report(detached, { allowed, denied: 0, elapsed }, { nowMs, lagMs, windowStart: window })

  it('goes on with what is left, and is attached again', () => {
    const { holding, spent, excess } = reportOf(3, 5, 15_000)
    expect([holding.isDetached, holding.lastReportMs, holding.intervalMs, excess]).toEqual([false, 15_000, 5_000, 0])
    // Ten at once and one a second until 30 s, which it shows 3 of; the second before it may have had some more.
    expect(spent + sumLeft(holding, window)).toBeGreaterThanOrEqual(3 + 10 + 15)
    expect(spent + sumLeft(holding, window)).toBeLessThanOrEqual(40)
  })

  it('counts as used the most that may have passed in a time that no report covers', () => {
    const [short, long] = [reportOf(0, 14, 25_000), reportOf(0, 5, 25_000)]
    const charged = ({ holding, spent }: typeof short) => spent + sumLeft(holding, window)
    expect(charged(long) - charged(short)).toBeCloseTo(14 - 5)
    expect(charged(reportOf(0, 0, 25_000))).toBe(40)
  })

  it('takes the demand from the time that the report covers', () => {
    expect(reportOf(50, 5, 30_000).holding.demand).toBe(10)
  })
})
