/** The table of settings: names, secrets and effects, row by row. */

import { describe, expect, it, test } from 'vitest'
import { readVariables, unknownVariables, type Variable } from '#base/variables.ts'
import { ignoredSettings } from '#ratelimit/setting-table/ignored.ts'
import type { SettingEffect } from '#ratelimit/setting-table/setting-row.ts'
import { settingTable } from '#ratelimit/setting-table.ts'
import { ratelimitVariables, readSettings } from '#ratelimit/settings.ts'

const rows: readonly (readonly [string, Variable<unknown> & { readonly effect: SettingEffect }])[] =
  Object.entries(settingTable)

describe('settingTable', () => {
  it.each(rows)('%s is a name of an environment variable, and so is every alias but one', (name, { aliases }) => {
    for (const spelling of [name, ...aliases]) {
      if (spelling !== 'LocalCacheSizeInBytes') expect(spelling).toMatch(/^[A-Z][A-Z0-9_]*$/)
    }
  })

  it('names each variable once, over all spellings', () => {
    const names = rows.flatMap(([name, { aliases }]) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
  })

  it('hides what holds a password, a token or an address with one', () => {
    expect(rows.filter(([, { isSecret }]) => isSecret).map(([name]) => name)).toEqual([
      'CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS',
      'REDIS_URL',
      'REDIS_AUTH',
      'REDIS_SENTINEL_AUTH',
      'REDIS_PERSECOND_URL',
      'REDIS_PERSECOND_AUTH',
      'REDIS_PERSECOND_SENTINEL_AUTH',
      'CALLER_TOKENS',
    ])
  })

  it('has the same default for each REDIS_PERSECOND setting as for its REDIS setting, the address aside', () => {
    const values: Readonly<Record<string, unknown>> = readVariables(settingTable, {})
    const differing = Object.keys(values).filter((name) => {
      const other = name.replace('REDIS_PERSECOND_', 'REDIS_')
      return other !== name && other in values && values[name] !== values[other]
    })
    expect(differing).toEqual(['REDIS_PERSECOND_URL'])
  })
})

describe('ignoredSettings', () => {
  it('names each setting once, and no setting that is read', () => {
    const names = ignoredSettings.flatMap((setting) => setting.names)
    const read = rows.flatMap(([name, { aliases }]) => [name, ...aliases])
    expect(new Set([...names, ...read]).size).toBe(names.length + read.length)
  })

  it('are not a mistake of an environment, with any values, unlike a name that is near one', () => {
    const environment = { TRACING_SAMPLING_RATE: 'perhaps', XDS_CLIENT_BACKOFF_JITER: '1' }
    expect(() => readSettings(environment)).not.toThrow()
    expect(unknownVariables(environment, [ratelimitVariables])).toEqual([
      { name: 'XDS_CLIENT_BACKOFF_JITER', near: 'XDS_CLIENT_BACKOFF_JITTER' },
    ])
  })
})

const most = 2 ** 31 - 1

test.each([
  ['COUNTER_SHARDS', 1, most],
  ['LEASES_MAX_KEYS', 1, most],
  ['QUOTA_SHARDS', 1, 64],
  ['QUOTA_MAX_STREAMS', 1, most],
  ['QUOTA_MAX_BUCKETS', 1, most],
  ['QUOTA_ASSIGNMENT_SECONDS', 5, 3_600],
  ['REQUEST_MAX_BODY_BYTES', 1, most],
  ['REQUEST_MAX_DESCRIPTORS', 1, most],
  ['REQUEST_MAX_ENTRIES', 1, most],
  ['REQUEST_MAX_KEY_LENGTH', 1, most],
  ['REQUEST_MAX_VALUE_LENGTH', 1, most],
  ['REQUEST_MAX_DOMAIN_LENGTH', 1, most],
  ['STATS_MAX_NAMES', 1, most],
  ['USAGE_RECORD_REQUESTS', 0, 5_000],
  ['GRPC_MAX_CONNECTIONS', 1, most],
  ['GRPC_MAX_CALLS', 1, most],
  ['GRPC_MAX_BUFFERED_BYTES', 1, most],
  ['GRPC_PORT', 0, 65_535],
  ['NEAR_LIMIT_RATIO', 0, 1],
] as const)('settingTable takes %s from %d to %d and nothing beyond', (name, least, greatest) => {
  const { parse } = settingTable[name]
  expect([least - 1, least, greatest, greatest + 1].map((value) => parse(`${value}`))).toEqual([
    null,
    least,
    greatest,
    null,
  ])
})

test.each([
  ['COUNTER_TIMEOUT', null],
  ['GRPC_MAX_CONNECTION_IDLE', null],
  ['GRPC_MESSAGE_TIMEOUT', null],
  ['RULES_MAX_STALENESS', 0],
  ['GRPC_MAX_CONNECTION_AGE', 0],
  ['REDIS_TIMEOUT', 0],
] as const)('settingTable reads %s of no time as %s', (name, value) => {
  expect(settingTable[name].parse('0s')).toBe(value)
})

test('settingTable gives the defaults of the reference', () => {
  expect(readVariables(settingTable, {})).toMatchObject({
    PORT: 8080,
    GRPC_PORT: 8081,
    STATSD_PORT: 8125,
    NEAR_LIMIT_RATIO: 0.8,
    LOCAL_CACHE_SIZE_IN_BYTES: 0,
    REDIS_POOL_SIZE: 10,
    REDIS_TIMEOUT: 10_000,
    MEMCACHE_MAX_IDLE_CONNS: 2,
  })
})
