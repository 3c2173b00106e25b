import { describe, expect, it } from 'vitest'
import { chooseServer, crc32, parseServers, readServiceRecords } from '#ratelimit/memcache/servers.ts'

describe('parseServers()', () => {
  it('keeps the order', () => {
    expect(parseServers('b:2, a:1')).toEqual([
      { host: 'b', port: 2 },
      { host: 'a', port: 1 },
    ])
  })

  it.each(['a', 'a:0', 'a:1,', ':11211', 'a:99999'])('refuses %j', (text) => {
    expect(() => parseServers(text)).toThrow(/expected host:port/)
  })
})

describe('readServiceRecords()', () => {
  it('orders by priority, name and port, so that every instance agrees', () => {
    const answer = {
      Status: 0,
      Answer: [
        { type: 33, data: '10 50 11211 b.example.' },
        { type: 33, data: '5 50 11212 z.example.' },
        { type: 5, data: 'alias.example.' },
        { type: 33, data: '10 50 11211 a.example.' },
      ],
    }
    expect(readServiceRecords(answer)).toEqual([
      { host: 'z.example', port: 11_212 },
      { host: 'a.example', port: 11_211 },
      { host: 'b.example', port: 11_211 },
    ])
  })

  it.each([null, {}, { Status: 3 }, { Answer: [{ type: 1, data: '1.2.3.4' }] }])('refuses %j', (answer) => {
    expect(() => readServiceRecords(answer)).toThrow(/no service record/)
  })
})

const bytes = (text: string) => new TextEncoder().encode(text)

describe('crc32()', () => {
  it('has the check value of IEEE 802.3', () => {
    expect(crc32(bytes('123456789'))).toBe(0xcbf43926)
  })
})

describe('chooseServer()', () => {
  it('is the hash modulo the number of servers', () => {
    expect(chooseServer('123456789', 7)).toBe(0xcbf43926 % 7)
  })

  it('hashes only the first 256 bytes', () => {
    const key = 'k'.repeat(256)
    expect(chooseServer(`${key}a`, 97)).toBe(chooseServer(`${key}b`, 97))
  })
})
