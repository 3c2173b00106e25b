import { expect, it } from 'vitest'
import { type Decision, type ListedDecision, ofDomain, withNewest } from '#console/ratelimit/decisions.ts'

const decisionOf = (domain: string, at: number): Decision => ({
  at,
  weight: 1,
  code: 'OK',
  request: { domain, descriptors: [], hitsAddend: 0 },
  outcomes: [],
})

it('withNewest() keeps the newest twelve, each under its serial', () => {
  let listed: readonly ListedDecision[] = []
  const serials = new Map<number, number>()
  for (let at = 0; at < 30; at++) {
    listed = withNewest(listed, decisionOf('shop', at))
    for (const one of listed) expect(one.serial).toBe(serials.get(one.at) ?? one.serial)
    for (const one of listed) serials.set(one.at, one.serial)
    expect(new Set(listed.map(({ serial }) => serial)).size).toBe(listed.length)
  }
  expect(listed.map(({ at }) => at)).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18])
})

it('ofDomain() keeps the decisions of a domain, or all but the gate’s', () => {
  const both = [decisionOf('shop', 1), decisionOf('api', 2)]
  expect(ofDomain([...both, decisionOf('sluice', 3)], null)).toEqual(both)
  expect(ofDomain(both, 'api').map(({ at }) => at)).toEqual([2])
  expect(ofDomain(both, null)).toEqual(both)
})
