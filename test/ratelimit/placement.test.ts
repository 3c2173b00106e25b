/** Which object counts a key: the same one in every isolate and release. */

import { describe, expect, it } from 'vitest'
import { hashOf, objectNameOf } from '#ratelimit/placement.ts'

describe('hashOf()', () => {
  it('is FNV-1a of 32 bits', () => {
    // http://www.isthe.com/chongo/src/fnv/test_fnv.c
    expect([hashOf(''), hashOf('a'), hashOf('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })
})

describe('objectNameOf()', () => {
  it('names an object for each key, or one of the shards', () => {
    expect(objectNameOf('shop_a_', { kind: 'per-key' })).toBe('key:shop_a_')
    expect(objectNameOf('a', { kind: 'shard', shards: 64 })).toBe(`shard:${0xe40c292c % 64}/64`)
  })

  it('spreads keys over all shards', () => {
    const keys = Array.from({ length: 6_400 }, (_, at) => `shop_user_${at}_`)
    const counts = new Map<string, number>()
    for (const key of keys) {
      const name = objectNameOf(key, { kind: 'shard', shards: 64 })
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.size).toBe(64)
    expect(Math.max(...counts.values())).toBeLessThan(200)
  })
})
