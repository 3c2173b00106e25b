/** One step down the tree of rules: exact, then wildcards as declared, then the key without a value. */

import { describe, expect, it } from 'vitest'
import { type Domain, findRule, patternBehind, type Rule, step } from '#ratelimit/rule-book.ts'
import { beginWork } from '#ratelimit/work.ts'
import { compileRules, enoughWork } from '../support/compile-rules.ts'

/** The domain `d` of descriptors as `key` or `key=value`. */
function domainOf(...rules: readonly string[]): Domain {
  const lines = rules.map((rule) => {
    const [key, value] = rule.split('=')
    const limit = 'rate_limit: {unit: day, requests_per_unit: 1}'
    return `  - {key: "${key}"${value === undefined ? '' : `, value: "${value}"`}, ${limit}}`
  })
  const text = ['domain: d', 'descriptors:', ...lines].join('\n')
  const domain = compileRules([{ key: 'config.d.yaml', text }]).domains.get('d')
  if (domain === undefined) throw new Error('there is not a domain')
  return domain
}

function ruleOf(written: string): Rule {
  const [rule] = domainOf(written).children.values()
  if (rule === undefined) throw new Error('there is not a rule')
  return rule
}

describe('step()', () => {
  const domain = domainOf('k=v', 'k=v*', 'k=*', 'k', 'bare', 'x=a*', '*y')

  it.each([
    ['k', 'v', 'exact', 'k_v'],
    ['k', 'va', 'wildcard', 'k_v*'],
    ['k', 'other', 'wildcard', 'k_*'],
    ['bare', 'anything', 'bare', 'bare'],
    ['bare', '', 'bare', 'bare'],
    ['x', 'abc', 'wildcard', 'x_a*'],
    ['*y', 'z', 'bare', '*y'],
    ['*y', 'y', 'wildcard', '*y'],
    ['*y', '', 'bare', '*y'],
  ])('of %s=%s is %s: %s', (key, value, kind, composite) => {
    const taken = step(domain, { key, value }, enoughWork())
    expect([taken?.kind, taken?.rule.composite]).toEqual([kind, composite])
  })

  it.each([
    ['x', 'b'],
    ['unknown', 'v'],
  ])('of %s=%s is null', (key, value) => {
    expect(step(domain, { key, value }, enoughWork())).toBeNull()
  })

  it('goes on from a rule as from a domain', () => {
    const text = 'domain: d\ndescriptors:\n  - key: a\n    descriptors:\n      - key: b\n'
    const root = compileRules([{ key: 'config.d.yaml', text }]).domains.get('d')
    const first = root === undefined ? null : step(root, { key: 'a', value: '1' }, enoughWork())
    const second = first === null ? null : step(first.rule, { key: 'b', value: '2' }, enoughWork())
    expect(second?.rule.composite).toBe('b')
  })
})

describe('findRule()', () => {
  it('finds the first that matches in the order of declaration, whichever is longer', () => {
    const found = (...rules: readonly string[]) => findRule(domainOf(...rules), 'k', 'k_abcd', enoughWork())?.composite
    expect(found('k=*', 'k=abc*')).toBe('k_*')
    expect(found('k=abc*', 'k=*')).toBe('k_abc*')
    expect(found('k=x*')).toBeUndefined()
  })

  it('charges one unit for each of a few wildcards, and nothing for other rules', () => {
    const work = beginWork(100)
    findRule(domainOf('k=v', 'j', 'i'), 'k', 'k_other', work)
    expect(work.left).toBe(100)
    findRule(domainOf('k=v', 'k=x*', 'k=y*'), 'k', 'k_other', work)
    expect(work.left).toBe(98)
  })
})

describe('patternBehind()', () => {
  it.each([
    ['k=a*', 'k', 'a*'],
    ['k=*', 'k', '*'],
    ['k*=a', 'kx', 'k*_a'],
    ['k*', 'kx', 'k*'],
    ['k_b=a*', 'k', 'b_a*'],
  ])('of the rule %s for the key %s is %s', (rule, key, pattern) => {
    expect(patternBehind(ruleOf(rule), key)).toBe(pattern)
  })
})
