/** Differences between two configurations, and the counters that they cost. */

import { expect, test } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { diffRules } from '#ratelimit/config/diff.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { compileRules } from '../../support/compile-rules.ts'

const rules = (unit: string, requests: number, more = '') =>
  compileRules([
    {
      key: 'config.shop.yaml',
      text: `domain: shop\ndescriptors:\n  - key: user\n    rate_limit: {unit: ${unit}, requests_per_unit: ${requests}}\n${more}`,
    },
  ])

/** Rules of one domain: the limits by their keys. */
function shopOf(limits: Readonly<Record<string, string>>): RuleBook {
  const lines = Object.entries(limits).map(([key, limit]) => `  - {key: ${key}, rate_limit: ${limit}}\n`)
  return compileRules([{ key: 'config.shop.yaml', text: `domain: shop\ndescriptors:\n${lines.join('')}` }])
}

const userOf = (unit: string, requests: number) =>
  `unit=${unit} requests_per_unit=${requests}, shadow_mode: false, quota_mode: false`

test('diffRules() finds nothing between equal rules', () => {
  expect(doAtOnce(diffRules(rules('day', 5), rules('day', 5)))).toEqual([])
})

test('diffRules() keeps the counters of a limit that is raised, and not those of another unit', () => {
  const change = { change: 'changed', key: 'shop.user', before: userOf('DAY', 5) }
  expect(doAtOnce(diffRules(rules('day', 5), rules('day', 6)))).toEqual([
    { ...change, after: userOf('DAY', 6), losesCounters: false },
  ])
  expect(doAtOnce(diffRules(rules('day', 5), rules('hour', 5)))).toEqual([
    { ...change, after: userOf('HOUR', 5), losesCounters: true },
  ])
})

test('diffRules() lists what appears and what disappears in the order of the keys', () => {
  const none: RuleBook = { domains: new Map() }
  const keys = (before: RuleBook, after: RuleBook) =>
    doAtOnce(diffRules(before, after)).map(({ change, key }) => `${change} ${key}`)
  const more = rules('day', 5, '  - key: ip\n')
  expect(keys(none, more)).toEqual(['added shop', 'added shop.ip', 'added shop.user'])
  expect(keys(more, rules('day', 5))).toEqual(['removed shop.ip'])
})

test('diffRules() lists rules that appear, disappear or change, and those whose counters begin anew', () => {
  const day = '{unit: day, requests_per_unit: 3}'
  const before = shopOf({ same: day, raised: day, unit: day, gone: day })
  const raised = '{unit: day, requests_per_unit: 9}'
  const after = shopOf({ same: day, raised, unit: '{unit: hour, requests_per_unit: 3}', new: day })
  expect(doAtOnce(diffRules(before, after))).toMatchObject([
    { change: 'removed', key: 'shop.gone', losesCounters: true },
    { change: 'added', key: 'shop.new', losesCounters: false },
    { change: 'changed', key: 'shop.raised', losesCounters: false },
    { change: 'changed', key: 'shop.unit', losesCounters: true },
  ])
  expect(doAtOnce(diffRules(before, before))).toEqual([])
})

test.each([
  ['values: "acme, globex"', 'values: "acme, initech"', 'acme,globex', 'acme,initech'],
  ['cidr: 10.0.0.0/8', 'cidr: "10.0.0.0/8, 2001:db8::/32"', '10.0.0.0/8', '10.0.0.0/8,2001:db8::/32'],
  ['matches: "a+"', 'matches: "b+"', 'a+', 'b+'],
])('diffRules() lists a pattern of the same name that holds other values: %s', (old, next, before, after) => {
  const rulesOf = (pattern: string) => {
    const line = `  - {key: user, sluice: {name: pro, ${pattern}}, rate_limit: {unit: day, requests_per_unit: 5}}`
    return compileRules([{ key: 'config.shop.yaml', text: `domain: shop\ndescriptors:\n${line}\n` }])
  }
  expect(doAtOnce(diffRules(rulesOf(old), rulesOf(next)))).toMatchObject([
    {
      change: 'changed',
      key: 'shop.user_pro',
      before: expect.stringContaining(` 1: ${before}`),
      after: expect.stringContaining(` 1: ${after}`),
    },
  ])
})
