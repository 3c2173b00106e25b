import { expect, it } from 'vitest'
import { limitOf } from '#console/ratelimit/counter-limit.ts'
import { parseLimits } from '#console/ratelimit/limits.ts'

const limits = parseLimits(
  [
    'shop.login: unit=MINUTE requests_per_unit=5, shadow_mode: false, quota_mode: false',
    'shop.login: unit=HOUR requests_per_unit=4, shadow_mode: false, quota_mode: false, sluice: sliding 3600 admitted',
  ].join('\n'),
  ['shop'],
)

it('limitOf() finds the limit of a window by its unit, and that of an algorithm by its name', () => {
  expect(limitOf({ unit: 'MINUTE' }, limits)).toBe(5)
  expect(limitOf({ unit: 'HOUR', algorithm: 'sliding 3600 admitted' }, limits)).toBe(4)
})

it('limitOf() knows no limit of a counter that the rule has no longer', () => {
  expect(limitOf({ unit: 'HOUR' }, limits)).toBeNull()
  expect(limitOf({ unit: 'HOUR', algorithm: 'sliding 7200' }, limits)).toBeNull()
})
