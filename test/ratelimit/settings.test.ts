/** The environment as settings: defaults, both spellings, and one clear error per mistake. */

import { expect, test } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'
import { type SettingName, settingTable } from '#ratelimit/setting-table.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { refusal } from '../support/refusal.ts'

const mistake = (environment: Record<string, unknown>) =>
  refusal(RatelimitError, () => readSettings(environment), 'invalid_settings')?.message

test('readSettings() of an empty environment gives the documented defaults, frozen', () => {
  const settings = readSettings({})
  expect(settings).toMatchObject({
    BACKEND_TYPE: 'durable-object',
    placement: { kind: 'per-key' },
    COUNTER_DURABILITY: 'durable',
    NEAR_LIMIT_RATIO: 0.8,
    LOCAL_CACHE_SIZE_IN_BYTES: 0,
    limitHeaders: null,
    requestLimitHeaders: null,
    SHADOW_MODE: false,
  })
  expect(settings.FAILURE_POLICY.size).toBe(0)
  expect(Object.isFrozen(settings)).toBe(true)
})

test.each([
  ['KVSTORE_URL', 'REDIS_URL', 'redis.example:6379', 'redis.example:6379'],
  ['KVSTORE_POOL_SIZE', 'REDIS_POOL_SIZE', '7', 7],
  ['KVSTORE_PIPELINE_WINDOW', 'REDIS_PIPELINE_WINDOW', '150us', 0.15],
  ['KVSTORE_HEALTH_CHECK_ACTIVE_CONNECTION', 'REDIS_HEALTH_CHECK_ACTIVE_CONNECTION', 't', true],
  ['MCACHE_HOST_PORT', 'MEMCACHE_HOST_PORT', 'a:1,b:2', 'a:1,b:2'],
  ['MCACHE_SRV_REFRESH', 'MEMCACHE_SRV_REFRESH', '1m', 60_000],
  ['USE_METRICSD', 'USE_STATSD', 'FALSE', false],
  ['LocalCacheSizeInBytes', 'LOCAL_CACHE_SIZE_IN_BYTES', '1000', 1000],
] as const)('readSettings() takes %s for %s', (alias, name, text, value) => {
  expect(readSettings({ [alias]: text })[name]).toBe(value)
  expect(readSettings({ [name]: text })[name]).toBe(value)
  expect(mistake({ [alias]: text, [name]: `${text}0` })).toContain(`${name} and ${alias} differ`)
})

test('readSettings() knows every alias once', () => {
  const names = (Object.keys(settingTable) as SettingName[]).flatMap((name) => [name, ...settingTable[name].aliases])
  expect(new Set(names).size).toBe(names.length)
})

test.each([
  ['SHADOW_MODE', 'yes', '1, t, true, on, 0, f, false or off'],
  ['NEAR_LIMIT_RATIO', '1.5', 'a number from 0 to 1'],
  ['LOCAL_CACHE_SIZE_IN_BYTES', '-1', 'a whole number'],
  ['REDIS_TIMEOUT', '10', 'a duration'],
  ['DEBUG_PORT', '70000', 'a whole number from 0 to 65535'],
  ['BACKEND_TYPE', 'cassandra', 'durable-object, redis or memcache'],
  ['LOG_LEVEL', 'loud', 'warn'],
  ['EXTRA_TAGS', 'novalue', 'tags as name:value'],
  ['COUNTER_SHARDS', '0', 'a whole number from 1'],
  ['FAILURE_POLICY', 'shop=maybe', 'error, open or closed'],
  ['LEASES', 'shop=perhaps', 'off or on, then exceptions as name=on or name=off'],
  ['LEASES', 'on,off', 'off or on, then exceptions as name=on or name=off'],
  ['LEASES_MAX_KEYS', '0', '1 to 2147483647'],
  ['COUNTER_PLACES', 'shop=weru', 'a jurisdiction (eu, us, fedramp, fedramp-high), a location hint (wnam,'],
  ['COUNTER_PLACES', 'shop=weru', ', perhaps weur'],
  ['COUNTER_PLACES', 'shop=eu,shop=us', 'domain=place'],
  ['COUNTER_PLACES', 'eu+us', 'domain=place'],
  ['COUNTER_PLACES', '=eu', 'domain=place'],
  ['LIMIT_RESET_HEADER', 'a b', 'an HTTP field name'],
])('readSettings() names %s when it is "%s"', (name, text, expected) => {
  const message = mistake({ [name]: text })
  expect(message).toContain(`${name} is ${JSON.stringify(text)}`)
  expect(message).toContain(expected)
})

test('readSettings() refuses what a back end needs and a Worker cannot do, only when that back end is in use', () => {
  const socket = { REDIS_SOCKET_TYPE: 'unix', REDIS_URL: '/var/run/redis.sock' }
  expect(() => readSettings(socket)).not.toThrow()
  expect(mistake({ ...socket, BACKEND_TYPE: 'redis' })).toContain('REDIS_SOCKET_TYPE')
  const redis = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: 'localhost:6379' }
  expect(readSettings(redis).BACKEND_TYPE).toBe('redis')
  expect(mistake({ ...redis, REDIS_TLS_CACERT: '/ca.pem' })).toContain('REDIS_TLS_CACERT')
  expect(mistake({ ...redis, REDIS_PERSECOND: 'true' })).toContain('REDIS_PERSECOND_SOCKET_TYPE')
  expect(mistake({ ...redis, REDIS_TYPE: 'SENTINEL' })).toContain('<redis master name>')
  const both = { MEMCACHE_HOST_PORT: 'a:1', MEMCACHE_SRV: '_m._tcp.example' }
  expect(() => readSettings(both)).not.toThrow()
  expect(mistake({ ...both, BACKEND_TYPE: 'memcache' })).toContain('Both MEMCACHE_HOST_PORT and MEMCACHE_SRV are set')
})

test('readSettings() never shows a secret', () => {
  const environment = { REDIS_AUTH: 'hunter2', KVSTORE_AUTH: 'hunter3' }
  expect(mistake(environment)).not.toMatch(/hunter/)
})

test('readSettings() ignores bindings and counts empty text as absent', () => {
  const settings = readSettings({ SHADOW_MODE: '', PORT: 8081, COUNTERS: { get: () => null } })
  expect(settings.SHADOW_MODE).toBe(false)
  expect(settings.PORT).toBe(8081)
})

test('readSettings() refuses tracing without a collector, and takes it with one', () => {
  const state =
    'TRACING_ENABLED is true without OTEL_EXPORTER_OTLP_ENDPOINT, expected the address of the collector in it'
  expect(() => readSettings({ TRACING_ENABLED: 'true' })).toThrow(`Cannot read settings: ${state}`)
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(readSettings({ TRACING_ENABLED: 'true', ...collector }).TRACING_ENABLED).toBe(true)
})

test('readSettings() has no policy for callers unless one is asked for', () => {
  expect(readSettings({}).callerPolicy).toBeNull()
  const asked = { CALLER_OVERRIDES: 'refuse', CALLER_REFUNDS: 'ignore', CALLER_MAX_HITS: '100' }
  expect(readSettings(asked).callerPolicy).toEqual({ overrides: 'refuse', refunds: 'ignore', maxHits: 100 })
})
