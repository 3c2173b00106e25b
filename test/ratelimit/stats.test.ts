/** Statistics: safe names, sums of a bounded number, and both text forms. */

import { expect, test } from 'vitest'
import { limitStatNames, sanitizeStatName } from '../../src/ratelimit/stat-names.ts'
import { createStatTable, foldedName, prometheusText, statsText } from '../../src/ratelimit/stats.ts'

test.each([
  ['shop.ip_10.0.0.1', 'shop.ip_10_0_0_1'],
  ['shop.a:b|c', 'shop.a_b_c'],
  ['shop.v_1.2.3', 'shop.v_1.2.3'],
  ['shop.x\ny', 'shop.x_y'],
])('sanitizeStatName() turns %j into %j', (name, safe) => {
  expect(sanitizeStatName(name)).toBe(safe)
})

test('limitStatNames() has one name for every counter of a limit', () => {
  expect(limitStatNames('shop.tenant').totalHits).toBe('ratelimit.service.rate_limit.shop.tenant.total_hits')
  expect(new Set(Object.values(limitStatNames('a'))).size).toBe(7)
})

test('createStatTable() folds names beyond its bound and says how many additions it folded', () => {
  const table = createStatTable(2)
  for (const name of ['a', 'b', 'c', 'a', 'd']) table.add([{ name, delta: 2 }])
  expect(table.list()).toEqual([
    { name: 'a', value: 4 },
    { name: 'b', value: 2 },
    { name: foldedName, value: 2 },
  ])
})

test('statsText() prints name: value, with tags in the name', () => {
  const sums = [{ name: 'a.b', value: 3 }]
  expect(statsText(sums)).toBe('a.b: 3\n')
  expect(statsText(sums, new Map([['zone', 'eu']]))).toBe('a.b.__zone=eu: 3\n')
})

test('prometheusText() maps as the reference does and names the rest after itself', () => {
  const prefix = 'ratelimit.service.rate_limit.'
  const text = prometheusText(
    [
      { name: 'ratelimit.service.config_load_success', value: 1 },
      { name: 'ratelimit.service.call.should_rate_limit.redis_error', value: 2 },
      { name: `${prefix}shop.tenant.total_hits`, value: 3 },
      { name: `${prefix}shop.a.b.c.total_hits`, value: 4 },
      { name: `${prefix}shop.a.b.d.total_hits`, value: 5 },
      { name: `${prefix}nowhere.domain_not_found`, value: 6 },
      { name: `${prefix}shop.say "hi"\\.over_limit`, value: 7 },
    ],
    new Map([['zone', 'eu']]),
  )
  expect(text.split('\n')).toEqual([
    '# TYPE ratelimit_service_config_load_success counter',
    'ratelimit_service_config_load_success{zone="eu"} 1',
    '# TYPE ratelimit_service_should_rate_limit_error counter',
    'ratelimit_service_should_rate_limit_error{err_type="redis_error",zone="eu"} 2',
    '# TYPE ratelimit_service_rate_limit_total_hits counter',
    'ratelimit_service_rate_limit_total_hits{domain="shop",key1="tenant",zone="eu"} 3',
    'ratelimit_service_rate_limit_total_hits{domain="shop",key1="a",key2="b",zone="eu"} 9',
    '# TYPE ratelimit_service_rate_limit_nowhere_domain_not_found counter',
    'ratelimit_service_rate_limit_nowhere_domain_not_found{zone="eu"} 6',
    '# TYPE ratelimit_service_rate_limit_over_limit counter',
    'ratelimit_service_rate_limit_over_limit{domain="shop",key1="say \\"hi\\"\\\\",zone="eu"} 7',
    '',
  ])
})
