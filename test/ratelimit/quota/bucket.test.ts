/** Buckets: pairs in any order, and the rule that they find. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketName, matchBucket, orderBucket } from '#ratelimit/quota/bucket.ts'
import type { Entry } from '#ratelimit/types.ts'
import { compileRules, enoughWork } from '../../support/compile-rules.ts'

const pair = (key: string, value = 'v'): Entry => ({ key, value })

const anyPairs = fc.uniqueArray(fc.record({ key: fc.string(), value: fc.string() }), {
  selector: ({ key }) => key,
  maxLength: 6,
})

describe('orderBucket()', () => {
  it('orders pairs by key, by code units', () => {
    const ordered = orderBucket([pair('b'), pair('a'), pair('B'), pair('é')])
    expect(ordered.map(({ key }) => key)).toEqual(['B', 'a', 'b', 'é'])
  })

  it('gives equal buckets equal names, and others other names', () => {
    fc.assert(
      fc.property(anyPairs, anyPairs, (one, other) => {
        const name = bucketName(orderBucket(one))
        expect(bucketName(orderBucket(one.toReversed()))).toBe(name)
        const textsOf = (pairs: readonly Entry[]) => pairs.map((entry) => JSON.stringify(entry)).sort()
        const isEqual = String(textsOf(one)) === String(textsOf(other))
        expect(bucketName(orderBucket(other)) === name).toBe(isEqual)
      }),
      { seed: 12 },
    )
  })

  it('leaves the list that it is given as it is', () => {
    const pairs = [pair('b'), pair('a')]
    orderBucket(pairs)
    expect(pairs.map(({ key }) => key)).toEqual(['b', 'a'])
  })
})

describe('bucketName()', () => {
  it('keeps keys and values apart', () => {
    expect(bucketName([pair('a', 'b'), pair('c', 'd')])).toBe('[["a","b"],["c","d"]]')
    expect(bucketName([pair('a","b', 'c')])).not.toBe(bucketName([pair('a', 'b","c')]))
  })
})

describe('matchBucket()', () => {
  const lines = [
    'domain: shop',
    'descriptors:',
    '  - key: zone',
    '    descriptors:',
    '      - key: app',
    '        rate_limit: {unit: day, requests_per_unit: 3}',
    '  - key: app',
    '    value: admin',
    '    rate_limit: {unit: day, requests_per_unit: 9}',
    '  - key: plain',
  ]
  const domain = compileRules([{ key: 'config.shop.yaml', text: lines.join('\n') }]).domains.get('shop')
  if (domain === undefined) throw new Error('there is not a domain')
  const found = (...pairs: readonly Entry[]) => matchBucket(domain, orderBucket(pairs), 'p_', enoughWork())

  it('finds a rule in the order of the rule, and counts under the key of a descriptor in that order', () => {
    expect(found(pair('app', 'web'), pair('zone', 'eu'))).toMatchObject({
      key: 'p_shop_zone_eu_app_web_',
      limit: { requestsPerUnit: 3 },
    })
    expect(found(pair('app', 'admin'))?.limit?.requestsPerUnit).toBe(9)
  })

  it.each([
    ['of a pair that no rule has', [pair('app', 'web')]],
    ['that ends above the limit', [pair('zone')]],
    ['of a rule without a limit', [pair('plain')]],
    ['with a pair too many', [pair('app', 'admin'), pair('zone'), pair('more')]],
    ['without a pair', []],
  ])('of a bucket %s is null', (_which, pairs) => {
    expect(found(...pairs)).toBeNull()
  })

  it.each([
    [6, 1],
    [7, undefined],
  ])('looks at 1,000 entries at most: %i pairs whose first comes last in the rule', (pairs, limit) => {
    // Every pair matches every level but the last, which takes only k0: all orders that begin with k0 are tried first.
    let rule = ['- key: k0', '  rate_limit: {unit: day, requests_per_unit: 1}']
    for (let level = 1; level < pairs; level++) {
      rule = ['- key: "*"', '  descriptors:', ...rule.map((line) => `    ${line}`)]
    }
    const text = ['domain: deep', 'descriptors:', ...rule.map((line) => `  ${line}`)].join('\n')
    const deep = compileRules([{ key: 'config.deep.yaml', text }]).domains.get('deep')
    const bucket = orderBucket(Array.from({ length: pairs }, (_, at) => pair(`k${at}`)))
    const match = deep === undefined ? null : matchBucket(deep, bucket, '', enoughWork())
    expect(match?.limit?.requestsPerUnit).toBe(limit)
  })
})
