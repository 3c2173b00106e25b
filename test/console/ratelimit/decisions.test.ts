import { expect, it } from 'vitest'
import { type Decision, type ListedDecision, withNewest } from '#console/ratelimit/decisions.ts'

const decisionAt = (at: number): Decision => ({
  at,
  weight: 1,
  code: 'OK',
  request: { domain: 'shop', descriptors: [], hitsAddend: 0 },
  outcomes: [],
})

it('withNewest() keeps the newest twelve, each under its serial', () => {
  let listed: readonly ListedDecision[] = []
  const serials = new Map<number, number>()
  for (let at = 0; at < 30; at++) {
    listed = withNewest(listed, decisionAt(at))
    for (const one of listed) expect(one.serial).toBe(serials.get(one.at) ?? one.serial)
    for (const one of listed) serials.set(one.at, one.serial)
    expect(new Set(listed.map(({ serial }) => serial)).size).toBe(listed.length)
  }
  expect(listed.map(({ at }) => at)).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18])
})
