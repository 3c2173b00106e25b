/** redisLeases: what a member of the pool asks of a store for a draw, and what it makes of the reply. */

import { expect, test } from 'vitest'
import { redisLeases } from '#objects/ratelimit/redis/leases.ts'
import type { RedisStore } from '#objects/ratelimit/redis/store.ts'
import type { WireDraw } from '#ratelimit/lease/lease.ts'
import type { HitCommands } from '#ratelimit/redis/commands.ts'
import { units } from '#ratelimit/window.ts'

const second = units.indexOf('SECOND')
const day = units.indexOf('DAY')

/** A draw as the script is called: unused, addend, limit, outstanding, wanted, divisor, seconds to live. */
type Values = readonly number[]

/** A store that records the values of each script and grants what a test says: the counter and the lease. */
function scriptedStore(grants: readonly (readonly [counted: number, granted: number])[]) {
  const calls: Values[] = []
  const run = async (groups: readonly HitCommands[]) =>
    groups.map(({ commands: [command = []] }) => {
      calls.push(command.slice(4).map(Number))
      return [[...(grants[calls.length - 1] ?? [0, 0])]]
    })
  // Nothing else of a store is used.
  return { store: { run } as unknown as RedisStore, calls }
}

const draw = (values: Partial<Record<'key' | 'unit' | 'addend' | 'wanted' | 'all', unknown>>, back: Values = []) =>
  [
    values.key ?? 'key_',
    values.unit ?? day,
    values.addend ?? 1,
    100,
    values.wanted ?? 10,
    values.all ?? 0,
    back,
  ] as unknown as WireDraw
const drawing = { id: 1, holder: 9, nowMs: 1_500 }

test('a draw asks for a part of the rest, twice as many as there are holders, and all for one that takes all', async () => {
  const { store, calls } = scriptedStore([])
  const leases = redisLeases(
    () => store,
    () => 5,
  )
  await leases([draw({})], drawing)
  await leases([draw({})], { ...drawing, holder: 10 })
  await leases([draw({ all: 1 })], drawing)
  await leases([draw({ wanted: 0 })], drawing)
  expect(calls).toEqual([
    [0, 1, 100, 0, 10, 2, 86_405],
    [0, 1, 100, 0, 10, 4, 86_405],
    [0, 1, 100, 0, 10, 1, 86_405],
    [0, 1, 100, 0, 0, 0, 86_405],
  ])
})

test('an answer has the open lease in it, and its window to the millisecond', async () => {
  const { store } = scriptedStore([[40, 7]])
  const leases = redisLeases(
    () => store,
    () => 0,
  )
  expect(await leases([draw({})], drawing)).toEqual([
    { after: 47, windowStart: 0, millisecondsUntilReset: 86_400_000 - 1_500, granted: 7, outstanding: 7, faults: 0 },
  ])
})

test('a returned lease gives back what was not used of it, once', async () => {
  const { store, calls } = scriptedStore([
    [10, 8],
    [13, 0],
    [13, 0],
  ])
  const leases = redisLeases(
    () => store,
    () => 0,
  )
  await leases([draw({})], drawing)
  const [returned] = await leases([draw({ addend: 0, wanted: 0 }, [1, 5])], { ...drawing, id: 2 })
  const [again] = await leases([draw({ addend: 0, wanted: 0 }, [1, 5])], { ...drawing, id: 3 })
  expect(calls.map(([unused, , , outstanding]) => [unused, outstanding])).toEqual([
    [0, 0],
    [5, 0],
    [0, 0],
  ])
  expect([returned?.faults, returned?.outstanding, again?.faults]).toEqual([0, 0, 1])
})

test('draws of units in different stores go there together, and their answers stay in order', async () => {
  const main = scriptedStore([
    [1, 0],
    [3, 0],
  ])
  const perSecond = scriptedStore([[2, 0]])
  const leases = redisLeases(
    (unit) => (unit === 'SECOND' ? perSecond.store : main.store),
    () => 0,
  )
  const answers = await leases([draw({ key: 'a' }), draw({ key: 'b', unit: second }), draw({ key: 'c' })], drawing)
  expect(answers.map(({ after }) => after)).toEqual([1, 2, 3])
  expect(answers.map(({ windowStart }) => windowStart)).toEqual([0, 1, 0])
  expect([main.calls.length, perSecond.calls.length]).toEqual([2, 1])
})

test('a unit that does not exist is refused before anything is sent', async () => {
  const { store, calls } = scriptedStore([])
  const leases = redisLeases(
    () => store,
    () => 0,
  )
  await expect(leases([draw({}), draw({ unit: 99 })], drawing)).rejects.toThrow('unit 99 does not exist')
  expect(calls).toEqual([])
})
