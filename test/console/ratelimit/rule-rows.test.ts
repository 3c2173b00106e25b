import { describe, expect, it } from 'vitest'
import type { LimitLine } from '#console/ratelimit/limits.ts'
import { buildTree, listRuleRows } from '#console/ratelimit/rule-rows.ts'
import type { Usage } from '#ratelimit/contract/usage.ts'

function lineOf(domain: string, rule: string): LimitLine {
  return { domain, rule, limit: 10, unit: 'MINUTE', isShadow: false, algorithm: '' }
}

const lines = [
  lineOf('shop', 'shop.plan_gold.path'),
  lineOf('shop', 'shop.plan-b'),
  lineOf('shop', 'shop.plan'),
  lineOf('shop', 'shop.plan_gold'),
  lineOf('shop', 'shop.plan.path_10.0.0.1'),
  lineOf('api', 'api.key'),
]

const usage: Usage = {
  from: 0,
  to: 60,
  step: 60,
  since: 0,
  rows: [
    { start: 0, domain: 'shop', rule: 'shop.plan', admitted: 8, refused: 3, shadow: 0 },
    { start: 0, domain: 'shop', rule: 'shop.plan_gold.path', admitted: 1, refused: 2, shadow: 0 },
  ],
  fills: [
    { domain: 'shop', rule: 'shop.plan', key: 'k', limit: 10, unit: 'MINUTE', remaining: 2, endsAt: 60 },
    { domain: 'api', rule: 'api.key', key: 'l', limit: 10, unit: 'MINUTE', remaining: 0, endsAt: 60 },
  ],
}

describe('listRuleRows()', () => {
  it('lists the fullest rule first, and those without an open window last, by their refusals', () => {
    const rows = listRuleRows(lines, usage)
    expect(rows.slice(0, 3).map(({ rule, full }) => [rule, full])).toEqual([
      ['api.key', 1],
      ['shop.plan', 0.8],
      ['shop.plan_gold.path', null],
    ])
  })

  it('counts what is used of a bucket, which holds another number than flows in', () => {
    const fill = {
      domain: 'shop',
      rule: 'shop.plan',
      key: 'k',
      limit: 4,
      unit: 'MINUTE',
      remaining: 3,
      endsAt: 60,
    } as const
    const [row] = listRuleRows([lineOf('shop', 'shop.plan')], { ...usage, fills: [fill] })
    expect(row).toMatchObject({ full: 0.25, used: 1, capacity: 4 })
  })
})

describe('buildTree()', () => {
  it('puts each rule below its domain, or below the rule whose name it continues', () => {
    const tree = buildTree(listRuleRows(lines, usage))
    expect(tree.map(({ depth, label }) => `${'  '.repeat(depth)}${label}`)).toEqual([
      'api',
      '  key',
      'shop',
      '  plan',
      '    path_10.0.0.1',
      '  plan-b',
      '  plan_gold',
      '    path',
    ])
  })

  it('adds up the refusals of the rules of a domain', () => {
    const domains = buildTree(listRuleRows(lines, usage)).filter(({ rule }) => rule === null)
    expect(domains.map(({ label, refused }) => [label, refused])).toEqual([
      ['api', 0],
      ['shop', 5],
    ])
  })
})
