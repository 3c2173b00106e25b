/** CounterObject with algorithms: counters beside the windows of their key. */

import { abortAllDurableObjects } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import { HOUR, hitOnce, newCounter, totals } from './new-counter.ts'

describe('CounterObject with algorithms', () => {
  const key = 'shop_user_a_'
  const sliding: WireHit = [`${key}\nsliding 900`, HOUR, 3, 10]
  const bucket: WireHit = [`${key}\ntoken_bucket 60 5`, HOUR, 2, 1]
  const looks = [sliding, bucket].map(([name, , addend, limit = null]) => ({
    key: name,
    unit: 'HOUR' as const,
    addend,
    limit: limit ?? 0,
  }))

  it('counts beside the windows of the key, and loses nothing when it is thrown out of memory', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), [key, HOUR, 1, 10], sliding, bucket))).toEqual([1, 3, 2])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), [key, HOUR, 1, 10], sliding, bucket))).toEqual([2, 6, 4])
    expect(totals(await hitOnce(counter(), bucket))).toEqual([6])
    expect(totals(await hitOnce(counter(), [bucket[0], HOUR, 1, 1]))).toEqual([5])
  })

  it('writes ahead of a burst, and finds at most a hundredth of the limit more after a crash', async () => {
    const counter = newCounter()
    const burst: WireHit = [`${key}\nsliding 900`, HOUR, 1, 100_000]
    for (let hit = 0; hit < 300; hit++) await hitOnce(counter(), burst)
    await abortAllDurableObjects()
    const [after = 0] = await hitOnce(counter(), burst)
    expect(after).toBeGreaterThanOrEqual(301)
    expect(after).toBeLessThanOrEqual(1_301)
  })

  it('reads, blocks and forgets them by the key of their descriptor', async () => {
    const counter = newCounter()
    await hitOnce(counter(), [key, HOUR, 4, 10], sliding, bucket)
    const reading = await counter().read(key, looks)
    expect(reading.counters.map(({ algorithm, hits }) => [algorithm, hits])).toEqual([
      [undefined, 4],
      ['sliding 900', 3],
      ['token_bucket 60 5', 2],
    ])
    await counter().block(key, Math.floor(Date.now() / 1000) + 60)
    const [after, wait] = await hitOnce(counter(), sliding)
    expect([after, (wait ?? 0) > 50]).toEqual([Number.MAX_SAFE_INTEGER, true])
    expect((await counter().reset(key, looks)).counters).toHaveLength(3)
    expect(await counter().read(key, looks)).toEqual({ counters: [], blockedUntil: null })
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), sliding, bucket))).toEqual([3, 2])
  })
})
