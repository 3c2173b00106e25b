/** The text under which a counter is kept, equal to the reference's. */

import { describe, expect, it } from 'vitest'
import { counterKey, stampedKey } from '#ratelimit/counter-key.ts'

const entries = [
  { key: 'tenant', value: 't1' },
  { key: 'route', value: '/a' },
]

describe('counterKey()', () => {
  it('joins prefix, domain and entries, unescaped', () => {
    expect(counterKey('', 'shop', entries)).toBe('shop_tenant_t1_route_/a_')
    expect(counterKey('p:', 'shop', [{ key: 'a_b', value: '' }])).toBe('p:shop_a_b__')
  })

  it('puts a shared pattern in the place of its value', () => {
    expect(counterKey('', 'shop', entries, [null, '/*'])).toBe('shop_tenant_t1_route_/*_')
    expect(counterKey('', 'shop', entries, ['t*', null])).toBe('shop_tenant_t*_route_/a_')
  })
})

describe('stampedKey()', () => {
  it('adds the start of the window', () => {
    expect(stampedKey('shop_a_b_', 'MINUTE', 1_775_651_696)).toBe('shop_a_b_1775651640')
  })

  it('has no unit: windows that begin together share a counter of the stores, as in the reference', () => {
    const midnight = 1_775_606_400
    expect(stampedKey('k_', 'DAY', midnight + 9)).toBe(stampedKey('k_', 'HOUR', midnight + 9))
    expect(stampedKey('k_', 'DAY', midnight + 3_600)).not.toBe(stampedKey('k_', 'HOUR', midnight + 3_600))
  })
})
