/** CounterObject.hit() with reservations: kept through a crash, settled once, counted when they end. */

import { abortAllDurableObjects } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import { statsName } from '#objects/ratelimit/env.ts'
import { unsettledName } from '#ratelimit/statistics/names.ts'
import { bindings, DAY, hitOnce, newCounter, newId, setClock, totals } from './new-counter.ts'

describe('CounterObject.hit() on a counter with reservations', () => {
  const key = 'reserved_\nfixed 3600 unsettled charged 600'
  const reserve = (id: string, hits: number): WireHit => [key, DAY, hits, 100, `reserve ${id}`]
  const settle = (id: string, cost: number): WireHit => [key, DAY, cost, 100, `settle ${id}`]

  it('keeps them through a crash, and settles each once', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), reserve('a', 60), reserve('b', 30), reserve('c', 30)))).toEqual([
      60, 90, 120,
    ])
    await abortAllDurableObjects()
    expect(await hitOnce(counter(), settle('a', 10))).toEqual([40, expect.any(Number)])
    await abortAllDurableObjects()
    const faults = [-1, 0].map((fault) => [40, fault])
    expect(await hitOnce(counter(), settle('a', 10), settle('c', 5))).toEqual(faults.flat())
    expect(totals(await hitOnce(counter(), settle('b', 70), [key, DAY, 0, 100]))).toEqual([80, 80])
  })

  it('answers a settlement that is sent again from its receipt', async () => {
    const counter = newCounter()
    await hitOnce(counter(), reserve('a', 60))
    const id = newId()
    const first = await counter().hit(id, [settle('a', 10)])
    await abortAllDurableObjects()
    expect(await counter().hit(id, [settle('a', 10)])).toEqual(first)
    expect(totals(await hitOnce(counter(), [key, DAY, 0, 100]))).toEqual([10])
  })

  it('keeps them in tables beside other counters as well', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['plain_', DAY, 1, 100], reserve('a', 60))
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), settle('a', 0), ['plain_', DAY, 0, 100]))).toEqual([0, 1])
  })

  it('counts those that ended without a settlement, once their counter is hit again', async () => {
    const counter = newCounter()
    const stats = () => bindings.STATS.getByName(statsName)
    const unsettled = async () => (await stats().read()).find(({ name }) => name === unsettledName)?.value ?? 0
    const before = await unsettled()
    const nowMs = Date.now()
    setClock(nowMs)
    await hitOnce(counter(), reserve('a', 1), reserve('b', 1))
    setClock(nowMs + 601_000)
    await hitOnce(counter(), [key, DAY, 0, 100], reserve('c', 1), reserve('d', 1))
    // What is waited for happens later.
    vi.useRealTimers()
    await vi.waitFor(async () => expect((await unsettled()) - before).toBe(2), { timeout: 30_000 })
  })

  it('settles a blocked key, and refuses its hits, which open nothing', async () => {
    const counter = newCounter()
    await hitOnce(counter(), reserve('a', 60))
    await counter().block('reserved_', Math.floor(Date.now() / 1000) + 60)
    expect(totals(await hitOnce(counter(), reserve('b', 1), settle('a', 2)))).toEqual([Number.MAX_SAFE_INTEGER, 2])
  })
})
