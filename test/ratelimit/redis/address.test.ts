import { describe, expect, it } from 'vitest'
import { readStoreAddress } from '#ratelimit/redis/address.ts'
import { readSettings } from '#ratelimit/settings.ts'

const read = (changes: Readonly<Record<string, string>>) =>
  readStoreAddress(readSettings({ REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: 'redis.example.net:6380', ...changes }), 'REDIS')

describe('readStoreAddress()', () => {
  it('reads host and port', () => {
    expect(read({})).toEqual({ kind: 'single', servers: [{ host: 'redis.example.net', port: 6380 }], tls: false })
  })

  it('reads a URL with credentials and TLS', () => {
    expect(read({ REDIS_URL: 'rediss://me:p%40ss@10.0.0.1' })).toEqual({
      kind: 'single',
      servers: [{ host: '10.0.0.1', port: 6379 }],
      tls: true,
      credentials: { user: 'me', password: 'p@ss' },
    })
  })

  it('prefers REDIS_AUTH, with or without a user', () => {
    expect(read({ REDIS_URL: 'redis://:old@h:1', REDIS_AUTH: 'new' }).credentials).toEqual({ password: 'new' })
    expect(read({ REDIS_AUTH: 'me:pa:ss' }).credentials).toEqual({ user: 'me', password: 'pa:ss' })
  })

  it('reads the master and its sentinels', () => {
    const url = 'mymaster,10.0.0.1:26380, 10.0.0.2'
    expect(read({ REDIS_TYPE: 'sentinel', REDIS_URL: url, REDIS_SENTINEL_AUTH: 's' })).toEqual({
      kind: 'sentinel',
      masterName: 'mymaster',
      servers: [
        { host: '10.0.0.1', port: 26_380 },
        { host: '10.0.0.2', port: 26_379 },
      ],
      tls: false,
      sentinelCredentials: { password: 's' },
    })
  })

  it('reads the nodes of a cluster', () => {
    const { servers } = read({ REDIS_TYPE: 'cluster', REDIS_URL: 'a:1,b:2,[::1]:3' })
    expect(servers).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
      { host: '[::1]', port: 3 },
    ])
  })

  it.each([
    ['', /is not host:port/],
    ['redis://user:secret@host:notaport', /is not host:port/],
    ['host:70000', /is not host:port/],
    ['redis://user:secret%@host:1', /REDIS_URL is not percent-encoded UTF-8, expected for example %25/],
  ])('refuses %j without showing it', (url, message) => {
    expect(() => read({ REDIS_URL: url })).toThrow(message)
    expect(() => read({ REDIS_URL: url })).not.toThrow(/secret/)
  })

  it('refuses a sentinel list without a sentinel', () => {
    expect(() => read({ REDIS_TYPE: 'sentinel', REDIS_URL: 'mymaster' })).toThrow(/names no sentinel/)
  })
})
