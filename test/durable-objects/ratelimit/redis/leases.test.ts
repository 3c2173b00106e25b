/** redisLeases: what a member of the pool asks of a store for a draw, and what it makes of the reply. */

import { describe, expect, it } from 'vitest'
import { redisLeases } from '#objects/ratelimit/redis/leases.ts'
import type { WireDraw } from '#ratelimit/lease/lease.ts'
import type { HitCommands } from '#ratelimit/redis/commands.ts'
import { units } from '#ratelimit/window.ts'

const second = units.indexOf('SECOND')
const day = units.indexOf('DAY')

/** The arguments of the script behind its key, in their order. */
const argumentNames = ['unused', 'addend', 'limit', 'outstanding', 'wanted', 'divisor', 'seconds'] as const
type Arguments = Record<(typeof argumentNames)[number], number>

function readArguments(values: readonly unknown[]): Arguments {
  expect(values).toHaveLength(argumentNames.length)
  const named = argumentNames.map((name, at) => [name, Number(values[at])])
  return Object.fromEntries(named)
}

/** A store that records the arguments of each script and grants what a test says. */
function scriptedStore(grants: readonly { readonly counted: number; readonly granted: number }[]) {
  const calls: Arguments[] = []
  const run = async (groups: readonly HitCommands[]) =>
    groups.map(({ commands: [command = []] }) => {
      const { counted, granted } = grants[calls.length] ?? { counted: 0, granted: 0 }
      calls.push(readArguments(command.slice(4)))
      return [[counted, granted]]
    })
  return { store: { run }, calls }
}

interface AskedDraw {
  readonly key?: string
  readonly unit?: number
  readonly addend?: number
  readonly wanted?: number
  readonly all?: 0 | 1
  /** The id of a lease and the hits of it that were not used. */
  readonly returned?: readonly number[]
}

function draw({ key = 'key_', unit = day, addend = 1, wanted = 10, all = 0, returned = [] }: AskedDraw): WireDraw {
  return [key, unit, addend, 100, wanted, all, returned]
}

const drawing = { id: 1, holder: 9, nowMs: 1_500 }

describe('redisLeases()', () => {
  it('a draw asks for a part of the rest, twice as many as there are holders, and all for one that takes all', async () => {
    const { store, calls } = scriptedStore([])
    const leases = redisLeases(
      () => store,
      () => 5,
    )
    await leases([draw({})], drawing)
    await leases([draw({})], { ...drawing, holder: 10 })
    await leases([draw({ all: 1 })], drawing)
    await leases([draw({ wanted: 0 })], drawing)
    const asked = { unused: 0, addend: 1, limit: 100, outstanding: 0, wanted: 10, seconds: 86_405 }
    expect(calls).toEqual([
      { ...asked, divisor: 2 },
      { ...asked, divisor: 4 },
      { ...asked, divisor: 1 },
      { ...asked, wanted: 0, divisor: 0 },
    ])
  })

  it('an answer has the open lease in it, and its window to the millisecond', async () => {
    const { store } = scriptedStore([{ counted: 40, granted: 7 }])
    const leases = redisLeases(
      () => store,
      () => 0,
    )
    expect(await leases([draw({})], drawing)).toEqual([
      { after: 47, windowStart: 0, millisecondsUntilReset: 86_400_000 - 1_500, granted: 7, outstanding: 7, faults: 0 },
    ])
  })

  it('a returned lease gives back what was not used of it, once', async () => {
    const { store, calls } = scriptedStore([
      { counted: 10, granted: 8 },
      { counted: 13, granted: 0 },
      { counted: 13, granted: 0 },
    ])
    const leases = redisLeases(
      () => store,
      () => 0,
    )
    await leases([draw({})], drawing)
    const [returned] = await leases([draw({ addend: 0, wanted: 0, returned: [1, 5] })], { ...drawing, id: 2 })
    const [again] = await leases([draw({ addend: 0, wanted: 0, returned: [1, 5] })], { ...drawing, id: 3 })
    expect(calls.map(({ unused }) => unused)).toEqual([0, 5, 0])
    expect(calls.map(({ outstanding }) => outstanding)).toEqual([0, 0, 0])
    expect(returned).toMatchObject({ faults: 0, outstanding: 0 })
    expect(again).toMatchObject({ faults: 1 })
  })

  it('draws of units in different stores go there together, and their answers stay in order', async () => {
    const main = scriptedStore([
      { counted: 1, granted: 0 },
      { counted: 3, granted: 0 },
    ])
    const perSecond = scriptedStore([{ counted: 2, granted: 0 }])
    const leases = redisLeases(
      (unit) => (unit === 'SECOND' ? perSecond.store : main.store),
      () => 0,
    )
    const answers = await leases([draw({ key: 'a' }), draw({ key: 'b', unit: second }), draw({ key: 'c' })], drawing)
    expect(answers.map(({ after }) => after)).toEqual([1, 2, 3])
    expect(answers.map(({ windowStart }) => windowStart)).toEqual([0, 1, 0])
    expect([main.calls.length, perSecond.calls.length]).toEqual([2, 1])
  })

  it('a unit that does not exist is refused before anything is sent', async () => {
    const { store, calls } = scriptedStore([])
    const leases = redisLeases(
      () => store,
      () => 0,
    )
    await expect(leases([draw({}), draw({ unit: 99 })], drawing)).rejects.toThrow('unit 99 does not exist')
    expect(calls).toEqual([])
  })
})
