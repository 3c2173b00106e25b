/** Room for frames: zeroed, never shared, and apart for large ones. */

import { describe, expect, it } from 'vitest'
import { keepOctets, takeRoom } from '#grid/link/slab.ts'

describe('takeRoom()', () => {
  it('gives zeros that no other frame writes, over many buffers', () => {
    const rooms = Array.from({ length: 500 }, (_, index) => {
      const room = takeRoom(600)
      expect(room.every((octet) => octet === 0)).toBe(true)
      return room.fill(index % 251)
    })
    for (const [index, room] of rooms.entries()) {
      expect([room.length, room[0], room[599]]).toEqual([600, index % 251, index % 251])
    }
    expect(new Set(rooms.map(({ buffer }) => buffer)).size).toBeLessThan(10)
  })

  it('gives a large frame a buffer that it does not share', () => {
    expect(takeRoom(8193).buffer.byteLength).toBe(8193)
    expect(takeRoom(8192).buffer.byteLength).toBe(65_536)
  })
})

describe('keepOctets()', () => {
  it('gives a copy, which later changes of the original do not reach', () => {
    const octets = Uint8Array.of(1, 2, 3)
    const kept = keepOctets(octets)
    octets.fill(9)
    expect([...kept]).toEqual([1, 2, 3])
  })
})
