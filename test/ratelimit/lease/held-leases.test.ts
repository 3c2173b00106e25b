/** The leases of one holder: what they admit, and the questions that ask for more. */

import { describe, expect, it } from 'vitest'
import {
  admitHits,
  askAhead,
  askForHits,
  createHeldLeases,
  type HeldLeases,
  loseAnswer,
  takeAnswer,
} from '#ratelimit/lease/held-leases.ts'
import { type Draw, readQuestion, type WireDraw } from '#ratelimit/lease/lease.ts'
import { countHeld } from '#ratelimit/lease/returns.ts'
import { units } from '#ratelimit/window.ts'

const start = 1_700_000_400
const hit = (more: { key?: string; addend?: number; limit?: number } = {}) =>
  ({ key: 'a', unit: 'HOUR', addend: 1, limit: 1_000, ...more }) as const
const drawOf = (more: Partial<Draw> = {}): Draw => ({
  after: 100,
  windowStart: start,
  millisecondsUntilReset: 1_000_000,
  granted: 100,
  outstanding: 100,
  faults: 0,
  ...more,
})

/** A question about counter `a` that wants so many hits. */
const wanting = (wanted: number, key = 'a'): WireDraw => [key, units.indexOf('HOUR'), 0, 1_000, wanted, 0, []]

const ask = (held: HeldLeases, more: Parameters<typeof hit>[0], nowMs: number) =>
  readQuestion(askForHits(held, hit(more), nowMs))

/** Leases with 100 hits of counter `a` from lease 7, asked for at 0. */
function heldOf100(more: Partial<Draw> = {}) {
  const held = createHeldLeases(10)
  for (let at = 0; at < 50; at++) askForHits(held, hit(), 0)
  takeAnswer(held, wanting(100), drawOf(more), { id: 7, limit: 1_000, sentMs: 0, nowMs: 0 })
  return held
}

describe('admitHits()', () => {
  it('admits what the lease has, once, and says what is left by the last answer and the lease', () => {
    const held = heldOf100()
    expect(admitHits(held, hit({ addend: 60 }), 1)).toMatchObject({ after: 60, secondsUntilReset: 1_000 })
    expect(admitHits(held, hit({ addend: 41 }), 1)).toBeNull()
    expect(admitHits(held, hit({ addend: 40 }), 1)).toMatchObject({ after: 100 })
    expect(admitHits(held, hit(), 1)).toBeNull()
  })

  it('admits nothing from a second before 99 % of the time that the counter gave, measured from the question', () => {
    expect(admitHits(heldOf100(), hit(), 988_999)).not.toBeNull()
    expect(admitHits(heldOf100(), hit(), 989_000)).toBeNull()
  })

  it.each([1, 500, 999])('admits nothing beyond the window after a clock that was set back by %s ms', (back) => {
    const lasts = 30_000
    const held = heldOf100({ millisecondsUntilReset: lasts })
    expect(admitHits(held, hit(), 10_000)).not.toBeNull()
    expect(admitHits(held, hit(), 10_000 - back)).not.toBeNull()
    expect(admitHits(held, hit(), lasts - back)).toBeNull()
  })

  it('admits nothing under a limit below the one that was granted under, and more under a higher one', () => {
    expect(admitHits(heldOf100(), hit({ limit: 999 }), 1)).toBeNull()
    expect(admitHits(heldOf100(), hit({ limit: 2_000 }), 1)).toMatchObject({ after: 1_001 })
  })

  it('uses no lease after a clock that was set back', () => {
    const held = heldOf100()
    expect(admitHits(held, hit(), 500_000)).not.toBeNull()
    expect(admitHits(held, hit(), 400_000)).toBeNull()
    expect(ask(held, {}, 400_000).returned).toEqual([7, 99])
  })

  it('asks for more once, when half is used', () => {
    const held = heldOf100()
    expect(admitHits(held, hit({ addend: 49 }), 1)?.askWithinMs).toBeNull()
    expect(admitHits(held, hit(), 1)?.askWithinMs).toBeGreaterThanOrEqual(0)
    expect(admitHits(held, hit(), 1)?.askWithinMs).toBeNull()
    const surplus = { key: 'a', unit: 'HOUR', limit: 1_000 } as const
    expect(readQuestion(askAhead(held, surplus, 2) ?? expect.fail('nothing was asked')).wanted).toBeGreaterThan(0)
    expect(askAhead(held, surplus, 2)).toBeNull()
  })
})

describe('askForHits()', () => {
  it('returns a lease that is too small for the hits, and asks for one lease at a time', () => {
    const held = heldOf100()
    admitHits(held, hit({ addend: 30 }), 1)
    const first = ask(held, { addend: 80 }, 2)
    expect(first).toMatchObject({ addend: 80, returned: [7, 70] })
    expect(first.wanted).toBeGreaterThan(0)
    expect(ask(held, {}, 3).wanted).toBe(0)
    expect(ask(held, {}, 20_000).wanted).toBeGreaterThanOrEqual(0)
  })

  it('says which leases are used up', () => {
    const held = heldOf100()
    admitHits(held, hit({ addend: 100 }), 1)
    expect(ask(held, {}, 1).returned).toEqual([7, 0])
    expect(ask(held, {}, 1).returned).toEqual([])
  })

  it('returns again what a lost question returned', () => {
    const held = heldOf100()
    const lost = askForHits(held, hit({ addend: 200 }), 1)
    loseAnswer(held, lost)
    expect(ask(held, {}, 2).returned).toEqual([7, 100])
  })

  it('asks for no lease of a key that is too long to keep', () => {
    const held = createHeldLeases(10)
    for (let at = 0; at < 50; at++) expect(ask(held, { key: 'k'.repeat(2_000) }, 0).wanted).toBe(0)
  })

  it('keeps no more counters in mind than it may', () => {
    const held = createHeldLeases(3)
    for (let at = 0; at < 20; at++) {
      askForHits(held, hit({ key: `k${at}` }), 0)
      takeAnswer(held, wanting(5, `k${at}`), drawOf({ granted: 5 }), { id: at, limit: 1_000, sentMs: 0, nowMs: 0 })
      expect(countHeld(held)).toBeLessThanOrEqual(3)
    }
  })
})

describe('takeAnswer()', () => {
  it('never uses a lease of an older window than the lease has', () => {
    const held = heldOf100()
    takeAnswer(held, wanting(9), drawOf({ windowStart: start - 3_600 }), { id: 8, limit: 1_000, sentMs: 0, nowMs: 5 })
    expect(admitHits(held, hit({ addend: 101 }), 6)).toBeNull()
    expect(admitHits(held, hit({ addend: 100 }), 6)).not.toBeNull()
  })

  it('holds what it had for void when the window has turned', () => {
    const held = heldOf100()
    const next = drawOf({ windowStart: start + 3_600, granted: 3, after: 3 })
    takeAnswer(held, wanting(9), next, { id: 8, limit: 1_000, sentMs: 0, nowMs: 5 })
    expect(admitHits(held, hit({ addend: 4 }), 6)).toBeNull()
    expect(admitHits(held, hit({ addend: 3 }), 6)).toMatchObject({ after: 3 })
  })
})
