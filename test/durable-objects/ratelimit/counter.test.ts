/** CounterObject.hit(): counts exactly, is durable before it answers, and answers a repeated call from its receipt. */

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import { writeJoint } from '#ratelimit/ports.ts'
import { DAY, hitOnce, MINUTE, newCounter, newId, rowsOf, SECOND, storedNames, totals } from './counter/new-counter.ts'

describe('CounterObject.hit()', () => {
  it('adds up, gives the seconds until the window ends, and keeps keys and units apart', async () => {
    const counter = newCounter()
    const [after, reset] = await hitOnce(counter(), ['a', DAY, 3])
    expect(after).toBe(3)
    expect(reset).toBeGreaterThanOrEqual(1)
    expect(reset).toBeLessThanOrEqual(86_400)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 5], ['a', MINUTE, 2]))).toEqual([4, 5, 2])
  })

  it('counts joint hits all or none, beside hits of other requests, and after a restart too', async () => {
    const counter = newCounter()
    const joint = (key: string, rest: number, limit: number): WireHit => [
      ...([key, DAY, 2, limit, ''] as const),
      writeJoint({ rest, mayRefuse: true, isTogether: true }),
    ]
    const a = joint('a_\nfixed 86400 all_or_nothing', 1, 4)
    const b = joint('b_\nfixed 86400 all_or_nothing', 0, 3)
    expect(totals(await hitOnce(counter(), a, b, ['c', DAY, 1], a, b))).toEqual([2, 2, 1, 2, 4])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), a, b))).toEqual([2, 4])
    expect(totals(await hitOnce(counter(), a, joint('c', 0, 3)))).toEqual([4, 3])
  })

  it('loses nothing when the object is thrown out of memory', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 7])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([8])
  })

  it('counts every one of 500 overlapping hits once, and all of them are on disk', async () => {
    const counter = newCounter()
    const answers = await Promise.all(Array.from({ length: 500 }, () => hitOnce(counter(), ['a', DAY, 1])))
    const seen = answers.map(([after]) => after ?? 0).sort((one, other) => one - other)
    expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([500])
  })

  it('answers a call sent again from its receipt, also after a restart', async () => {
    const counter = newCounter()
    const id = newId()
    const first = await counter().hit(id, [['a', DAY, 1]])
    expect(totals(await counter().hit(id, [['a', DAY, 1]]))).toEqual(totals(first))
    await abortAllDurableObjects()
    expect(totals(await counter().hit(id, [['a', DAY, 1]]))).toEqual([1])
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([1])
  })

  it('gives hits back down to 0 and leaves a missing counter missing', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), ['a', DAY, -5]))).toEqual([0])
    expect(await rowsOf(counter())).toBe(0)
    expect(totals(await hitOnce(counter(), ['a', DAY, 4], ['a', DAY, -1], ['a', DAY, -9]))).toEqual([4, 3, 0])
  })

  it('stores nothing for second-long windows, nor for a look', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), ['a', SECOND, 1], ['a', DAY, 0]))[1]).toBe(0)
    expect(await rowsOf(counter())).toBe(0)
  })

  it('stores the only window of a key as one value, with the receipts of its calls', async () => {
    const counter = newCounter()
    for (let hit = 0; hit < 3; hit++) await hitOnce(counter(), ['a', DAY, 1])
    expect(await storedNames(counter())).toEqual({ tables: [], values: ['first'] })
  })

  it('starts a second-long window anew when the second has turned', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', SECOND, 5])
    // The platform's clock cannot be moved from here, so the test waits until the second is over.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(totals(await hitOnce(counter(), ['a', SECOND, 1]))).toEqual([1])
  })

  it('refuses a unit that does not exist', async () => {
    const counter = newCounter()
    await runInDurableObject(counter(), async (instance) => {
      await expect(instance.hit(newId(), [['a', 99, 1]])).rejects.toThrow('unit 99 does not exist')
    })
  })
})
