/** redisCounters: each window's command reaches the store of its unit, and the replies come back in the asked order. */

import { expect, test } from 'vitest'
import { redisCounters } from '#objects/ratelimit/redis/windows.ts'
import type { HitCommands } from '#ratelimit/redis/commands.ts'
import { redisRaise, type StoreWindow } from '#ratelimit/store-block.ts'

/** A store that records its commands and answers the key's number, or with a failure. */
function recordingStore(failure?: string) {
  const runs: (readonly HitCommands[])[] = []
  const run = async (groups: readonly HitCommands[]) => {
    runs.push(groups)
    if (failure !== undefined) throw new Error(failure)
    return groups.map(({ key }) => [[Number(/\d+/.exec(key)?.[0]), '']])
  }
  return { store: { run }, runs }
}

const windowOf = (number: number, unit: StoreWindow['unit']): StoreWindow => ({ key: `k${number}`, unit, start: 0 })
const mixed = [windowOf(1, 'DAY'), windowOf(2, 'SECOND'), windowOf(3, 'HOUR'), windowOf(4, 'SECOND')]

test('read() asks each store once, and gives the counts in the order of the windows', async () => {
  const main = recordingStore()
  const perSecond = recordingStore()
  const counters = redisCounters(
    (unit) => (unit === 'SECOND' ? perSecond.store : main.store),
    () => 0,
  )
  expect((await counters.read(mixed)).map(({ count }) => count)).toEqual([1, 2, 3, 4])
  const keysOf = (runs: readonly (readonly HitCommands[])[]) => runs.map((run) => run.map(({ key }) => key))
  expect([keysOf(main.runs), keysOf(perSecond.runs)]).toEqual([[['k1', 'k3']], [['k2', 'k4']]])
})

test('raiseAll(), lowerAll() and remove() send the command of each window', async () => {
  const { store, runs } = recordingStore()
  const counters = redisCounters(
    () => store,
    () => 17,
  )
  const step = { now: 0, takesUnmarked: false }
  const window = windowOf(1, 'DAY')
  expect(await counters.raiseAll([window], step)).toBe(true)
  await counters.lowerAll([window], step)
  await counters.remove([window])
  const sent = runs.map((run) => run.map(({ commands }) => commands.map(([name, , ...rest]) => [name, ...rest])))
  expect(sent).toEqual([
    // A window lives to its end, 86400 s after its start, and the jitter of hits longer.
    [[['EVAL', '2', 'k1', expect.any(String), `${redisRaise}`, '86417']]],
    [[['EVAL', '2', 'k1', expect.any(String)]]],
    [[['DEL', expect.any(String)]]],
  ])
})

test('read() fails when one of the stores does', async () => {
  const main = recordingStore()
  const perSecond = recordingStore('redis is away')
  const counters = redisCounters(
    (unit) => (unit === 'SECOND' ? perSecond.store : main.store),
    () => 0,
  )
  await expect(counters.read(mixed)).rejects.toThrow('redis is away')
  expect(await counters.read([windowOf(1, 'DAY')])).toEqual([{ count: 1, raisedBy: null }])
})
