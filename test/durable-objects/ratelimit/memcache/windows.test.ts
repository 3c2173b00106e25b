/** memcacheCounters: value and mark change in one step, so that hits in between are neither lost nor taken for a block. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memcacheCounters } from '#objects/ratelimit/memcache/windows.ts'
import { memcacheRaise, type StoreWindow } from '#ratelimit/store-block.ts'
import { oneKeyServer } from '#test/support/one-key-memcached.ts'

const window: StoreWindow = { key: 'k_0', unit: 'DAY', start: 0 }
const step = { now: 1, takesUnmarked: false }

test('raising, hitting, reading and lowering a counter leaves exactly its hits (property)', async () => {
  const count = fc.oneof(fc.nat(10), fc.nat(2 ** 31 - 1), fc.integer({ min: 0, max: 2 ** 52 }))
  const moves = fc.array(fc.oneof(fc.constant('raise'), fc.constant('lower'), fc.nat(1_000)), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(count, moves, async (start, steps) => {
      const { server, ask } = oneKeyServer(() => {})
      const counters = memcacheCounters(ask, () => 0)
      server.count = start
      let hits = start
      let isRaised = false
      for (const move of steps) {
        if (move === 'raise') expect(await counters.raiseAll([window], step)).toBe(true)
        else if (move === 'lower') await counters.lowerAll([window], step)
        else server.count += move
        if (typeof move === 'number') hits += move
        else isRaised = move === 'raise'
        const [stored] = await counters.read([window])
        expect(stored?.raisedBy !== null).toBe(isRaised)
        expect((stored?.count ?? 0) - (stored?.raisedBy ?? 0)).toBe(hits)
        if (isRaised) expect(server.count).toBeGreaterThanOrEqual(2 ** 30)
      }
    }),
    { seed: 4 },
  )
})

test('raiseAll() and lowerAll() lose no hit that comes between their commands', async () => {
  let turn = 0
  const { server, ask } = oneKeyServer((one) => {
    turn += 1
    if (turn % 3 === 0 && one.count !== null) one.count += 1
  })
  const counters = memcacheCounters(ask, () => 0)
  server.count = 100
  expect(await counters.raiseAll([window], step)).toBe(true)
  await counters.lowerAll([window], step)
  expect(server.count).toBe(100 + Math.floor(turn / 3))
})

test('raiseAll() raises a counter that is hit at every moment, and says that it has no mark', async () => {
  const { server, ask } = oneKeyServer((one) => {
    if (one.count !== null) one.count += 1
  })
  const counters = memcacheCounters(ask, () => 0)
  server.count = 5
  expect(await counters.raiseAll([window], step)).toBe(false)
  expect([server.count > memcacheRaise, server.flags]).toEqual([true, 0])
  await expect(counters.lowerAll([window], { ...step, takesUnmarked: true })).rejects.toThrow(/changed 50 times/)
})

test('takesUnmarked marks a window that was raised without a mark, and lowers it', async () => {
  const { server, ask } = oneKeyServer(() => {})
  const counters = memcacheCounters(ask, () => 0)
  server.count = memcacheRaise + 7
  await counters.raiseAll([window], { ...step, takesUnmarked: true })
  expect(await counters.read([window])).toMatchObject([{ count: memcacheRaise + 7, raisedBy: memcacheRaise }])
  await counters.lowerAll([window], step)
  expect([server.count, server.flags]).toEqual([7, 0])
  server.count = memcacheRaise + 7
  await counters.lowerAll([window], step)
  expect(server.count).toBe(memcacheRaise + 7)
  await counters.lowerAll([window], { ...step, takesUnmarked: true })
  expect(server.count).toBe(7)
})
