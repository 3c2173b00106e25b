import { describe, expect, it } from 'vitest'
import { crc16, keySlot } from '#ratelimit/redis/slot.ts'

describe('crc16()', () => {
  it('has the check value of CRC-16/XMODEM', () => {
    expect(crc16(new TextEncoder().encode('123456789'))).toBe(0x31c3)
  })
})

describe('keySlot()', () => {
  it.each([
    ['foo', 12_182],
    ['bar', 5061],
    ['', 0],
  ])('puts %j where CLUSTER KEYSLOT does', (key, slot) => {
    expect(keySlot(key)).toBe(slot)
  })

  it('hashes only the hash tag', () => {
    expect(keySlot('{user1000}.following')).toBe(keySlot('user1000'))
    expect(keySlot('a{b}{c}')).toBe(keySlot('b'))
  })

  it('hashes the whole key when the tag is empty or never closed', () => {
    expect(keySlot('foo{}{bar}')).not.toBe(keySlot('bar'))
    expect(keySlot('foo{bar')).not.toBe(keySlot('bar'))
  })
})
