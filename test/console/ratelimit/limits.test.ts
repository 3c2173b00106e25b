import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { limitOf as LimitOf, readLimitsOfKey as ReadLimits } from '#console/ratelimit/limits.ts'
import { stubPage } from '#test/support/page-globals.ts'

let limitOf: typeof LimitOf
let readLimitsOfKey: typeof ReadLimits

const label = { domain: 'shop', rule: 'shop.login', entries: [] }
const answers: Readonly<Record<string, () => Response>> = {
  '/ratelimit/rlconfig': () =>
    new Response(
      `shop.login: unit=MINUTE requests_per_unit=5, shadow_mode: false, quota_mode: false
shop.login: unit=HOUR requests_per_unit=4, shadow_mode: false, quota_mode: false, sluice: sliding 3600 admitted
shop.other: unit=DAY requests_per_unit=3, shadow_mode: false, quota_mode: false
`,
    ),
  '/ratelimit/v1/top': () => Response.json({ used: [{ key: 'shop_login_mia_', label }], refused: [] }),
}

beforeAll(async () => {
  stubPage(answers)
  ;({ limitOf, readLimitsOfKey } = await import('#console/ratelimit/limits.ts'))
})

afterAll(() => vi.unstubAllGlobals())

const read = (key: string) => readLimitsOfKey(key, new AbortController().signal)

it('readLimitsOfKey() reads the limits of the rule that made the key, and none of a key that was not counted', async () => {
  expect((await read('shop_login_mia_')).map(({ limit }) => limit)).toEqual([5, 4])
  expect(await read('shop_login_eve_')).toEqual([])
})

it('limitOf() finds the limit of a window by its unit, and that of an algorithm by its name', async () => {
  const limits = await read('shop_login_mia_')
  expect(limitOf({ unit: 'MINUTE' }, limits)).toBe(5)
  expect(limitOf({ unit: 'HOUR', algorithm: 'sliding 3600 admitted' }, limits)).toBe(4)
  expect(limitOf({ unit: 'HOUR' }, limits)).toBeNull()
  expect(limitOf({ unit: 'HOUR', algorithm: 'sliding 7200' }, limits)).toBeNull()
})
