/** pendingCounts: what was counted reaches the statistics once, also when an answer was lost. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { pendingCounts } from '#objects/ratelimit/pending-counts.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { foldedName } from '#ratelimit/statistics/sum.ts'

/** The longest name that is kept, in characters. */
const longestName = 1_024

type Add = readonly [sender: string, batch: number, deltas: readonly { name: string; delta: number }[], most: number]

/** Statistics that record each batch; `fails` says whether the next ones get lost. */
function recording() {
  const batches: Add[] = []
  const state = { fails: false, taken: Promise.resolve() }
  const add = async (...batch: Add) => {
    batches.push(batch)
    await state.taken
    if (state.fails) throw new Error('no answer')
  }
  // Nothing else of the environment is read.
  const env = { STATS: { getByName: () => ({ add }) } } as unknown as RatelimitEnv
  return { env, batches, state }
}

const settings = readSettings({ STATS_MAX_NAMES: '77', LOG_LEVEL: 'panic' })
const ctx = { waitUntil() {} }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Waits until what was counted is handed over. */
const flush = () => vi.advanceTimersByTimeAsync(1_000)

test('pendingCounts() hands over the sums by name, with the bound on names, and then nothing', async () => {
  const { env, batches } = recording()
  const counts = pendingCounts(env, settings, ctx)
  await flush()
  counts.add('a', 2)
  counts.add('b', 1)
  counts.add('a', 3)
  counts.add('c', 0)
  await flush()
  await flush()
  expect(batches.map(([, ...batch]) => batch)).toEqual([
    [
      1,
      [
        { name: 'a', delta: 5 },
        { name: 'b', delta: 1 },
      ],
      77,
    ],
  ])
})

test('pendingCounts() sends a batch again as it was, and what came meanwhile in the next one', async () => {
  const { env, batches, state } = recording()
  const counts = pendingCounts(env, settings, ctx)
  counts.add('a', 1)
  state.fails = true
  await flush()
  counts.add('a', 10)
  state.fails = false
  await flush()
  await flush()
  const [[sender = '']] = batches as [Add]
  expect(batches).toEqual([
    [sender, 1, [{ name: 'a', delta: 1 }], 77],
    [sender, 1, [{ name: 'a', delta: 1 }], 77],
    [sender, 2, [{ name: 'a', delta: 10 }], 77],
  ])
})

test('pendingCounts() hands over what comes during a call behind it', async () => {
  const { env, batches, state } = recording()
  let take = () => {}
  state.taken = new Promise((resolve) => {
    take = resolve
  })
  const counts = pendingCounts(env, settings, ctx)
  counts.add('a', 1)
  await flush()
  counts.add('a', 10)
  await flush()
  expect(batches.length).toBe(1)
  take()
  await flush()
  expect(batches.map(([, batch, deltas]) => [batch, deltas])).toEqual([
    [1, [{ name: 'a', delta: 1 }]],
    [2, [{ name: 'a', delta: 10 }]],
  ])
})

test('add() counts names beyond 10 000 under one name', async () => {
  const { env, batches } = recording()
  const counts = pendingCounts(env, settings, ctx)
  for (let at = 0; at < 10_003; at++) counts.add(`name ${at}`, 7)
  counts.add('name 0', 7)
  await flush()
  const [[, , deltas] = []] = batches
  expect(deltas?.length).toBe(10_001)
  expect([deltas?.[0], deltas?.at(-1)]).toEqual([
    { name: 'name 0', delta: 14 },
    { name: foldedName, delta: 3 },
  ])
})

test('add() counts a name that is too long under one name', async () => {
  const { env, batches } = recording()
  const counts = pendingCounts(env, settings, ctx)
  for (const length of [longestName, longestName + 1]) counts.add('n'.repeat(length), 7)
  await flush()
  expect(batches[0]?.[2]).toEqual([
    { name: 'n'.repeat(longestName), delta: 7 },
    { name: foldedName, delta: 1 },
  ])
})

test('add() counts nothing with DISABLE_STATS', async () => {
  const { env, batches } = recording()
  const counts = pendingCounts(env, readSettings({ DISABLE_STATS: 'true' }), ctx)
  counts.add('a', 1)
  await flush()
  expect(batches).toEqual([])
})
