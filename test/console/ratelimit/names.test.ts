import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

let readNames: typeof import('#console/ratelimit/names.ts').readNames

/** The status of the keys' answer. */
let topStatus = 200

const answers: Readonly<Record<string, () => Response>> = {
  '/ratelimit/rlconfig': () =>
    new Response(
      'shop.login: unit=MINUTE requests_per_unit=5, shadow_mode: false, quota_mode: false\nshop.login_vip: unit=HOUR requests_per_unit=9, shadow_mode: false, quota_mode: false\n',
    ),
  '/ratelimit/config/files': () => Response.json({ files: [{ text: 'domain: shop\n' }] }),
  '/ratelimit/v1/top': () => Response.json({ used: [{ key: 'k' }], refused: [{ key: 'k' }] }, { status: topStatus }),
}

beforeAll(async () => {
  stubPage(answers)
  ;({ readNames } = await import('#console/ratelimit/names.ts'))
})

afterAll(() => vi.unstubAllGlobals())

it('readNames() names every rule and each key once, and only the rules where usage cannot be read', async () => {
  const rules = ['rule shop.login', 'rule shop.login_vip']
  const names = async () => (await readNames(new AbortController().signal)).map(({ name, kind }) => `${kind} ${name}`)
  expect(await names()).toEqual([...rules, 'key k'])
  topStatus = 503
  expect(await names()).toEqual(rules)
})
