/** Statistics: safe names and the text form. */

import { expect, test } from 'vitest'
import { limitStatNames, sanitizeStatName } from '#ratelimit/statistics/names.ts'
import { statsText } from '#ratelimit/statistics/sum.ts'

test.each([
  ['shop.ip_10.0.0.1', 'shop.ip_10_0_0_1'],
  ['shop.v_1234.5.6.7', 'shop.v_1234_5_6_7'],
  ['shop.1.2.3.4567.8', 'shop.1_2_3_4567.8'],
  ['shop.a:b|c', 'shop.a_b_c'],
  ['shop.v_1.2.3', 'shop.v_1.2.3'],
  ['shop.x\ny', 'shop.x_y'],
])('sanitizeStatName() turns %j into %j', (name, safe) => {
  expect(sanitizeStatName(name)).toBe(safe)
})

test('limitStatNames() has one name for every counter of a limit', () => {
  expect(limitStatNames('shop.tenant').totalHits).toBe('ratelimit.service.rate_limit.shop.tenant.total_hits')
  expect(new Set(Object.values(limitStatNames('a'))).size).toBe(8)
})

test('statsText() prints name: value, with tags in the name', () => {
  const sums = [{ name: 'a.b', value: 3 }]
  expect(statsText(sums)).toBe('a.b: 3\n')
  expect(statsText(sums, new Map([['zone', 'eu']]))).toBe('a.b.__zone=eu: 3\n')
})
