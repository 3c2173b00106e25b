/** CounterObject.alarm(): when it comes, what it removes, and no hit that a leaping clock loses. */

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CounterObject } from '#objects/ratelimit/counter.ts'
import type { FirstWindow } from '#objects/ratelimit/storage/first-window.ts'
import {
  alarmOf,
  DAY,
  HOUR,
  hitOnce,
  MINUTE,
  newCounter,
  rowsOf,
  setClock,
  storedNames,
  totals,
} from './new-counter.ts'

/** Runs the alarm at the time for which it is set, by a clock that has come to it. */
async function runAlarm(counter: DurableObjectStub<CounterObject>): Promise<void> {
  const atMs = await alarmOf(counter)
  if (atMs === null) throw new Error('no alarm is set')
  setClock(Math.max(atMs, Date.now()))
  await runInDurableObject(counter, async (instance, { storage }) => {
    await storage.deleteAlarm()
    await instance.alarm({ scheduledTime: atMs, isRetry: false, retryCount: 0 })
  })
}

/** Runs the alarm, and makes it look as if that was so long ago that what was over then may go. */
async function lookAndWait(counter: DurableObjectStub<CounterObject>): Promise<void> {
  expect(await runDurableObjectAlarm(counter)).toBe(true)
  await runInDurableObject(counter, (_, { storage }) => {
    const looks = storage.kv.get<{ latest: number; first: readonly (number | null)[] }>('looks')
    const back = (moment: number | null) => (moment === null ? null : moment - 100_000)
    if (looks !== undefined) storage.kv.put('looks', { latest: looks.latest - 100_000, first: looks.first.map(back) })
  })
  await abortAllDurableObjects()
}

describe('CounterObject.alarm()', () => {
  it('is set by the first durable hit, for long after the window, at a moment of the key within one more', async () => {
    const began = Date.now()
    const alarms = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const counter = newCounter()
        await hitOnce(counter(), ['a', MINUTE, 1])
        return Number(await alarmOf(counter()))
      }),
    )
    const windowEnd = (moment: number) => (Math.floor(moment / 60_000) + 1) * 60_000
    const first = Math.min(...alarms)
    const last = Math.max(...alarms)
    expect(first).toBeGreaterThanOrEqual(windowEnd(began) + 150_000)
    expect(last).toBeLessThanOrEqual(windowEnd(Date.now()) + 210_000)
    expect(last - first).toBeGreaterThan(20_000)
  })

  it('is moved by a call after which it would come while the runtime forgets the object', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', MINUTE, 1])
    const hitAt = async (moment: number) => {
      setClock(moment)
      await hitOnce(counter(), ['a', MINUTE, 0])
      return Number(await alarmOf(counter()))
    }
    const alarm = await hitAt(Date.now())
    expect(await hitAt(alarm - 200_000)).toBe(alarm)
    expect(await hitAt(alarm - 30_000)).toBe(alarm)
    expect(await hitAt(alarm - 100_000)).toBeGreaterThanOrEqual(alarm + 49_000)
  })

  it('stays as an earlier instance has set it', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 1])
    const before = await alarmOf(counter())
    await abortAllDurableObjects()
    await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 1])
    expect(await alarmOf(counter())).toBe(before)
    await hitOnce(counter(), ['a', MINUTE, 1])
    expect(await alarmOf(counter())).toBeLessThanOrEqual(Date.now() + 300_000)
  })

  it('is set again by the next instance where none is set, or one that is due while the runtime forgets the object', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 1])
    const endOfDay = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000
    const change = [
      (storage: DurableObjectStorage) => storage.deleteAlarm(),
      (storage: DurableObjectStorage) => storage.setAlarm(Date.now() + 145_000),
    ]
    for (const set of change) {
      await runInDurableObject(counter(), (_, { storage }) => set(storage))
      await abortAllDurableObjects()
      await hitOnce(counter(), ['a', DAY, 1])
      await expect.poll(() => alarmOf(counter())).toBeGreaterThan(endOfDay)
    }
  })

  it('comes within half a minute for what has waited for ten', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', MINUTE, 1])
    await runInDurableObject(counter(), (_, { storage }) => {
      const first = storage.kv.get<FirstWindow>('first') ?? expect.fail('there is no window on disk')
      storage.kv.put('first', { ...first, start: first.start - 6_000 })
    })
    await abortAllDurableObjects()
    // The latest moment that is drawn: an early one comes before the test has looked.
    const chance = vi.spyOn(Math, 'random').mockReturnValue(0.999)
    onTestFinished(() => chance.mockRestore())
    await hitOnce(counter(), ['b', DAY, 1])
    expect(await alarmOf(counter())).toBeLessThanOrEqual(Date.now() + 30_000)
  })

  it('removes windows in batches, with calls between them, and all of them', async () => {
    const counter = newCounter()
    const keys = Array.from({ length: 6_000 }, (_, at) => [`key ${at}`, DAY, 1] as const)
    await hitOnce(counter(), ...keys, ['stays', DAY, 2])
    await runInDurableObject(counter(), (_, { storage }) => {
      storage.sql.exec("UPDATE counters SET start = start - 864000, expires = expires - 864000 WHERE key != 'stays'")
    })
    await abortAllDurableObjects()
    await lookAndWait(counter())
    expect(await rowsOf(counter())).toBe(6_001)
    const seen: number[] = []
    const alarm = runDurableObjectAlarm(counter())
    let isOver = false
    void alarm.finally(() => {
      isOver = true
    })
    // Several callers, so that a call is waiting whenever a batch ends.
    const call = async () => {
      while (!isOver) {
        await hitOnce(counter(), ['stays', DAY, 1])
        seen.push(await rowsOf(counter()))
      }
    }
    await Promise.all(Array.from({ length: 8 }, call))
    expect(await alarm).toBe(true)
    expect(await rowsOf(counter())).toBe(1)
    expect(seen.some((rows) => rows > 1 && rows < 6_001)).toBe(true)
  })

  it.each([
    ['back over the edge of a window and right again', -3_600_000, 400],
    ['ahead and back, with an alarm and a restart meanwhile', 2 * 3_600_000, 100],
  ])('forgets no hit of a clock that leaps %s', async (_, leapMs, meanwhile) => {
    const counter = newCounter()
    const rightMs = (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000 + 30_000
    const countAfter = async (hits: number) => totals(await hitOnce(counter(), ['a', HOUR, hits, 900]))[0]
    setClock(rightMs)
    expect(await countAfter(500)).toBe(500)
    expect(totals(await hitOnce(counter(), ['idle', HOUR, 800]))[0]).toBe(800)
    setClock(rightMs + leapMs)
    await countAfter(meanwhile)
    expect(await runDurableObjectAlarm(counter())).toBe(true)
    await abortAllDurableObjects()
    await countAfter(0)
    expect(await runDurableObjectAlarm(counter())).toBe(true)
    setClock(rightMs + 10_000)
    expect(await countAfter(1)).toBe(501 + meanwhile)
    expect(totals(await hitOnce(counter(), ['idle', HOUR, 1]))[0]).toBe(801)
  })

  it('keeps what still counts and comes again', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 2])
    expect(await runDurableObjectAlarm(counter())).toBe(true)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([3])
    expect(await alarmOf(counter())).not.toBeNull()
  })

  it.each([
    ['one window', [['a', DAY, 2]]],
    [
      'two windows',
      [
        ['a', DAY, 2],
        ['b', DAY, 1],
      ],
    ],
  ] as const)('leaves nothing of %s that are over, and the object counts on afterwards', async (_, hits) => {
    const counter = newCounter()
    await hitOnce(counter(), ...hits)
    for (let look = 0; look < 2; look++) {
      await runAlarm(counter())
      if (look === 0) expect(await rowsOf(counter())).toBe(hits.length)
      await abortAllDurableObjects()
    }
    expect(await storedNames(counter())).toEqual({ tables: [], values: [] })
    expect(await alarmOf(counter())).toBeNull()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([1])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([2])
  })
})
