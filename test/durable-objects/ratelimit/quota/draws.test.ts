/** Draws of many pools: one call for each object, the same call again when its answer is lost, answers in their order. */

import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type CounterDraw, drawAll } from '#objects/ratelimit/quota/draws.ts'
import { type Draw, encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'

/** One call of `CounterObject.lease`. */
interface Call {
  readonly name: string
  readonly id: number
  readonly holder: number
  readonly wires: readonly WireDraw[]
}

const answerTo = (after: number): Draw => {
  return { after, windowStart: 60, millisecondsUntilReset: 1_000, granted: 5, outstanding: 5, faults: 0 }
}

/** Objects that answer each draw with its addend as the count; the first calls of an object may fail. */
function objects(failures: Readonly<Record<string, number>> = {}) {
  const left = new Map(Object.entries(failures))
  const calls: Call[] = []
  const getByName = (name: string) => ({
    async lease(id: number, holder: number, wires: readonly WireDraw[]) {
      calls.push({ name, id, holder, wires })
      const fails = left.get(name) ?? 0
      left.set(name, fails - 1)
      if (fails > 0) throw new Error('the object was reset')
      return encodeDraws(wires.map(([, , addend]) => answerTo(addend)))
    },
  })
  // Draws take no other binding than this one.
  return { calls, env: { COUNTER: { getByName } } as unknown as RatelimitEnv }
}

const drawOf = (key: string, addend: number, lease: number | null = null): CounterDraw => {
  return { key, unit: 'MINUTE', limit: 100, draw: { addend, lease, unused: 3, wanted: 7 } }
}
const perKey = { kind: 'per-key' } as const
const oneShard = { kind: 'shard', shards: 1 } as const

describe('drawAll()', () => {
  it('asks each object once for all of its counters, and answers in the order of the draws', async () => {
    const { calls, env } = objects()
    const drawn = await drawAll(env, oneShard, 9, [drawOf('a', 1), drawOf('b', 2), drawOf('c', 3)])
    expect(calls).toHaveLength(1)
    expect(calls[0]?.wires).toEqual([
      ['a', 1, 1, 100, 7, 1, []],
      ['b', 1, 2, 100, 7, 1, []],
      ['c', 1, 3, 100, 7, 1, []],
    ])
    expect(drawn.map((one) => one?.draw.after)).toEqual([1, 2, 3])
    expect(new Set(drawn.map((one) => one?.lease))).toEqual(new Set([calls[0]?.id]))
  })

  it('asks the object of each key, by the placement', async () => {
    const { calls, env } = objects()
    await drawAll(env, perKey, 9, [drawOf('a', 1), drawOf('b', 2)])
    expect(calls.map(({ name, holder }) => [name, holder])).toEqual([
      ['key:a', 9],
      ['key:b', 9],
    ])
  })

  it('gives back what is unused of the lease that is open', async () => {
    const { calls, env } = objects()
    await drawAll(env, perKey, 9, [drawOf('a', 0, 44)])
    expect(calls[0]?.wires).toEqual([['a', 1, 0, 100, 7, 1, [44, 3]]])
  })

  it('asks again under the same id when an answer is lost', async () => {
    const { calls, env } = objects({ 'key:a': 1 })
    const [drawn] = await drawAll(env, perKey, 9, [drawOf('a', 1)])
    expect(calls).toHaveLength(2)
    expect(calls[1]).toEqual(calls[0])
    expect(drawn).toEqual({ draw: answerTo(1), lease: calls[0]?.id })
  })

  it('reports a draw that is lost twice, beside what other objects answer', async () => {
    const { calls, env } = objects({ 'key:a': 2 })
    const drawn = await drawAll(env, perKey, 9, [drawOf('a', 1), drawOf('b', 2)])
    expect(drawn.map((one) => one?.draw.after ?? null)).toEqual([null, 2])
    expect(calls.filter(({ name }) => name === 'key:a')).toHaveLength(2)
  })
})
