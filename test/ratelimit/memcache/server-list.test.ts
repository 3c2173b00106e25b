import { describe, expect, it } from 'vitest'
import { crc32, serverOf } from '#ratelimit/memcache/server-list.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('crc32()', () => {
  it('has the check value of IEEE 802.3', () => {
    expect(crc32(bytes('123456789'))).toBe(0xcbf43926)
  })
})

describe('serverOf()', () => {
  it('is the hash modulo the number of servers', () => {
    expect(serverOf('123456789', 7)).toBe(0xcbf43926 % 7)
  })

  it('hashes the first 256 bytes alone', () => {
    const key = 'k'.repeat(256)
    expect(serverOf(`${key}a`, 97)).toBe(serverOf(`${key}b`, 97))
  })
})
