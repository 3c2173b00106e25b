/** CounterObject.block(), read() and reset(): what an operator does with a key. */

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import {
  DAY,
  hitOnce,
  hitTimes,
  MINUTE,
  newCounter,
  newId,
  rowsOf,
  setClock,
  storedHits,
  totals,
} from './new-counter.ts'

describe('CounterObject.block(), read() and reset()', () => {
  it('refuses every hit until the moment, across restarts, and goes on counting', async () => {
    const counter = newCounter()
    const until = Math.floor(Date.now() / 1000) + 3_600
    expect(await counter().block('a', until)).toEqual({ counters: [], blockedUntil: until })
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 1]))).toEqual([Number.MAX_SAFE_INTEGER, 1])
    await counter().block('a', 0)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([2])
  })

  it('answers the wait until the block ends, and until the window does where that is later and the counter over', async () => {
    const counter = newCounter()
    const atMs = (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000 + 55_000
    setClock(atMs)
    const waits = async (...hits: WireHit[]) => (await hitOnce(counter(), ...hits)).filter((_, at) => at % 2 === 1)
    await hitOnce(counter(), ['a', MINUTE, 3, 2], ['a', DAY, 3, 900])
    await counter().block('a', atMs / 1000 + 600)
    expect(await waits(['a', MINUTE, 1, 9], ['a', MINUTE, 1, 2], ['a', DAY, 1, 900])).toEqual([600, 600, 600])
    expect(await waits(['a', MINUTE, 0], ['a', MINUTE, 0, 2])).toEqual([600, 600])
    await counter().block('a', atMs / 1000 + 2)
    expect(await waits(['a', MINUTE, 1, 900], ['a', MINUTE, 1, 2])).toEqual([2, 5])
  })

  it('reads every open window of a key, changing nothing', async () => {
    const counter = newCounter()
    // A minute that turned between the hit and the look would have closed its window.
    setClock(Date.now())
    await hitOnce(counter(), ['a', DAY, 3], ['a', MINUTE, 1])
    const { counters, blockedUntil } = await counter().read('a')
    expect(blockedUntil).toBeNull()
    expect(counters.map(({ unit, hits }) => [unit, hits])).toEqual([
      ['MINUTE', 1],
      ['DAY', 3],
    ])
    expect(await counter().read('a')).toMatchObject({ counters })
  })

  it('forgets a key and nothing else', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 3], ['b', DAY, 4])
    expect((await counter().reset('a')).counters).toMatchObject([{ unit: 'DAY', hits: 3 }])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0], ['b', DAY, 0]))).toEqual([0, 4])
  })

  it('counts from zero after it, below a ceiling and across a restart', async () => {
    const counter = newCounter()
    const hits = (times: number) => hitTimes(counter(), times, 100_000)
    expect(await hits(50)).toBe(50)
    expect((await counter().reset('a')).counters).toMatchObject([{ hits: 50 }])
    expect(await rowsOf(counter())).toBe(0)
    expect(await hits(3)).toBe(3)
    await abortAllDurableObjects()
    expect(await hits(1)).toBe(4)
    expect((await counter().reset('a')).counters).toMatchObject([{ hits: 4 }])
    await abortAllDurableObjects()
    expect(await hits(1)).toBe(1)
    expect(await storedHits(counter(), 'a')).toBe(1)
  })

  it('forgets hits whose commit is on its way, so that the end of the commit brings none of them back', async () => {
    const counter = newCounter()
    const counted = await runInDurableObject(counter(), async (object) => {
      const before = [object.hit(newId(), [['a', DAY, 3]]), object.hit(newId(), [['a', DAY, 2]])]
      await object.reset('a')
      await Promise.all(before)
      return totals(await object.hit(newId(), [['a', DAY, 1]]))
    })
    expect(counted).toEqual([1])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([1])
  })
})
