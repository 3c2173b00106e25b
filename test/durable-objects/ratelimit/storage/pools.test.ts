/** Pools on disk: no table before the first one, one row for each, and nothing left of those that have ended. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type SavedPool, type SavedPools, savedPools } from '#objects/ratelimit/storage/pools.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { QUOTA } = env as unknown as RatelimitEnv

let made = 0
/** Runs a test with the empty storage of a new object. */
function withPools(
  run: (pools: SavedPools, storage: DurableObjectStorage, tables: () => number) => void | Promise<void>,
): Promise<void> {
  made += 1
  return runInDurableObject(QUOTA.getByName(`pools test ${made}`), async (_, { storage }) => {
    const query = "SELECT name FROM sqlite_master WHERE name = 'pools'"
    await run(savedPools(storage), storage, () => storage.sql.exec(query).toArray().length)
  })
}

const poolOf = (limit: number): SavedPool => ({
  limit,
  state: { window: 60, safeEndMs: 0, others: 1, spent: 2, excess: 0, lease: { id: 3, granted: 4 }, holdings: [] },
  members: [{ holder: 'h', stream: 's', domain: 'd', client: null, bucket: [{ key: 'k', value: 'v' }] }],
})

test('looking, forgetting and expiring make no table, and the first pool does', async () => {
  await withPools(async (pools, _, tables) => {
    expect(pools.find('MINUTE a', 0)).toBeUndefined()
    pools.forget('MINUTE a')
    await pools.expire(0)
    expect(tables()).toBe(0)
    pools.save('MINUTE a', poolOf(5), 90_000)
    expect(tables()).toBe(1)
  })
})

test('find() reads the newest state of a pool until its end, after a restart too', async () => {
  await withPools((pools, storage) => {
    pools.save('MINUTE a', poolOf(5), 90_000.5)
    pools.save('MINUTE a', poolOf(6), 90_000.5)
    for (const opened of [pools, savedPools(storage)]) {
      expect(opened.find('MINUTE a', 90_000)).toEqual(poolOf(6))
      expect(opened.find('MINUTE a', 90_001)).toBeUndefined()
      expect(opened.find('MINUTE b', 0)).toBeUndefined()
    }
    pools.forget('MINUTE a')
    expect(pools.find('MINUTE a', 0)).toBeUndefined()
  })
})

test('find() does not read a row of another form', async () => {
  await withPools((pools, { sql }) => {
    pools.save('MINUTE a', poolOf(5), 90_000)
    sql.exec('UPDATE pools SET form = form + 1')
    expect(pools.find('MINUTE a', 0)).toBeUndefined()
  })
})

test('save() forgets a pool that is too long for a row', async () => {
  await withPools((pools) => {
    pools.save('MINUTE a', poolOf(5), 90_000)
    const bucket = [{ key: 'k', value: 'v'.repeat(1_000_000) }]
    pools.save(
      'MINUTE a',
      { ...poolOf(5), members: [{ holder: 'h', stream: 's', domain: 'd', client: null, bucket }] },
      90_000,
    )
    expect(pools.find('MINUTE a', 0)).toBeUndefined()
  })
})

test('expire() looks again while a pool is left, then leaves the object empty', async () => {
  await withPools(async (pools, storage, tables) => {
    pools.save('MINUTE a', poolOf(5), 90_000)
    pools.save('MINUTE b', poolOf(5), 95_000)
    await expect.poll(() => storage.getAlarm()).toBeGreaterThan(Date.now())
    await storage.deleteAlarm()
    await pools.expire(90_000)
    expect([pools.find('MINUTE a', 0), pools.find('MINUTE b', 0)]).toEqual([undefined, poolOf(5)])
    expect(await storage.getAlarm()).not.toBeNull()
    await pools.expire(95_000)
    expect(tables()).toBe(0)
    pools.save('MINUTE c', poolOf(5), 99_000)
    expect(pools.find('MINUTE c', 0)).toEqual(poolOf(5))
  })
})

test('save() leaves the alarm of an earlier instance where it is, so that restarts do not put it off for ever', async () => {
  await withPools(async (pools, storage) => {
    pools.save('MINUTE a', poolOf(5), 90_000)
    await expect.poll(() => storage.getAlarm()).not.toBeNull()
    const at = Date.now() + 50_000
    await storage.setAlarm(at)
    savedPools(storage).save('MINUTE b', poolOf(5), 90_000)
    await scheduler.wait(20)
    expect(await storage.getAlarm()).toBe(at)
  })
})
