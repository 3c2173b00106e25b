/** From proposals to assignments: nothing beyond what there is, and one hit for as many as possible. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide } from '#ratelimit/quota/division.ts'
import {
  type Assignment,
  type Holding,
  isRefusedFor,
  newHolding,
  refusalSeconds,
  refuseHits,
  replaceAssignment,
  sumLeft,
} from '#ratelimit/quota/holding.ts'
import type { Proposal, Terms } from '#ratelimit/quota/proposal.ts'
import { passable } from '#ratelimit/quota/token-bucket.ts'

const lagMs = 1_000
const window = 1_200
const nowMs = window * 1_000 + 10_000
/** Assignments that last 30 seconds at the Envoy. */
const terms: Terms = { window, nowMs, endsMs: nowMs + 31_000, lagMs }

/** Two hits at once and one a second, in force since 5 seconds for 20. */
const inForce: Assignment = {
  bucket: { maxTokens: 2, tokensPerFill: 1_000 },
  startedMs: nowMs - 5_000,
  endsMs: nowMs + 15_000,
  windowStart: window,
  left: 22,
  owed: 0,
}

const idle = () => newHolding(nowMs)
const busy = (): Holding => ({ ...replaceAssignment(newHolding(nowMs), inForce, lagMs), lastReportMs: nowMs })

function divided(proposals: readonly Proposal[], holdings: Readonly<Record<string, Holding>>, most: number) {
  const { sent, held, holdings: changed } = divide(proposals, new Map(Object.entries(holdings)), most, terms)
  return { sent: Object.fromEntries(sent.map((one) => [one.holder, one])), held, changed: new Map(changed) }
}

const replace = (holder: string, hits: number): Proposal => ({ holder, kind: 'replace', hits })
const propose = (holder: string, kind: Proposal['kind']): Proposal => ({ holder, kind, hits: 0 })

describe('divide()', () => {
  it('gives each what is proposed while there is enough, for the whole seconds at the Envoy', () => {
    const { sent, held, changed } = divided([replace('a', 40), replace('b', 60)], { a: idle(), b: idle() }, 100)
    expect([sent.a?.seconds, sent.b?.seconds]).toEqual([30, 30])
    for (const [holder, hits] of [
      ['a', 40],
      ['b', 60],
    ] as const) {
      const bucket = sent[holder]?.bucket ?? null
      const most = bucket === null ? 0 : passable(bucket, 31)
      expect(most).toBeLessThanOrEqual(hits)
      expect(most).toBeGreaterThan(hits - 1)
      expect(changed.get(holder)).toMatchObject({ assignments: [{ left: most, endsMs: terms.endsMs }] })
    }
    expect(held).toBeLessThanOrEqual(100)
  })

  it('scales all parts down alike where there is not enough', () => {
    const { sent, held } = divided([replace('a', 100), replace('b', 300)], { a: idle(), b: idle() }, 200)
    const [a = 0, b = 0] = ['a', 'b'].map((holder) => sent[holder]?.bucket?.tokensPerFill)
    expect(b / a).toBeCloseTo(3, 1)
    expect(held).toBeLessThanOrEqual(200)
    expect(held).toBeGreaterThan(198)
  })

  it('gives one hit each to the largest where a part would be less than one', () => {
    const holders = ['a', 'b', 'c', 'd'] as const
    const holdings = Object.fromEntries(holders.map((holder) => [holder, idle()]))
    const proposals = holders.map((holder, at) => replace(holder, 1 + at / 10))
    const { sent, held } = divided(proposals, holdings, 2.5)
    expect(holders.filter((holder) => sent[holder]?.bucket != null)).toEqual(['c', 'd'])
    expect([sent.a?.seconds, sent.b?.seconds]).toEqual([refusalSeconds, refusalSeconds])
    expect(held).toBeLessThanOrEqual(2.5)
  })

  it('sends nothing for what is kept, but holds its hits', () => {
    const { sent, held, changed } = divided([propose('a', 'keep')], { a: busy() }, 100)
    expect([sent, changed.size, held]).toEqual([{}, 0, 22])
  })

  it('sends the same bucket for longer, and holds what fills it', () => {
    const { sent, held } = divided([propose('a', 'extend')], { a: busy() }, 100)
    expect(sent.a).toEqual({ holder: 'a', bucket: inForce.bucket, seconds: 30 })
    expect(held).toBe(22 + 16)
  })

  it('leaves out an extension that there are not enough hits for', () => {
    expect(divided([propose('a', 'extend')], { a: busy() }, 37)).toMatchObject({ sent: {}, held: 22 })
  })

  it('leaves out an extension of nothing, and a holder that is unknown', () => {
    expect(divided([propose('a', 'extend'), replace('b', 5)], { a: idle() }, 9)).toMatchObject({ sent: {}, held: 0 })
  })

  it('refuses every hit once the refusal is delivered', () => {
    const { sent, held, changed } = divided([propose('a', 'refuse')], { a: busy() }, 100)
    expect(sent.a).toEqual({ holder: 'a', bucket: null, seconds: refusalSeconds })
    // One lag before the report to one lag from now: two hits at once, and two more.
    expect(held).toBe(4)
    expect(changed.get('a')?.isRefused).toBe(true)
  })

  it('sends a refusal again only when half of it is over', () => {
    const refused = (secondsAgo: number): Holding => {
      const fromMs = nowMs - secondsAgo * 1_000
      return refuseHits(idle(), { fromMs, untilMs: fromMs + refusalSeconds * 1_000 }, lagMs)
    }
    expect(divided([propose('a', 'refuse')], { a: refused(14) }, 100).sent).toEqual({})
    expect(divided([propose('a', 'refuse')], { a: refused(15) }, 100).sent).toHaveProperty('a')
  })

  it('refuses at the end of a window, where no time is left to assign anything', () => {
    const over: Terms = { ...terms, endsMs: nowMs }
    const { sent } = divide([replace('a', 5)], new Map([['a', idle()]]), 9, over)
    expect(sent).toEqual([{ holder: 'a', bucket: null, seconds: refusalSeconds }])
  })

  it('never holds more than there is, or than was held before where that is more', () => {
    const proposal = fc.record({
      kind: fc.constantFrom('keep', 'extend', 'replace', 'refuse'),
      hits: fc.double({ min: 0, max: 500, noNaN: true }),
      isBusy: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(proposal, { maxLength: 12 }),
        fc.double({ min: 0, max: 1_000, noNaN: true }),
        (items, most) => {
          const holdings = new Map(items.map(({ isBusy }, at) => [`h${at}`, isBusy ? busy() : idle()]))
          const proposals = items.map(({ kind, hits }, at): Proposal => ({ holder: `h${at}`, kind, hits }))
          const before = items.filter(({ isBusy }) => isBusy).length * inForce.left
          const result = divide(proposals, holdings, most, terms)
          expect(result.held).toBeLessThanOrEqual(Math.max(most, before) + 1e-9)
          const after = new Map([...holdings, ...result.holdings])
          const left = [...after.values()].reduce((sum, holding) => sum + sumLeft(holding, window), 0)
          expect(left).toBeCloseTo(result.held, 6)
        },
      ),
      { seed: 13 },
    )
  })
})

describe('isRefusedFor()', () => {
  const refused = refuseHits(idle(), { fromMs: nowMs, untilMs: nowMs + 30_000 }, lagMs)

  it.each([
    [0, true],
    [14_999, true],
    [15_000, false],
  ])('of a refusal of 30 s that was sent %i ms ago is %s', (agoMs, isRefused) => {
    expect(isRefusedFor(refused, nowMs + agoMs)).toBe(isRefused)
  })

  it('is false where an assignment was sent last', () => {
    expect(isRefusedFor(busy(), nowMs)).toBe(false)
  })
})
