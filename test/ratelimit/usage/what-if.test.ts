import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'
import { type WhatIf, whatIf } from '#ratelimit/usage/what-if.ts'
import { compileRules, compileShop } from '../../support/compile-rules.ts'

const rulesOf = (perMinute: number, more = '') =>
  compileRules([
    {
      key: 'config.shop.yaml',
      text: `domain: shop\ndescriptors:\n  - key: login\n${more}    rate_limit:\n      unit: minute\n      requests_per_unit: ${perMinute}\n`,
    },
  ])

const none = compileRules([])
const settings = { comparisons: 1_000_000, isQuotaMode: false }

/** Compares with rules that admit everything, if no others run. */
function judge(samples: readonly SampledRequest[], proposed: RuleBook, running = none): WhatIf {
  return doAtOnce(whatIf(samples, { running, proposed }, settings))
}

function login(value: string, at: number, weight = 1): SampledRequest {
  const entries = [{ key: 'login', value }]
  const request = { domain: 'shop', descriptors: [{ entries }], hitsAddend: 0 }
  return { at, weight, code: 'OK', request, outcomes: [{ rule: 'shop.login', outcome: 'admitted' }] }
}

describe('whatIf', () => {
  it('refuses what goes beyond the limit in one window, and counts from 0 in the next', () => {
    const requests = [0, 1, 2, 60].map((second) => login('a', second * 1000))
    const result = judge(requests, rulesOf(2))
    expect(result).toMatchObject({
      sampled: 4,
      requests: 4,
      was: { admitted: 4, refused: 0 },
      would: { admitted: 3, refused: 1 },
      changedRequests: 1,
      changed: [{ at: 2000, was: 'OK', would: 'OVER_LIMIT', wasRule: null, wouldRule: 'shop.login' }],
    })
  })

  it('counts reservations by their estimates, and refuses nothing by concurrency', () => {
    const requests = [0, 1, 2].map((second) => login('a', second * 1000))
    const text = (sluice: string) =>
      `domain: shop\ndescriptors: [{key: login, rate_limit: {unit: minute, requests_per_unit: 1, sluice: ${sluice}}}]`
    const refused = (sluice: string) =>
      judge(requests, compileRules([{ key: 'config.shop.yaml', text: text(sluice) }])).would.refused
    expect([refused('{unsettled: charged}'), refused('{algorithm: concurrency}')]).toEqual([2, 0])
  })

  it.each([
    ['refuses the request', '', 0],
    ['is in quota mode', 'quota_mode: true, ', 2],
    ['is in shadow mode', 'shadow_mode: true, ', 2],
  ])('counts all or nothing as a decision does, beside a limit that is over and %s', (_mode, mode, refused) => {
    const rules = compileShop(
      '  - {key: together, rate_limit: {unit: day, requests_per_unit: 2, sluice: {charge: all_or_nothing}}}',
      `  - {key: login, ${mode}rate_limit: {unit: day, requests_per_unit: 0}}`,
    )
    const samples = [0, 1, 2, 3].map((second): SampledRequest => {
      const { request, ...sample } = login('a', second * 1_000)
      const together = { entries: [{ key: 'together', value: 'v' }] }
      const isBoth = second < 2
      return { ...sample, request: { ...request, descriptors: [together, ...(isBoth ? request.descriptors : [])] } }
    })
    const { changed } = judge(samples, rules)
    expect(changed.filter(({ at }) => at >= 2_000)).toHaveLength(refused)
  })

  it('finds no difference between rules and themselves, also where history decided otherwise', () => {
    const requests = [0, 1, 2, 61, 62].map((second) => login('a', second * 1000))
    // The first was refused by a window that was full before the sample, another one by a block.
    const samples = requests.map((sample, at) => ({ ...sample, code: at % 2 === 0 ? 'OVER_LIMIT' : 'OK' }) as const)
    const result = judge(samples, rulesOf(2), rulesOf(2))
    expect(result).toMatchObject({ sampled: 5, changed: [], changedRequests: 0 })
    expect(result.was).toEqual(result.would)
    expect(result.was.refused).toBeGreaterThan(0)
    expect(judge(samples, rulesOf(3), rulesOf(2)).changed).toMatchObject([
      { was: 'OVER_LIMIT', would: 'OK', wasRule: 'shop.login', wouldRule: null },
    ])
  })

  it('refuses no request that gives hits back, however full its counter is', () => {
    const { request, ...sample } = login('a', 3)
    const refund = {
      ...request,
      descriptors: request.descriptors.map((one) => ({ ...one, hitsAddend: 5n, isNegativeHits: true })),
    }
    const samples = [login('a', 0), login('a', 1), login('a', 2), { ...sample, request: refund }, login('a', 4)]
    expect(judge(samples, rulesOf(2)).changed.map(({ at }) => at)).toEqual([2])
  })

  it('refuses under the global quota mode only what every descriptor refuses', () => {
    const { request, ...sample } = login('a', 0)
    const both = { ...request, descriptors: [...request.descriptors, { entries: [{ key: 'free', value: 'x' }] }] }
    const compared = { running: none, proposed: rulesOf(0) }
    const verdicts = [false, true].map(
      (isQuotaMode) =>
        doAtOnce(whatIf([{ ...sample, request: both }], compared, { ...settings, isQuotaMode })).would.refused,
    )
    expect(verdicts).toEqual([1, 0])
  })

  it('counts a sample once for each request that it represents', () => {
    expect(judge([login('a', 0, 10), login('a', 1, 10)], rulesOf(5)).would).toEqual({ admitted: 10, refused: 10 })
    expect(judge([login('a', 0, 10), login('b', 1, 10)], rulesOf(5)).would).toEqual({ admitted: 20, refused: 0 })
  })

  it('passes a refund larger than the limit, and counts from 0 after it', () => {
    const { request, ...sample } = login('a', 2)
    const descriptors = request.descriptors.map((descriptor) => ({
      ...descriptor,
      hitsAddend: 3n,
      isNegativeHits: true,
    }))
    const refund = { ...sample, request: { ...request, descriptors } }
    const requests = [login('a', 0), login('a', 1), refund, login('a', 3), login('a', 4), login('a', 5)]
    const result = judge(requests, rulesOf(2))
    expect(result.would).toEqual({ admitted: 5, refused: 1 })
    expect(result.changed.map(({ at }) => at)).toEqual([5])
  })

  it('passes what a shadow rule would refuse, and what no rule matches', () => {
    const requests = [login('a', 0), login('a', 1)]
    expect(judge(requests, rulesOf(1, '    shadow_mode: true\n')).would.refused).toBe(0)
    expect(judge(requests, compileRules([])).would).toEqual({ admitted: 2, refused: 0 })
  })

  it('leaves out a request whose override has no unit that exists, which was sampled under an unknown domain', () => {
    const { request, ...sample } = login('a', 0)
    const limit = { requestsPerUnit: 1, unit: null }
    const descriptors = request.descriptors.map((descriptor) => ({ ...descriptor, limit }))
    const result = judge([{ ...sample, request: { ...request, descriptors } }, login('b', 1)], rulesOf(5))
    expect(result).toMatchObject({ sampled: 1, requests: 1, would: { admitted: 1, refused: 0 } })
  })

  it('lists at most fifty changes and counts them all', () => {
    const requests = Array.from({ length: 80 }, (_, at) => login('a', at))
    const result = judge(requests, rulesOf(0))
    expect([result.changed.length, result.changedRequests]).toEqual([50, 80])
  })

  it('yields by what its samples cost, and refuses rules whose wildcards cost more than one request may', () => {
    const value = '/'.repeat(250)
    const text = `domain: shop\ndescriptors:\n${Array.from({ length: 100 }, (_, at) => `  - {key: login, value: "*${at}*"}\n`).join('')}`
    const rules = compileRules([{ key: 'config.shop.yaml', text }])
    const samples = Array.from({ length: 1_000 }, (_, at) => login(value, at))
    const compared = { running: none, proposed: rules }
    expect([...whatIf(samples, compared, settings)].length).toBeGreaterThan(10)
    const costly = whatIf(samples, compared, { ...settings, comparisons: 10_000 })
    expect(() => doAtOnce(costly)).toThrow('REQUEST_MAX_COMPARISONS')
  })
})
