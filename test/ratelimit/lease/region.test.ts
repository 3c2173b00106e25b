/** Leases of leases: what a region does with one question of a holder. */

import { describe, expect, it } from 'vitest'
import { createHeldLeases, takeAnswer } from '#ratelimit/lease/held-leases.ts'
import { type Draw, decodeReturned, readQuestion, type WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { answerDraw, beginDraw, isHandedOn, type RegionLeases } from '#ratelimit/lease/region.ts'
import { units } from '#ratelimit/window.ts'

const [minute, start, nowMs] = [units.indexOf('MINUTE'), 1_200, 1_210_000]
const ask = (addend: number, wanted: number, returned: readonly number[] = [], limit = 100): WireDraw => [
  'a',
  minute,
  addend,
  limit,
  wanted,
  0,
  returned,
]
const drawing = { id: 7, holder: 1, nowMs }

/** A region that holds 40 hits of a limit of 100, of which 60 are counted with them. */
function regionOf40(): RegionLeases {
  const region = { held: createHeldLeases(10), book: createLeaseBook() }
  const { question } = beginDraw(region, ask(1, 30), nowMs)
  const draw = {
    after: 60,
    windowStart: start,
    millisecondsUntilReset: 50_000,
    granted: 40,
    outstanding: 40,
    faults: 0,
  }
  if (question === null) throw new Error('Cannot hold hits: nothing was asked')
  takeAnswer(region.held, question, draw, { id: 1, limit: 100, sentMs: nowMs, nowMs })
  return region
}

/** Answers one question that the region need not pass on. */
function answerHere(region: RegionLeases, wire: WireDraw) {
  const begun = beginDraw(region, wire, nowMs)
  expect(begun.question).toBeNull()
  return answerDraw(region, begun, null, drawing).draw
}

/** Begins a question that the region passes on, and reads what it asks the counter. */
function questionOf(region: RegionLeases, wire: WireDraw) {
  const { question } = beginDraw(region, wire, nowMs)
  if (question === null) expect.fail('the region did not ask')
  const { returned, ...asked } = readQuestion(question)
  return { ...asked, returned: decodeReturned(returned) }
}

const isOut = (region: RegionLeases, atMs = nowMs) => isHandedOn(region, { key: 'a', unit: 'MINUTE' }, atMs)
const leftOf = ({ held }: RegionLeases) => held.table.find({ key: 'a', unit: 'MINUTE' })?.left

describe('beginDraw()', () => {
  it('asks the counter for what it cannot admit, and for a lease of what the holders want', () => {
    const region = regionOf40()
    expect(beginDraw(region, ask(10, 0), nowMs).question).toBeNull()
    expect(leftOf(region)).toBe(30)
    // What is left goes back, so that it does not block the hits, unless holders may return hits of the lease.
    expect(questionOf(region, ask(31, 0))).toMatchObject({
      addend: 31,
      limit: 100,
      wanted: 31 + 10 + 31,
      takesAll: false,
      returned: [{ id: 1, unused: 30 }],
    })
  })

  it('keeps the lease open that hits which were handed on come back to', () => {
    const region = regionOf40()
    answerHere(region, ask(10, 60))
    expect(leftOf(region)).toBe(15)
    expect(questionOf(region, ask(16, 0)).returned).toEqual([])
    answerHere(region, ask(15, 0))
    expect(questionOf(region, ask(1, 0)).returned).toEqual([])
    answerHere(region, ask(0, 0, [7, 12]))
    expect(questionOf(region, ask(13, 0)).returned).toEqual([{ id: 1, unused: 12 }])
  })

  it('takes back what it handed on, once, and nothing that it did not', () => {
    const region = regionOf40()
    expect(answerHere(region, ask(0, 10))).toMatchObject({ granted: 10 })
    expect([leftOf(region), isOut(region), isOut(region, nowMs + 20_000)]).toEqual([30, true, false])
    for (const [returned, faults, left] of [
      [[8, 5], 1, 30],
      [[7, 4], 0, 34],
      [[7, 4], 1, 34],
    ] as const) {
      expect(answerHere(region, ask(0, 0, returned)).faults).toBe(faults)
      expect(leftOf(region)).toBe(left)
    }
    answerHere(region, ask(0, 10))
    expect(answerHere(region, ask(0, 0, [7, 11])).faults).toBe(1)
    expect([leftOf(region), isOut(region)]).toEqual([24, false])
  })
})

describe('answerDraw()', () => {
  it('hands on a lease that ends before its own, counted by the last answer of the counter', () => {
    const draw = answerHere(regionOf40(), ask(1, 10))
    expect(draw).toMatchObject({ after: 21 + 10, granted: 10, windowStart: start, millisecondsUntilReset: 50_000 })
    expect(draw.lastsMs).toBe(50_000 * 0.99 - 1_000)
  })

  it('hands on nothing of another window than the answer, after a refusal, or under a lower limit', () => {
    const home = { after: 5, windowStart: start, millisecondsUntilReset: 9, granted: 0, outstanding: 0, faults: 0 }
    const answer = (wire: WireDraw, more: Partial<Draw>) => {
      const begun = { wire, admitted: null, question: null, faults: 0 }
      return answerDraw(regionOf40(), begun, { ...home, ...more }, drawing).draw
    }
    expect(answer(ask(1, 10), {})).toMatchObject({ after: 15, granted: 10 })
    expect(answer(ask(1, 10), { windowStart: start - 60 })).toEqual({ ...home, windowStart: start - 60 })
    expect(answer(ask(1, 10), { after: 101 })).toMatchObject({ after: 101, granted: 0 })
    expect(answer(ask(1, 10, [], 99), {})).toMatchObject({ after: 5, granted: 0 })
  })
})
