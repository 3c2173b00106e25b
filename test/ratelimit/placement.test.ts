/** The object that counts a key: the same one in every isolate and release. */

import { describe, expect, it } from 'vitest'
import { parsePlaces, readPlaces } from '#ratelimit/placement/places.ts'
import { hashOf, isOneObject, nameObject, readObjectName } from '#ratelimit/placement.ts'

describe('hashOf()', () => {
  it('is FNV-1a of 32 bits', () => {
    // http://www.isthe.com/chongo/src/fnv/test_fnv.c
    expect([hashOf(''), hashOf('a'), hashOf('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  })
})

describe('nameObject()', () => {
  it('names an object for each key, or one of the shards', () => {
    expect(nameObject('shop_a_', { kind: 'per-key' })).toBe('key:shop_a_')
    expect(nameObject('a', { kind: 'shard', shards: 64 })).toBe(`shard:${0xe40c292c % 64}/64`)
  })

  it('writes the place of the domain in front of the name, which readObjectName() reads', () => {
    const places = readPlaces(parsePlaces('shop=eu,pay=apac,bank=us+wnam') ?? new Map(), 'p_')
    const placed = (key: string, kind: { kind: 'per-key' } | { kind: 'shard'; shards: number } = { kind: 'per-key' }) =>
      readObjectName(nameObject(key, { ...kind, places }))
    expect(placed('p_shop_a_')).toEqual({ name: 'key:p_shop_a_', jurisdiction: 'eu', hint: null })
    expect(placed('p_pay_in: a\nb_')).toEqual({ name: 'key:p_pay_in: a\nb_', jurisdiction: null, hint: 'apac' })
    expect(placed('p_bank_a_')).toMatchObject({ jurisdiction: 'us', hint: 'wnam' })
    expect(placed('p_other_a_')).toEqual({ name: 'key:p_other_a_', jurisdiction: null, hint: null })
    const shard = { kind: 'shard', shards: 1 } as const
    expect([placed('p_pay_a_', shard).name, placed('p_shop_a_', shard).name]).toEqual(['apac shard:0/1', 'shard:0/1'])
  })

  it('is one for all counters of a descriptor, and for all keys of a shard, as isOneObject() tells', () => {
    const shard = { kind: 'shard', shards: 1 } as const
    const keysOf = (...keys: readonly string[]) => keys.map((key) => ({ key }))
    expect(isOneObject(keysOf('a_', 'b_'), shard)).toBe(true)
    expect(isOneObject(keysOf('a_', 'b_'), { kind: 'per-key' })).toBe(false)
    expect(isOneObject(keysOf('a_', 'a_\nsliding 60'), { kind: 'per-key' })).toBe(true)
  })

  it('spreads keys over all shards', () => {
    const keys = Array.from({ length: 6_400 }, (_, at) => `shop_user_${at}_`)
    const counts = new Map<string, number>()
    for (const key of keys) {
      const name = nameObject(key, { kind: 'shard', shards: 64 })
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.size).toBe(64)
    expect(Math.max(...counts.values())).toBeLessThan(200)
  })
})
