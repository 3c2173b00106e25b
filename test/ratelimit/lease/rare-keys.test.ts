/** Counters that one holder hits rarely: how often they are asked, and what becomes of the little that is held of them. */

import { expect, test } from 'vitest'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { admitHits, askAhead, askForHits, createHeldLeases, takeAnswer } from '#ratelimit/lease/held-leases.ts'
import type { WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { findSurplus, giveBack } from '#ratelimit/lease/returns.ts'

const limit = 1_000_000
const nameOf = (key: string) => ({ key, unit: 'DAY', addend: 1, limit }) as const

/** One holder of at most so many leases and the counters that it asks, without a network between. */
function world(most = 1_000) {
  const [held, book] = [createHeldLeases(most), createLeaseBook()]
  const windows = new Map<string, { readonly start: number; readonly hits: number }>()
  const clock = { ms: 1_700_000_000_000 }
  const asked = { questions: 0, leases: 0 }

  function send(wire: WireDraw | null): void {
    if (wire === null) return
    const [key, , , , wanted] = wire
    const counter = { name: key, unit: 'DAY', window: windows.get(key), isBlocked: false } as const
    asked.questions += 1
    if (wanted > 0) asked.leases += 1
    const id = asked.questions
    const { window, draw } = drawFrom(book, counter, wire, { id, holder: 1, nowMs: clock.ms })
    windows.set(key, window)
    takeAnswer(held, wire, draw, { id, limit, sentMs: clock.ms, nowMs: clock.ms })
  }

  return {
    asked,
    windows,
    hit(key: string): void {
      const admitted = admitHits(held, nameOf(key), clock.ms)
      if (admitted === null) send(askForHits(held, nameOf(key), clock.ms))
      else if (admitted.askWithinMs !== null) send(askAhead(held, nameOf(key), clock.ms))
    },
    pass(milliseconds: number): void {
      for (const end = clock.ms + milliseconds; clock.ms < end; ) {
        clock.ms += Math.min(1_000, end - clock.ms)
        for (const surplus of findSurplus(held, clock.ms)) send(giveBack(held, surplus, clock.ms))
      }
    },
  }
}

test('a key that is hit every twenty seconds is asked about once in three hits, and no hit is forgotten or lost', () => {
  const { asked, windows, hit, pass } = world()
  const keys = Array.from({ length: 50 }, (_, at) => `k${at}`)
  const rounds = 60
  for (let round = 0; round < rounds; round++) {
    for (const key of keys) {
      hit(key)
      pass(20_000 / keys.length)
    }
  }
  expect(asked.questions / (rounds * keys.length)).toBeLessThan(0.35)
  // Nothing hits the holder any more: it returns what it has, and the counters hold the hits.
  pass(16_000)
  for (const key of keys) expect(windows.get(key)?.hits).toBe(rounds)
})

test('a key that is hit once is asked about once, and nothing is held of it', () => {
  const { asked, windows, hit, pass } = world()
  for (let at = 0; at < 500; at++) {
    hit(`k${at}`)
    pass(100)
  }
  pass(200_000)
  expect(asked).toEqual({ questions: 500, leases: 0 })
  expect([...windows.values()].every(({ hits }) => hits === 1)).toBe(true)
})

test('a holder that keeps as many leases as it may holds nothing of rare keys, since what makes room is lost', () => {
  const { asked, windows, hit, pass } = world(10)
  for (let round = 0; round < 20; round++) {
    for (let at = 0; at < 40; at++) hit(`k${at}`)
    pass(20_000)
  }
  expect(asked).toEqual({ questions: 800, leases: 0 })
  for (const { hits } of windows.values()) expect(hits).toBe(20)
})
