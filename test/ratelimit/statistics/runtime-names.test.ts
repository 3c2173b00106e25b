/** Statistics named after values of the request: each option, and what happens to the metadata. */

import { describe, expect, it } from 'vitest'
import type { Domain, Limit, Rule } from '#ratelimit/rule-book.ts'
import { step } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import { type SharedPatterns, withDetailedStats, withRuntimeStats } from '#ratelimit/statistics/runtime-names.ts'
import type { Entry } from '#ratelimit/types.ts'
import { compileRules, enoughWork } from '../../support/compile-rules.ts'

const limitText = 'rate_limit: {unit: day, requests_per_unit: 1}, metadata: {owner: ann}'

/** Walks the entries `key=value` down the rules of the domain `d`, and hands over where the walk ends. */
function walk(rules: readonly string[], entries: readonly string[]) {
  const text = ['domain: d', 'descriptors:', ...rules].join('\n')
  const domain = compileRules([{ key: 'config.d.yaml', text }]).domains.get('d')
  if (domain === undefined) throw new Error('there is not a domain')
  const path: readonly Entry[] = entries.map((entry) => {
    const [key = '', value = ''] = entry.split('=')
    return { key, value }
  })
  let last: Domain | Rule = domain
  let limit: Limit | null = null
  for (const entry of path) {
    const taken = step(last, entry, enoughWork())
    if (taken === null) throw new Error(`nothing matches ${entry.key}`)
    last = taken.rule
    limit = taken.rule.limit
  }
  if (limit === null) throw new Error('there is not a limit')
  return { domain, entries: path, last, limit }
}

describe('withRuntimeStats()', () => {
  const named = (rule: string, entry: string, shared: SharedPatterns = null) => {
    const { domain, entries, limit } = walk([`  - {${rule}, ${limitText}}`], [entry])
    return withRuntimeStats(limit, { domain, entries, shared }, enoughWork())
  }

  it.each([
    ['key: k', 'k=v', 'd.k'],
    ['key: k, value_to_metric: true', 'k=v', 'd.k_v'],
    ['key: k, value_to_metric: true', 'k=', 'd.k'],
    ['key: k, value: v', 'k=v', 'd.k_v'],
    ['key: k, value: "a*"', 'k=abc', 'd.k_a*'],
    ['key: k, value: "a*", value_to_metric: true', 'k=abc', 'd.k_abc'],
    ['key: "k*"', 'kx=v', 'd.kx_k*'],
  ])('of the rule {%s} names %s as %s', (rule, entry, statKey) => {
    const limit = named(rule, entry)
    expect(limit.statKey).toBe(statKey)
    expect(limit.stats).toEqual(limitStatNames(statKey))
  })

  it('has the shared pattern in place of the value, also with value_to_metric', () => {
    const rule = 'key: k, value: "a*", share_threshold: true, value_to_metric: true'
    expect(named(rule, 'k=abc', ['a*']).statKey).toBe('d.k_a*')
  })

  it('is the same limit where no name changes, and loses its metadata where one does', () => {
    expect(named('key: k', 'k=v').metadata).toEqual({ owner: 'ann' })
    expect(named('key: k, value_to_metric: true', 'k=v').metadata).toBeNull()
  })

  it('names every level of the walk', () => {
    const rules = [
      '  - key: a',
      '    value_to_metric: true',
      '    descriptors:',
      `      - {key: b, value: x, ${limitText}}`,
    ]
    const { domain, entries, limit } = walk(rules, ['a=1', 'b=x'])
    expect(withRuntimeStats(limit, { domain, entries, shared: null }, enoughWork()).statKey).toBe('d.a_1.b_x')
  })
})

describe('withDetailedStats()', () => {
  const detailed = (entries: readonly string[], shared: SharedPatterns = null) => {
    const rules = [
      `  - key: a`,
      `    detailed_metric: true`,
      '    rate_limit: {unit: day, requests_per_unit: 1}',
      '    metadata: {owner: ann}',
      '    descriptors:',
      `      - {key: b, detailed_metric: true, ${limitText}}`,
    ]
    const { domain, entries: path, limit, last } = walk(rules, entries)
    return withDetailedStats(limit, { domain, entries: path, shared }, last)
  }

  it.each([
    [['a=1'], null, 'd.a_1'],
    [['a=1', 'b=2'], null, 'd.a_1.b_2'],
    [['a=1', 'b='], null, 'd.a_1.b_'],
    [['a=1', 'b='], ['x*', null], 'd.a_x*.b'],
    [['a=1', 'b=2'], [null, 'y*'], 'd.a_1.b_y*'],
  ])('of %j with the shared patterns %j is %s', (entries, shared, statKey) => {
    const limit = detailed(entries, shared)
    expect([limit.statKey, limit.stats]).toEqual([statKey, limitStatNames(statKey)])
  })

  it('loses its metadata only where no rule is below it', () => {
    expect(detailed(['a=1']).metadata).toEqual({ owner: 'ann' })
    expect(detailed(['a=1', 'b=2']).metadata).toBeNull()
  })
})
