import { describe, expect, it } from 'vitest'
import { matchAll } from '#ratelimit/match.ts'
import { otherRules, usageBounds } from '#ratelimit/usage/bounds.ts'
import { createUsageAccumulator } from '#ratelimit/usage/usage-accumulator.ts'
import { compileRules, enoughWork } from '../../support/compile-rules.ts'

const rules = compileRules([
  {
    key: 'config.shop.yaml',
    text: `domain: shop
descriptors:
  - key: login
    rate_limit: { unit: minute, requests_per_unit: 5 }
  - key: page
    detailed_metric: true
    rate_limit: { unit: minute, requests_per_unit: 5 }
`,
  },
])

function decided(
  value: string,
  remaining: number,
  options: { key?: string; domain?: string; isOver?: boolean; code?: 'OK' | 'OVER_LIMIT'; nowMs?: number } = {},
) {
  const { key = 'login', domain = 'shop', isOver = false, code = 'OK', nowMs = 60_000 } = options
  const request = { domain, descriptors: [{ entries: [{ key, value }] }], hitsAddend: 0 }
  const matches = matchAll(rules, request, '', enoughWork())
  const limit = { requestsPerUnit: 5, unit: 'MINUTE' as const }
  const status = { code, currentLimit: limit, limitRemaining: remaining, secondsUntilReset: 30 }
  const response = { overallCode: code, statuses: [status], responseHeadersToAdd: [] }
  const isKnownDomain = rules.domains.has(domain)
  const judged = matches.map((match) => ({ match, status, isOver }))
  return { request, response, decided: judged, isKnownDomain, isShadowed: false, nowMs }
}

describe('createUsageAccumulator', () => {
  it('counts whole requests and rules by their second, and the three ways that a decision goes', () => {
    const tally = createUsageAccumulator(() => 0)
    tally.add(decided('me', 4))
    tally.add(decided('me', 0, { isOver: true, code: 'OVER_LIMIT' }))
    tally.add(decided('me', 0, { isOver: true }))
    const counts = { second: 60, domain: 'shop', admitted: 1, refused: 1, shadow: 1 }
    expect(tally.take()?.counts).toEqual([
      { ...counts, rule: 'shop.login' },
      { ...counts, rule: '' },
    ])
    expect(tally.take()).toBeNull()
  })

  it('names the keys that came most and those refused most, with what they mean', () => {
    const tally = createUsageAccumulator(() => 0)
    for (let at = 0; at < 3; at++) tally.add(decided('a', 0, { isOver: true, code: 'OVER_LIMIT' }))
    tally.add(decided('b', 4))
    const report = tally.take()
    const label = { domain: 'shop', rule: 'shop.login', entries: [{ key: 'login', value: 'a' }] }
    expect(report?.refused).toEqual([{ key: 'shop_login_a_', count: 3, error: 0, label }])
    expect(report?.used.map(({ key, count }) => [key, count])).toEqual([
      ['shop_login_a_', 3],
      ['shop_login_b_', 1],
    ])
  })

  it('counts whole requests once for a second, also where two seconds come in turn', () => {
    const tally = createUsageAccumulator(() => 0)
    for (let at = 0; at < usageBounds.counts; at++) {
      tally.add(decided('me', 4, { nowMs: 60_999 }))
      tally.add(decided('me', 4, { nowMs: 61_000 }))
    }
    const counts = { domain: 'shop', rule: '', admitted: usageBounds.counts, refused: 0, shadow: 0 }
    expect(tally.take()?.counts.filter(({ rule }) => rule === '')).toEqual([
      { ...counts, second: 60 },
      { ...counts, second: 61 },
    ])
  })

  it('keeps one counter of a rule whose statistics take values, and leaves room for others', () => {
    const tally = createUsageAccumulator(() => 0)
    for (let at = 0; at < usageBounds.fills; at++) tally.add(decided('same', 4, { key: 'page' }))
    tally.add(decided('a', 1))
    expect(tally.take()?.fills.map(({ rule }) => rule)).toEqual(['shop.page_same', 'shop.login'])
  })

  it('keeps the fullest counter of a rule', () => {
    const tally = createUsageAccumulator(() => 0)
    tally.add(decided('a', 4))
    tally.add(decided('b', 1))
    tally.add(decided('c', 3))
    const fill = { domain: 'shop', rule: 'shop.login', key: 'shop_login_b_', limit: 5, unit: 'MINUTE' }
    expect(tally.take()?.fills).toEqual([{ ...fill, remaining: 1, endsAt: 90 }])
  })

  it('gives each sample the number of requests that it represents, and samples no long texts', () => {
    const tally = createUsageAccumulator(() => 0.99)
    for (let at = 0; at < 100; at++) tally.add(decided(`user ${at}`, 4))
    const samples = tally.take()?.samples ?? []
    expect(samples.length).toBe(usageBounds.samples)
    expect(samples.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(100)
    tally.add(decided('x'.repeat(usageBounds.sampleText + 1), 4))
    expect(tally.take()?.samples).toEqual([])
  })

  it('does not grow with names that callers choose', () => {
    const tally = createUsageAccumulator(() => 0.5)
    for (let at = 0; at < 5_000; at++) {
      tally.add(decided(`value ${at}`, 4, { key: 'page' }))
      tally.add(decided('me', 4, { domain: `domain ${at}` }))
    }
    const report = tally.take()
    expect(report?.counts.length).toBeLessThanOrEqual(usageBounds.counts + 2)
    expect(report?.counts.find(({ rule }) => rule === otherRules)?.admitted).toBeGreaterThan(4_000)
    expect(report?.counts.find(({ domain, rule }) => domain === '' && rule === '')?.admitted).toBe(5_000)
    expect(report?.used.length).toBeLessThanOrEqual(usageBounds.keys)
    expect(report?.fills.length).toBeLessThanOrEqual(usageBounds.fills)
  })
})
