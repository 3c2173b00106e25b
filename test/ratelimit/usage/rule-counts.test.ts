/** Counts of rules and requests: one for each second and name, and a bounded number of them. */

import { describe, expect, it } from 'vitest'
import { defaultOptions, type Limit } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import { otherRules, usageBounds } from '#ratelimit/usage/bounds.ts'
import { findRequestCount, findRuleCount, noCounts, turnSecond } from '#ratelimit/usage/rule-counts.ts'

function limitOf(statKey: string): Limit {
  const rateLimit = { requestsPerUnit: 5, unit: 'DAY' } as const
  return { ...defaultOptions, rateLimit, requestsPerUnit: 5, statKey, stats: limitStatNames(statKey) }
}

describe('findRuleCount()', () => {
  it('finds one count for a rule and a second, also by another limit of the same name', () => {
    const counts = noCounts()
    turnSecond(counts, 60)
    const login = limitOf('shop.login')
    const count = findRuleCount(counts, login, 'shop')
    expect(count).toEqual({ second: 60, domain: 'shop', rule: 'shop.login', admitted: 0, refused: 0, shadow: 0 })
    expect(findRuleCount(counts, login, 'shop')).toBe(count)
    expect(findRuleCount(counts, limitOf('shop.login'), 'shop')).toBe(count)
    expect(findRuleCount(counts, limitOf('shop.page'), 'shop')).not.toBe(count)
    turnSecond(counts, 61)
    expect(findRuleCount(counts, login, 'shop')).not.toBe(count)
    expect(counts.counts).toHaveLength(3)
  })

  it('counts rules together once there are too many, in each second', () => {
    const counts = noCounts()
    turnSecond(counts, 60)
    for (let at = 0; at < usageBounds.counts; at++) findRuleCount(counts, limitOf(`shop.${at}`), 'shop')
    const others = findRuleCount(counts, limitOf('shop.one'), 'shop')
    expect(others).toMatchObject({ domain: '', rule: otherRules, second: 60 })
    expect(findRuleCount(counts, limitOf('shop.two'), 'shop')).toBe(others)
    turnSecond(counts, 61)
    expect(findRuleCount(counts, limitOf('shop.two'), 'shop')).toMatchObject({ rule: otherRules, second: 61 })
    expect(counts.counts).toHaveLength(usageBounds.counts + 2)
  })
})

describe('findRequestCount()', () => {
  it('finds one count for a domain and a second, apart from those of rules', () => {
    const counts = noCounts()
    turnSecond(counts, 60)
    const count = findRequestCount(counts, 'shop')
    expect(count).toMatchObject({ second: 60, domain: 'shop', rule: '' })
    expect(findRequestCount(counts, 'shop')).toBe(count)
    expect(findRequestCount(counts, '')).not.toBe(count)
  })

  it('counts domains together once there are too many counts, apart from rules', () => {
    const counts = noCounts()
    turnSecond(counts, 60)
    for (let at = 0; at < usageBounds.counts; at++) findRuleCount(counts, limitOf(`shop.${at}`), 'shop')
    expect(findRequestCount(counts, 'shop')).toMatchObject({ domain: '', rule: '' })
    expect(findRequestCount(counts, 'bank')).toBe(findRequestCount(counts, 'shop'))
  })
})

describe('turnSecond()', () => {
  it('keeps the counts of a second that goes on', () => {
    const counts = noCounts()
    turnSecond(counts, 60)
    const count = findRequestCount(counts, 'shop')
    turnSecond(counts, 60)
    expect(findRequestCount(counts, 'shop')).toBe(count)
  })
})
