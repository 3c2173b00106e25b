/** Removal of what is over: at the second look, a window later, and not while the clock may be ahead. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type CounterTables, counterTables } from '#objects/ratelimit/storage/counters.ts'
import { openReceipts } from '#objects/ratelimit/storage/receipts.ts'
import type { DiskRow } from '#ratelimit/durability/stored-window.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

/** The number of an isolate. */
const isolate = 0.5

let made = 0
/** Runs a test with the empty tables of a new object. */
function withTables(run: (tables: CounterTables) => void): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`expiry test ${made}`), (_, { storage }) =>
    run(counterTables(storage, openReceipts(storage), isolate)),
  )
}

const row = (key: string, unit: DiskRow['unit'], start: number): DiskRow => ({
  key,
  unit,
  window: { start, hits: 1 },
  spare: 0,
})
/** Removes windows that are over, 9 at most, as where no alarm is set. */
const expire = (tables: CounterTables, now: number, most = 9) => tables.expire(now, most, undefined)

const nothing = { windows: 0, blocks: [], unsettled: 0 }

test('removeOver() removes what was over a window ago, but no more windows than asked', async () => {
  await withTables((tables) => {
    tables.write(Array.from({ length: 5 }, (_, at) => row(`k${at}`, 'MINUTE', at * 60)))
    // Windows that end at 60, 120 and 180 are over.
    expect([expire(tables, 180, 2), expire(tables, 239, 2)]).toEqual([nothing, nothing])
    expect([240, 240, 240].map((now) => expire(tables, now, 2).windows)).toEqual([2, 1, 0])
    expect([300, 360].map((now) => expire(tables, now).windows)).toEqual([1, 1])
    expire(tables, 420)
    expect(tables.nextExpiry()).toBeUndefined()
  })
})

test('removeOver() waits for each unit as long as its window is, and a day for blocks', async () => {
  await withTables((tables) => {
    tables.write([row('k', 'MINUTE', 0), row('k', 'HOUR', 0), row('k', 'YEAR', 0)])
    tables.block('k', 60)
    expire(tables, 40_000_000)
    expect(tables.nextExpiry()).toEqual({ at: 40_000_060, unit: 'MINUTE' })
    expect(expire(tables, 40_000_060)).toEqual({ windows: 1, blocks: [], unsettled: 0 })
    expire(tables, 40_000_120)
    expect(tables.nextExpiry()).toEqual({ at: 40_003_600, unit: 'HOUR' })
    expect(expire(tables, 40_003_600)).toEqual({ windows: 1, blocks: [], unsettled: 0 })
    expect(expire(tables, 40_086_400)).toEqual({ windows: 1, blocks: ['k'], unsettled: 0 })
  })
})

test('removeOver() starts over after a clock that was ahead', async () => {
  await withTables((tables) => {
    // A second window, with which the object has tables.
    tables.write([row('open', 'HOUR', 36_000), row('other', 'YEAR', 0)])
    expire(tables, 50_000)
    expect(expire(tables, 36_100)).toEqual(nothing)
    expect(expire(tables, 39_700)).toEqual(nothing)
    expect(tables.row({ key: 'open', unit: 'HOUR' })?.window.hits).toBe(1)
    expire(tables, 43_400)
    expect(tables.row({ key: 'open', unit: 'HOUR' })?.window).toBeUndefined()
  })
})

test('removeOver() finds what was made after a clock that was ahead', async () => {
  await withTables((tables) => {
    tables.write([row('one', 'YEAR', 0), row('other', 'YEAR', 0)])
    expire(tables, 40_000_000)
    tables.write([row('new', 'MINUTE', 60)])
    for (const now of [120, 180, 240]) expire(tables, now)
    expect(tables.row({ key: 'new', unit: 'MINUTE' })).toBeUndefined()
  })
})
