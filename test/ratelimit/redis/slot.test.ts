import { describe, expect, it } from 'vitest'
import { crc16, slotOf } from '#ratelimit/redis/slot.ts'

describe('crc16()', () => {
  it('has the check value of CRC-16/XMODEM', () => {
    expect(crc16(new TextEncoder().encode('123456789'))).toBe(0x31c3)
  })
})

describe('slotOf()', () => {
  it.each([
    ['foo', 12_182],
    ['bar', 5061],
    ['', 0],
  ])('puts %j where CLUSTER KEYSLOT does', (key, slot) => {
    expect(slotOf(key)).toBe(slot)
  })

  it('hashes the hash tag alone', () => {
    expect(slotOf('{user1000}.following')).toBe(slotOf('user1000'))
    expect(slotOf('a{b}{c}')).toBe(slotOf('b'))
  })

  it('hashes the whole key when the tag is empty or never closed', () => {
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('bar'))
    expect(slotOf('foo{bar')).not.toBe(slotOf('bar'))
  })
})
