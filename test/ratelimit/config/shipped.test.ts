import { expect, test } from 'vitest'
import { shippedFiles } from '#ratelimit/config/shipped.ts'
import { readSettings } from '#ratelimit/settings.ts'

const shop = 'domain: shop\ndescriptors: [{key: a, rate_limit: {unit: day, requests_per_unit: 1}}]\n'
const bank = 'domain: bank\ndescriptors: []\n'

test('shippedFiles() makes a file of every YAML document that is not blank', () => {
  expect(shippedFiles(`${shop}---\n${bank}`)).toEqual([
    { key: 'config.shipped-1', text: shop },
    { key: 'config.shipped-2', text: `\n${bank}` },
  ])
  expect(shippedFiles(`---\r\n${shop}`)).toHaveLength(1)
  expect(shippedFiles(' \n')).toEqual([])
})

test('readSettings() takes shipped rules and refuses those with a mistake, with its place', () => {
  expect(readSettings({ RATELIMIT_RULES: `${shop}---\n${bank}` }).RATELIMIT_RULES).toContain('bank')
  expect(() => readSettings({ RATELIMIT_RULES: `${shop}---\n${bank.replace('domain', 'domian')}` })).toThrow(
    'Cannot read settings: RATELIMIT_RULES has a mistake in line 2 of document 2: ',
  )
  expect(() => readSettings({ RATELIMIT_RULES: `${shop}---\n${shop}` })).toThrow('of document 2: duplicate domain')
  expect(() => readSettings({ RATELIMIT_RULES: `${shop}---\n${shop}`, MERGE_DOMAIN_CONFIG: 'true' })).toThrow(
    'duplicate',
  )
})
