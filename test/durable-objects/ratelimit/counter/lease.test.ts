/** CounterObject.lease(): grants that are counted, remembered and taken back once. */

import { abortAllDurableObjects } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { CounterObject } from '#objects/ratelimit/counter.ts'
import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { DAY, hitOnce, newCounter, newId, rowsOf, totals } from './new-counter.ts'

/** Draws from counter `a` of a day with a limit of 100. */
function drawOf({ addend = 0, wanted = 0, all = 0 as 0 | 1, returned = [] as readonly number[] }): WireDraw {
  return ['a', DAY, addend, 100, wanted, all, returned]
}

describe('CounterObject.lease()', () => {
  const draw = async (counter: DurableObjectStub<CounterObject>, wire: WireDraw, id = newId()) => {
    const [answer] = decodeDraws(await counter.lease(id, 1, [wire]))
    return { id, ...answer }
  }

  it('counts the addend as hit() does, and what it grants as used', async () => {
    const counter = newCounter()
    expect(await draw(counter(), drawOf({ addend: 2 }))).toMatchObject({ after: 2, granted: 0 })
    const first = await draw(counter(), drawOf({ wanted: 40 }))
    expect(first).toMatchObject({ after: 42, granted: 40, outstanding: 40, faults: 0 })
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([43])
    const { counters } = await counter().read('a')
    expect(counters).toMatchObject([{ hits: 43, outstanding: 40 }])
    expect(first.millisecondsUntilReset).toBeGreaterThan(0)
    expect(first.millisecondsUntilReset).toBeLessThanOrEqual(86_400_000)
  })

  it('remembers across a restart what it has handed out, and takes back once what had all that was left', async () => {
    const counter = newCounter()
    const all = await draw(counter(), drawOf({ wanted: 60, all: 1 }))
    const shared = await draw(counter(), drawOf({ wanted: 10 }))
    await abortAllDurableObjects()
    // A ceiling may be 1 % of the limit ahead of the count.
    const { hits = 0, outstanding } = (await counter().read('a')).counters[0] ?? {}
    expect([hits === 70 || hits === 71, outstanding]).toEqual([true, 60])
    const back = await draw(counter(), drawOf({ returned: [all.id, 50, shared.id, 10] }))
    expect(back).toMatchObject({ after: hits - 50, outstanding: 0, faults: 1 })
    await abortAllDurableObjects()
    expect(await draw(counter(), drawOf({ returned: [all.id, 50] }))).toMatchObject({ faults: 1 })
  })

  it('answers a repeated call from its receipt, across a restart, and grants once', async () => {
    const counter = newCounter()
    const { id, ...answer } = await draw(counter(), drawOf({ wanted: 10 }))
    expect(await draw(counter(), drawOf({ wanted: 10 }), id)).toEqual({ id, ...answer })
    await abortAllDurableObjects()
    expect(await draw(counter(), drawOf({ wanted: 10 }), id)).toEqual({ id, ...answer })
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
  })

  it('is on disk before the answer, with any durability', async () => {
    const counter = newCounter()
    await draw(counter(), drawOf({ wanted: 10 }))
    expect(await rowsOf(counter())).toBe(1)
  })

  it('looks without making a counter', async () => {
    const counter = newCounter()
    expect(await draw(counter(), drawOf({}))).toMatchObject({ after: 0, granted: 0 })
    expect(await rowsOf(counter())).toBe(0)
  })

  it('grants nothing of a blocked key', async () => {
    const counter = newCounter()
    await counter().block('a', Math.floor(Date.now() / 1000) + 3_600)
    const blocked = await draw(counter(), drawOf({ addend: 1, wanted: 10 }))
    expect(blocked).toMatchObject({ after: Number.MAX_SAFE_INTEGER, granted: 0 })
  })

  it('keeps what is in open leases counted when an operator resets the key', async () => {
    const counter = newCounter()
    await draw(counter(), drawOf({ addend: 5, wanted: 10 }))
    await counter().reset('a')
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
  })
})
