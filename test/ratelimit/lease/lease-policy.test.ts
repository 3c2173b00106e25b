import { describe, expect, it } from 'vitest'
import { isLeased, leasesAnything, parseLeasePolicy } from '#ratelimit/lease/lease-policy.ts'

const policyOf = (text: string) => parseLeasePolicy(text) ?? expect.fail(`"${text}" is not a policy`)

describe('parseLeasePolicy()', () => {
  it('reads a default and exceptions by domain and by limit', () => {
    const policy = policyOf('off, shop=on, shop.tenant_t1=OFF')
    expect(isLeased(policy, 'shop', 'shop.other')).toBe(true)
    expect(isLeased(policy, 'shop', 'shop.tenant_t1')).toBe(false)
    expect(isLeased(policy, 'bank', 'bank.user')).toBe(false)
    expect(isLeased(policyOf('on'), 'bank', 'bank.user')).toBe(true)
    expect(isLeased(policyOf('shop=on'), 'bank', 'bank.user')).toBe(false)
    expect(isLeased(policyOf('a=b=on'), 'a=b', 'x')).toBe(true)
  })

  it.each(['yes', 'on,off', 'shop=', 'shop=maybe', '=on', 'shop=on,shop=off', 'on,', ''])('refuses "%s"', (text) => {
    expect(parseLeasePolicy(text)).toBeNull()
  })
})

describe('leasesAnything()', () => {
  it('tells whether any limit may be leased', () => {
    expect(leasesAnything(new Map())).toBe(false)
    expect(leasesAnything(policyOf('off,shop=off'))).toBe(false)
    expect(leasesAnything(policyOf('off,shop=on'))).toBe(true)
    expect(leasesAnything(policyOf('on,shop=off'))).toBe(true)
  })
})
