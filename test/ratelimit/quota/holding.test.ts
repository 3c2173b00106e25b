/** Assignments of one Envoy: they begin, are cut, go on and end. */

import { describe, expect, it } from 'vitest'
import {
  cutAssignments,
  extendAssignment,
  newHolding,
  refuseHits,
  replaceAssignment,
  sumLeft,
} from '#ratelimit/quota/holding.ts'
import { assignment, heldSince, lagMs, window } from '../../support/held-assignment.ts'

describe('newHolding()', () => {
  it('has nothing left, and nothing in force', () => {
    const holding = newHolding(5)
    expect(sumLeft(holding, window)).toBe(0)
    expect(holding).toMatchObject({ assignments: [], lastReportMs: 5, isRefused: false, demand: 0 })
  })
})

describe('replaceAssignment()', () => {
  it('puts an assignment in force from when it is delivered at the latest', () => {
    const holding = replaceAssignment(newHolding(0), assignment, lagMs)
    expect(holding.covered).toEqual({ fromMs: 1_000, untilMs: 29_000 })
    expect(sumLeft(holding, window)).toBe(40)
  })

  it('lets the one before it pass hits until the new one is delivered', () => {
    const next = { ...assignment, startedMs: 10_000, endsMs: 40_000 }
    const holding = replaceAssignment(heldSince(10_000), next, lagMs)
    // From one lag before the last report to one lag after now: 10 hits at once and 2 in 2 seconds.
    expect(holding.assignments.map(({ endsMs, left }) => [endsMs, left])).toEqual([
      [11_000, 12],
      [40_000, 40],
    ])
    expect(holding.covered).toEqual({ fromMs: 1_000, untilMs: 39_000 })
  })

  it('is in force anew after a gap', () => {
    const next = { ...assignment, startedMs: 29_000, endsMs: 59_000 }
    expect(replaceAssignment(heldSince(28_000), next, lagMs).covered.fromMs).toBe(30_000)
    const sooner = { ...next, startedMs: 28_000 }
    expect(replaceAssignment(heldSince(28_000), sooner, lagMs).covered.fromMs).toBe(1_000)
  })
})

describe('refuseHits()', () => {
  it('ends what is in force once it is delivered, and is in force without a gap', () => {
    const holding = refuseHits(heldSince(10_000), { fromMs: 10_000, untilMs: 40_000 }, lagMs)
    expect(holding).toMatchObject({ isRefused: true, covered: { fromMs: 1_000, untilMs: 40_000 } })
    expect(sumLeft(holding, window)).toBe(12)
    expect(replaceAssignment(holding, assignment, lagMs).isRefused).toBe(false)
  })
})

describe('cutAssignments()', () => {
  it('drops an assignment that can let nothing pass any more', () => {
    expect(cutAssignments(heldSince(31_000), 31_000, lagMs).assignments).toEqual([])
  })

  it('keeps the hits that are owed beside those that may pass, and never raises what is left', () => {
    const owing = { ...assignment, left: 20, owed: 3 }
    const holding = { ...heldSince(10_000), assignments: [owing] }
    expect(sumLeft(cutAssignments(holding, 10_000, lagMs), window)).toBe(15)
    const little = { ...holding, assignments: [{ ...owing, left: 5 }] }
    expect(sumLeft(cutAssignments(little, 10_000, lagMs), window)).toBe(5)
  })
})

describe('extendAssignment()', () => {
  it('adds what fills the bucket in the longer time, and no second burst', () => {
    const holding = extendAssignment(heldSince(0), 50_000, lagMs)
    expect(holding.assignments).toMatchObject([{ startedMs: 0, endsMs: 50_000, left: 60 }])
    expect(holding.covered).toEqual({ fromMs: 1_000, untilMs: 49_000 })
  })

  it('changes nothing without an assignment, or to an earlier end', () => {
    const [none, held] = [newHolding(0), heldSince(0)]
    expect(extendAssignment(none, 50_000, lagMs)).toBe(none)
    expect(extendAssignment(held, 30_000, lagMs)).toBe(held)
  })
})

describe('sumLeft()', () => {
  it('counts the assignments of one window', () => {
    const assignments = [assignment, { ...assignment, windowStart: 1_260, left: 7 }, { ...assignment, left: 2 }]
    const holding = { ...newHolding(0), assignments }
    expect([sumLeft(holding, window), sumLeft(holding, 1_260), sumLeft(holding, 1_320)]).toEqual([42, 7, 0])
  })
})
