/** CounterObject.hitOne() with a limit: a ceiling on disk ahead of the count, through crashes and failed writes. */

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { FirstWindow } from '#objects/ratelimit/storage/first-window.ts'
import { DAY, hitOnce, hitTimes, newCounter, newId, setClock, storedHits } from './new-counter.ts'

describe('CounterObject.hitOne() with a limit', () => {
  const limit = 10_000

  it('counts below a ceiling on disk, at most 1 % of the limit ahead', async () => {
    const counter = newCounter()
    expect(await hitTimes(counter(), 300, limit)).toBe(300)
    const stored = Number(await storedHits(counter(), 'a'))
    expect(stored).toBeGreaterThanOrEqual(300)
    expect(stored).toBeLessThanOrEqual(300 + limit / 100)
  })

  it('goes on below the ceiling when the isolate has forgotten the object, after any pause', async () => {
    const counter = newCounter()
    const now = Date.now()
    setClock(now)
    await hitTimes(counter(), 300, limit)
    const stored = await storedHits(counter(), 'a')
    setClock(now + 50_000)
    await abortAllDurableObjects()
    expect(await hitTimes(counter(), 1, limit)).toBe(301)
    expect(await storedHits(counter(), 'a')).toBe(stored)
  })

  it('counts the ceiling where another isolate wrote the row, at most 1 % of the limit more', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 500, limit)
    await runInDurableObject(counter(), (_, { storage }) => {
      const first = storage.kv.get<FirstWindow>('first')
      if (first !== undefined) storage.kv.put('first', { ...first, isolate: -1 })
    })
    const stored = Number(await storedHits(counter(), 'a'))
    await abortAllDurableObjects()
    expect(await hitTimes(counter(), 1, limit)).toBe(stored + 1)
    expect(stored).toBeLessThanOrEqual(500 + limit / 100)
  })

  it('holds the count itself after hits were given back', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 200, limit)
    await hitOnce(counter(), ['a', DAY, -50, limit])
    expect(await storedHits(counter(), 'a')).toBe(150)
  })

  it('writes every hit of a caller that names no limit', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 100, limit)
    await hitOnce(counter(), ['a', DAY, 1])
    expect(await storedHits(counter(), 'a')).toBe(101)
  })

  it('answers a hit that could not be written with an error, and writes the next one', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['b', DAY, 1])
    await hitTimes(counter(), 3, limit)
    await runInDurableObject(counter(), async (instance, { storage }) => {
      storage.sql.exec('ALTER TABLE counters RENAME TO away')
      await expect(instance.hitOne(newId(), 'a', DAY, 1_000, limit)).rejects.toThrow('no such table')
      await expect(instance.hitOne(newId(), 'a', DAY, 1, limit)).rejects.toThrow('no such table')
      storage.sql.exec('ALTER TABLE away RENAME TO counters')
    })
    await hitTimes(counter(), 1, limit)
    expect(Number(await storedHits(counter(), 'a'))).toBeGreaterThanOrEqual(1_005)
  })
})
