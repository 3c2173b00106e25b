import { describe, expect, it } from 'vitest'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import { createShares } from '#ratelimit/lease/lease-holder.ts'
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

/** Shares with 100 hits of counter `a` from lease 7, asked for at 0. */
function sharesOf100(more: Partial<Draw> = {}) {
  const shares = createShares(10)
  for (let at = 0; at < 50; at++) shares.ask(hit(), 0)
  const wire: WireDraw = ['a', units.indexOf('HOUR'), 0, 1_000, 100, 0, []]
  shares.take(wire, drawOf(more), { id: 7, limit: 1_000, sentMs: 0, nowMs: 0 })
  return shares
}

describe('Shares.admit()', () => {
  it('admits what the share has, once, and says what is left by the last answer and the share', () => {
    const shares = sharesOf100()
    expect(shares.admit(hit({ addend: 60 }), 1)).toMatchObject({ after: 60, secondsUntilReset: 1_000 })
    expect(shares.admit(hit({ addend: 41 }), 1)).toBeNull()
    expect(shares.admit(hit({ addend: 40 }), 1)).toMatchObject({ after: 100 })
    expect(shares.admit(hit(), 1)).toBeNull()
  })

  it('admits nothing from a second before 99 % of the time that the counter gave, measured from the question', () => {
    expect(sharesOf100().admit(hit(), 988_999)).not.toBeNull()
    expect(sharesOf100().admit(hit(), 989_000)).toBeNull()
  })

  it.each([1, 500, 999])('admits nothing beyond the window after a clock that was set back by %s ms', (back) => {
    const lasts = 30_000
    const shares = sharesOf100({ millisecondsUntilReset: lasts })
    expect(shares.admit(hit(), 10_000)).not.toBeNull()
    expect(shares.admit(hit(), 10_000 - back)).not.toBeNull()
    expect(shares.admit(hit(), lasts - back)).toBeNull()
  })

  it('admits nothing under a limit below the one that was granted under, and more under a higher one', () => {
    expect(sharesOf100().admit(hit({ limit: 999 }), 1)).toBeNull()
    expect(sharesOf100().admit(hit({ limit: 2_000 }), 1)).toMatchObject({ after: 1_001 })
  })

  it('uses no share after a clock that was set back', () => {
    const shares = sharesOf100()
    expect(shares.admit(hit(), 500_000)).not.toBeNull()
    expect(shares.admit(hit(), 400_000)).toBeNull()
    const [, , , , , , returned] = shares.ask(hit(), 400_000)
    expect(returned).toEqual([7, 99])
  })

  it('asks for more once, when half is used', () => {
    const shares = sharesOf100()
    expect(shares.admit(hit({ addend: 49 }), 1)?.askWithinMs).toBeNull()
    expect(shares.admit(hit(), 1)?.askWithinMs).toBeGreaterThanOrEqual(0)
    expect(shares.admit(hit(), 1)?.askWithinMs).toBeNull()
    expect(shares.askAhead({ key: 'a', unit: 'HOUR' }, 1_000, 2)?.[4]).toBeGreaterThan(0)
    expect(shares.askAhead({ key: 'a', unit: 'HOUR' }, 1_000, 2)).toBeNull()
  })
})

describe('Shares.ask()', () => {
  it('returns a share that is too small for the hits, and asks for one lease at a time', () => {
    const shares = sharesOf100()
    shares.admit(hit({ addend: 30 }), 1)
    const first = shares.ask(hit({ addend: 80 }), 2)
    expect(first[2]).toBe(80)
    expect(first[4]).toBeGreaterThan(0)
    expect(first[6]).toEqual([7, 70])
    expect(shares.ask(hit(), 3)[4]).toBe(0)
    expect(shares.ask(hit(), 20_000)[4]).toBeGreaterThanOrEqual(0)
  })

  it('says which leases are used up', () => {
    const shares = sharesOf100()
    shares.admit(hit({ addend: 100 }), 1)
    expect(shares.ask(hit(), 1)[6]).toEqual([7, 0])
    expect(shares.ask(hit(), 1)[6]).toEqual([])
  })

  it('returns again what a lost question returned', () => {
    const shares = sharesOf100()
    const lost = shares.ask(hit({ addend: 200 }), 1)
    shares.lose(lost)
    expect(shares.ask(hit(), 2)[6]).toEqual([7, 100])
  })

  it('asks for no lease of a key that is too long to keep', () => {
    const shares = createShares(10)
    for (let at = 0; at < 50; at++) expect(shares.ask(hit({ key: 'k'.repeat(2_000) }), 0)[4]).toBe(0)
  })

  it('keeps no more counters in mind than it may', () => {
    const shares = createShares(3)
    const wire = (key: string): WireDraw => [key, units.indexOf('HOUR'), 0, 1_000, 5, 0, []]
    for (let at = 0; at < 20; at++) {
      shares.ask(hit({ key: `k${at}` }), 0)
      shares.take(wire(`k${at}`), drawOf({ granted: 5 }), { id: at, limit: 1_000, sentMs: 0, nowMs: 0 })
      expect(shares.size).toBeLessThanOrEqual(3)
    }
  })
})

describe('Shares.take()', () => {
  it('never uses a lease of an older window than the share has', () => {
    const shares = sharesOf100()
    const wire: WireDraw = ['a', units.indexOf('HOUR'), 0, 1_000, 9, 0, []]
    shares.take(wire, drawOf({ windowStart: start - 3_600 }), { id: 8, limit: 1_000, sentMs: 0, nowMs: 5 })
    expect(shares.admit(hit({ addend: 101 }), 6)).toBeNull()
    expect(shares.admit(hit({ addend: 100 }), 6)).not.toBeNull()
  })

  it('holds what it had for void when the window has turned', () => {
    const shares = sharesOf100()
    const wire: WireDraw = ['a', units.indexOf('HOUR'), 0, 1_000, 9, 0, []]
    const next = drawOf({ windowStart: start + 3_600, granted: 3, after: 3 })
    shares.take(wire, next, { id: 8, limit: 1_000, sentMs: 0, nowMs: 5 })
    expect(shares.admit(hit({ addend: 4 }), 6)).toBeNull()
    expect(shares.admit(hit({ addend: 3 }), 6)).toMatchObject({ after: 3 })
  })
})

describe('Shares.surplus()', () => {
  it('is what a silent holder has, which giveBack() returns', () => {
    const shares = sharesOf100()
    shares.admit(hit({ addend: 60 }), 1_000)
    expect(shares.surplus(2_000)).toEqual([])
    const [surplus] = shares.surplus(30_000)
    expect(surplus).toEqual({ key: 'a', unit: 'HOUR', limit: 1_000 })
    expect(surplus && shares.giveBack(surplus, 30_000)).toEqual(['a', units.indexOf('HOUR'), 0, 1_000, 0, 0, [7, 40]])
    expect(shares.surplus(30_000)).toEqual([])
    expect(surplus && shares.giveBack(surplus, 30_000)).toBeNull()
  })
})
