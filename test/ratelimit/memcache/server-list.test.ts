import { describe, expect, it } from 'vitest'
import { chooseServer, crc32 } from '#ratelimit/memcache/server-list.ts'

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

  it('hashes the first 256 bytes alone', () => {
    const key = 'k'.repeat(256)
    expect(chooseServer(`${key}a`, 97)).toBe(chooseServer(`${key}b`, 97))
  })
})
