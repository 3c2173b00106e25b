/** Fixed windows: alignment, turning, refunds, and that no hit is lost. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addHits, maxHits, mostShown, openWindow, peekHits, refundHits, type Window } from '#ratelimit/counter.ts'
import { secondsUntilReset, unitSeconds, units, windowStart } from '#ratelimit/window.ts'
import { sweep } from '../support/sweep.ts'

test('windowStart() returns now itself on a boundary', () => {
  expect(windowStart('MINUTE', 1200)).toBe(1200)
  expect(windowStart('MINUTE', 1259)).toBe(1200)
  expect(new Date(windowStart('WEEK', 1_750_000_000) * 1000).getUTCDay()).toBe(4)
})

test('secondsUntilReset() is the whole unit on a boundary and 1 in the last second', () => {
  for (const unit of units) {
    expect(secondsUntilReset(unit, unitSeconds[unit] * 3)).toBe(unitSeconds[unit])
    expect(secondsUntilReset(unit, unitSeconds[unit] * 3 - 1)).toBe(1)
  }
})

test('addHits() counts every hit of a window, and from 0 in the next', () => {
  const moves = fc.array(fc.record({ addend: fc.nat(1000), wait: fc.nat(40) }), { maxLength: 40 })
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 2_000_000_000 }), (steps, begin) => {
      let window: Window | undefined
      let now = begin
      const expected = new Map<number, number>()
      for (const { addend, wait } of steps) {
        now += wait
        const start = windowStart('MINUTE', now)
        expected.set(start, (expected.get(start) ?? 0) + addend)
        const counted = addHits(window, 'MINUTE', addend, now)
        window = counted.window
        expect(counted.hits.after).toBe(expected.get(start))
        expect(window.start).toBe(start)
      }
    }),
    { seed: 7 },
  )
})

test('addHits() under a clock that steps back begins the earlier window with the hits of the newer one', () => {
  const { window } = addHits(undefined, 'MINUTE', 5, 1260)
  const { window: next, hits } = addHits(window, 'MINUTE', 1, 1259)
  expect(next).toMatchObject({ start: 1200, hits: 6 })
  expect(hits.secondsUntilReset).toBe(1)
  expect(peekHits(next, 'MINUTE', 1260)).toEqual({ after: 6, secondsUntilReset: 60 })
})

test('addHits() after a clock that leapt ahead and back counts what came meanwhile in the window that is open now', () => {
  for (const unit of units) {
    const leap = fc.integer({ min: Math.min(60, unitSeconds[unit]) + unitSeconds[unit], max: 100_000_000 })
    const now = fc.integer({ min: 0, max: 2_000_000_000 })
    fc.assert(
      fc.property(now, leap, fc.nat(9), (moment, ahead, before) => {
        const first = addHits(undefined, unit, before, moment)
        const leapt = addHits(first.window, unit, 5, moment + ahead)
        expect(leapt.hits.after).toBe(5)
        expect(peekHits(leapt.window, unit, moment)).toEqual({
          after: before + 5,
          secondsUntilReset: secondsUntilReset(unit, moment),
        })
        const { window, hits } = addHits(leapt.window, unit, 1, moment)
        expect(window).toMatchObject({ start: windowStart(unit, moment), hits: before + 6 })
        expect(hits.secondsUntilReset).toBe(secondsUntilReset(unit, moment))
        expect(addHits(window, unit, 1, moment + ahead).hits.after).toBe(7)
      }),
      { seed: 11, numRuns: sweep(200) },
    )
  }
})

test('addHits() under a clock that leapt back counts in the newer window too', () => {
  const hour = 3_600
  let window = addHits(undefined, 'HOUR', 500, 10 * hour + 30).window
  const back = addHits(window, 'HOUR', 400, 9 * hour + 3_500)
  expect(back.hits).toEqual({ after: 900, secondsUntilReset: 100 })
  window = addHits(back.window, 'HOUR', 1, 10 * hour + 60).window
  expect(window).toMatchObject({ start: 10 * hour, hits: 901 })
})

test('openWindow() keeps the last windows that the clock has shown, and no more', () => {
  const at = (hour: number) => hour * 3_600 + 10
  let window = addHits(undefined, 'HOUR', 7, at(1_000)).window
  for (let other = 1; other <= mostShown; other++) window = addHits(window, 'HOUR', 1, at(other * 10)).window
  expect(window.shown?.length).toBe(mostShown)
  expect(peekHits(window, 'HOUR', at(1_000)).after).toBe(7 + mostShown)
  window = addHits(window, 'HOUR', 1, at(2)).window
  expect(window.shown?.length).toBe(mostShown)
  expect(peekHits(window, 'HOUR', at(1_000)).after).toBe(0)
})

test('openWindow() leaves behind what was shown before the clock has run for as long as a window lasts', () => {
  const ahead = addHits(addHits(undefined, 'MINUTE', 1, 600).window, 'MINUTE', 900, 725).window
  let window = addHits(ahead, 'MINUTE', 0, 610).window
  expect(window.hits).toBe(901)
  for (let now = 611; now < 720; now++) window = addHits(window, 'MINUTE', 1, now).window
  const turned = addHits(window, 'MINUTE', 1, 720).window
  expect([turned.hits, turned.shown?.map(({ start }) => start)]).toEqual([1, [660]])
})

test('addHits() never lets a clock that steps to and fro give more than the limit within a window', () => {
  const steps = fc.array(fc.integer({ min: -60, max: 20 }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (moves) => {
      let window: Window | undefined
      let [now, newest] = [1_000_000, 1_000_000]
      const counted = new Map<number, number>()
      for (const move of moves) {
        // The clock is never more than a minute behind what it has shown.
        now = Math.max(now + move, newest - 60)
        newest = Math.max(newest, now)
        const { window: next, hits } = addHits(window, 'MINUTE', 1, now)
        counted.set(next.start, (counted.get(next.start) ?? 0) + 1)
        expect(hits.after).toBeGreaterThanOrEqual(counted.get(next.start) ?? 0)
        window = next
      }
    }),
    { seed: 12 },
  )
})

test('addHits() saturates at 2^53 - 1', () => {
  const { window } = addHits(undefined, 'DAY', maxHits, 0)
  expect(addHits(window, 'DAY', maxHits, 0).hits.after).toBe(maxHits)
})

test('refundHits() stops at 0 and leaves a missing or turned window missing', () => {
  const { window } = addHits(undefined, 'MINUTE', 5, 0)
  expect(refundHits(window, 'MINUTE', 2, 59)?.hits.after).toBe(3)
  expect(refundHits(window, 'MINUTE', 9, 59)?.hits.after).toBe(0)
  expect(refundHits(window, 'MINUTE', 1, 60)).toBeNull()
  expect(refundHits(undefined, 'MINUTE', 1, 0)).toBeNull()
})

test('refundHits() gives back to the open window only', () => {
  const hours = addHits(addHits(undefined, 'HOUR', 10, 0).window, 'HOUR', 5, 3_600).window
  const back = refundHits(hours, 'HOUR', 3, 3_601)?.window
  expect([back?.hits, openWindow(back, 'HOUR', 10).hits]).toEqual([2, 15])
})

test('peekHits() forgets a window that has turned', () => {
  const window = { start: 0, hits: 5 }
  expect(peekHits(window, 'MINUTE', 59)).toEqual({ after: 5, secondsUntilReset: 1 })
  expect(peekHits(window, 'MINUTE', 60)).toEqual({ after: 0, secondsUntilReset: 60 })
})
