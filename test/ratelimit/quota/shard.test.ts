/** Shards of buckets: each bucket has one, the same in every build, and each shard has an object. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseShard, quotaObjectName, splitByShard } from '#ratelimit/quota/shard.ts'

const shardCounts = fc.integer({ min: 1, max: 64 })
const usages = fc.array(
  fc.record({
    bucket: fc.uniqueArray(fc.record({ key: fc.string(), value: fc.string() }), {
      selector: ({ key }) => key,
      maxLength: 4,
    }),
    allowed: fc.nat(),
  }),
  { maxLength: 30 },
)

describe('chooseShard()', () => {
  it('is the hash of counters over the name of the bucket, in every build', () => {
    const shards = (...bucket: readonly { key: string; value: string }[]) =>
      [1, 2, 4, 64].map((count) => chooseShard(bucket, count))
    expect(shards({ key: 'env', value: 'staging' })).toEqual([0, 1, 1, 29])
    expect(shards({ key: 'tenant', value: 'é' })).toEqual([0, 0, 0, 0])
    expect(shards({ key: 'zone', value: 'eu' }, { key: 'app', value: 'web' })).toEqual([0, 0, 2, 50])
  })

  it('does not depend on the order of the pairs, and is below the number of shards', () => {
    fc.assert(
      fc.property(usages, shardCounts, (all, shards) => {
        for (const { bucket } of all) {
          const shard = chooseShard(bucket, shards)
          expect(chooseShard(bucket.toReversed(), shards)).toBe(shard)
          expect(shard).toBeGreaterThanOrEqual(0)
          expect(shard).toBeLessThan(shards)
        }
      }),
      { seed: 21 },
    )
  })

  it('spreads buckets over all shards', () => {
    const counts = new Map<number, number>()
    for (let at = 0; at < 6_400; at++) {
      const shard = chooseShard([{ key: 'client', value: `${at}` }], 64)
      counts.set(shard, (counts.get(shard) ?? 0) + 1)
    }
    expect(counts.size).toBe(64)
    expect(Math.max(...counts.values())).toBeLessThan(200)
  })
})

describe('splitByShard()', () => {
  it('gives every usage to the shard of its bucket, once, in the order of the message', () => {
    fc.assert(
      fc.property(usages, shardCounts, (all, shards) => {
        const parts = splitByShard(all, shards)
        expect([...parts.values()].reduce((sum, { length }) => sum + length, 0)).toBe(all.length)
        for (const [shard, part] of parts) {
          expect(part).toEqual(all.filter(({ bucket }) => chooseShard(bucket, shards) === shard))
        }
      }),
      { seed: 22 },
    )
  })

  it('leaves a message as it is where there is one shard, and sends one without usages to shard 0', () => {
    const all = [{ bucket: [{ key: 'a', value: 'b' }] }]
    expect(splitByShard(all, 1).get(0)).toBe(all)
    expect([...splitByShard([], 8)]).toEqual([[0, []]])
  })
})

describe('quotaObjectName()', () => {
  it('is the domain where there is one shard', () => {
    expect(quotaObjectName('shop', 0, 1)).toBe('shop')
  })

  it('differs between shards, their numbers and domains', () => {
    const names = ['shop', 'shop2', '/4 shop'].flatMap((domain) =>
      [1, 2, 4].flatMap((shards) =>
        Array.from({ length: shards }, (_, shard) => quotaObjectName(domain, shard, shards)),
      ),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(quotaObjectName('shop', 3, 4)).toBe('shard:3/4 shop')
  })
})
