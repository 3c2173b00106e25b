/** Rules as the lines that the reference prints. */

import { expect, test } from 'vitest'
import { dumpRules, listLimits } from '#ratelimit/config/dump.ts'
import { compileRules } from '../../support/compile-rules.ts'

const book = compileRules([
  {
    key: 'config.shop.yaml',
    text: `domain: shop
descriptors:
  - key: user
    shadow_mode: true
    rate_limit: {unit: minute, requests_per_unit: 3}
    descriptors:
      - key: route
        value: /a
        rate_limit: {unlimited: true}
      - key: route
        value: /b
        rate_limit: {unlimited: true, requests_per_unit: 5}
  - key: ip
`,
  },
])

test('dumpRules() prints every limit, a parent before its children, and the number of one that is unlimited', () => {
  expect(dumpRules(book)).toBe(
    'shop.user: unit=MINUTE requests_per_unit=3, shadow_mode: true, quota_mode: false\n' +
      'shop.user.route_/a: unit=UNKNOWN requests_per_unit=0, shadow_mode: false, quota_mode: false\n' +
      'shop.user.route_/b: unit=UNKNOWN requests_per_unit=5, shadow_mode: false, quota_mode: false\n',
  )
})

test('dumpRules() is empty without limits', () => {
  expect(dumpRules({ domains: new Map() })).toBe('')
  expect(listLimits(book)).toHaveLength(3)
})
