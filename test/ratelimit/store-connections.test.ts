import { describe, expect, it } from 'vitest'
import { readSettings } from '#ratelimit/settings.ts'
import { needsRelay } from '#ratelimit/store-connections.ts'
import { refusal } from '../support/refusal.ts'

const redis = { BACKEND_TYPE: 'redis' }
const tcp = { ...redis, REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: 'localhost:6379' }
const memcache = { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: 'localhost:11211' }
const files = { REDIS_TLS_CLIENT_CERT: '/c.pem', REDIS_TLS_CLIENT_KEY: '/k.pem' }

const mistake = (variables: Readonly<Record<string, string>>, hasRelay: boolean) =>
  refusal(Error, () => readSettings(variables, hasRelay))?.message ?? ''

describe('readSettings() of stores', () => {
  it.each([
    [redis, 'REDIS_SOCKET_TYPE is "unix"'],
    [{ ...tcp, REDIS_PERSECOND: 'true' }, 'REDIS_PERSECOND_SOCKET_TYPE is "unix"'],
    [{ ...tcp, REDIS_TLS: 'true', REDIS_TLS_CACERT: '/ca.pem' }, 'REDIS_TLS_CACERT is set'],
    [{ ...tcp, REDIS_TLS: 'true', ...files }, 'REDIS_TLS_CLIENT_CERT is set'],
    [
      { ...tcp, REDIS_TLS: 'true', REDIS_TLS_SKIP_HOSTNAME_VERIFICATION: 'true' },
      'REDIS_TLS_SKIP_HOSTNAME_VERIFICATION is set',
    ],
    [{ ...memcache, MEMCACHE_HOST_PORT: 'a:1,/run/m.sock' }, 'MEMCACHE_HOST_PORT has the path of a UNIX socket'],
    [{ ...memcache, MEMCACHE_TLS: 'true', MEMCACHE_TLS_CACERT: '/ca.pem' }, 'MEMCACHE_TLS_CACERT is set'],
  ])('takes %j where there is a relay and refuses it in one line where there is none', (variables, state) => {
    expect(mistake(variables, true)).toBe('')
    expect(needsRelay(readSettings(variables, true))).toBe(true)
    expect(mistake(variables, false)).toContain(`Cannot read settings: ${state}`)
    expect(mistake(variables, false)).not.toContain('\n')
  })

  it.each([
    [tcp],
    [{ ...tcp, REDIS_TLS: 'true' }],
    [{ ...redis, REDIS_TYPE: 'cluster', REDIS_URL: 'a:1,b:2' }],
    [{ ...redis, REDIS_TYPE: 'sentinel', REDIS_URL: 'mymaster,a:1' }],
    [memcache],
    [{ REDIS_TLS_CACERT: '/ca.pem' }],
  ])('needs no relay for %j', (variables) => {
    expect(needsRelay(readSettings(variables, false))).toBe(false)
  })

  it.each([
    [{ ...redis, REDIS_URL: 'localhost:6379' }, 'REDIS_URL is not an absolute path, expected the path'],
    [{ ...redis, REDIS_URL: `/${'s'.repeat(120)}` }, 'REDIS_URL is a path of 121 bytes'],
    [{ ...tcp, REDIS_URL: '/run/redis.sock' }, 'REDIS_URL has an address that is not host:port'],
    [{ ...redis, REDIS_TLS: 'true' }, 'expected REDIS_TLS_SKIP_HOSTNAME_VERIFICATION=true beside it'],
    [{ ...tcp, REDIS_TLS_CACERT: '/ca.pem' }, 'REDIS_TLS_CACERT is set and TLS is off, expected REDIS_TLS=true'],
    [{ ...tcp, REDIS_TLS: 'true', REDIS_TLS_CLIENT_KEY: '/k.pem' }, 'one is set, expected both or none'],
    [{ ...memcache, MEMCACHE_HOST_PORT: 'nowhere' }, 'MEMCACHE_HOST_PORT has "nowhere", expected host:port or'],
  ])('says what is wrong with %j', (variables, state) => {
    expect(mistake(variables, true)).toContain(state)
  })

  it('takes the word of a binding, not that of a text, for a relay', () => {
    expect(() => readSettings({ ...redis, STORE_RELAY: { connect() {} } })).not.toThrow()
    expect(() => readSettings({ ...redis, STORE_RELAY: 'yes' })).toThrow('REDIS_SOCKET_TYPE')
  })
})
