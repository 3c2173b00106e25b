/** The tables of a counter: nothing is made before the first write, windows are found again, and what is over goes. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { secondLookMs } from '#objects/ratelimit/counter/cleanup.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type CounterTables, counterTables } from '#objects/ratelimit/storage/counters.ts'
import { openReceipts } from '#objects/ratelimit/storage/receipts.ts'
import type { DiskRow } from '#ratelimit/durability/stored-window.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

/** The number of an isolate. */
const isolate = 0.5

let made = 0
/** Runs a test with the empty storage of a new object. */
function withTables(
  run: (tables: CounterTables, reopen: () => CounterTables, names: () => readonly string[]) => void | Promise<void>,
): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`counter tables test ${made}`), async (_, { storage }) => {
    const names = () =>
      storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name IN ('counters', 'blocks') ORDER BY name")
        .toArray()
        .map(({ name }) => name)
    const open = () => counterTables(storage, openReceipts(storage), isolate)
    await run(open(), open, names)
  })
}

const row = (key: string, unit: DiskRow['unit'], start: number, hits = 1): DiskRow => ({
  key,
  unit,
  window: { start, hits },
  spare: 0,
})

test('reading, forgetting, expiring and the first window make no tables, and the second window does', async () => {
  await withTables((tables, _, names) => {
    expect([tables.row({ key: 'k', unit: 'DAY' })?.window, tables.nextExpiry(), tables.blocks().size]).toEqual([
      undefined,
      undefined,
      0,
    ])
    tables.forget('k')
    tables.unblock('k')
    expect([tables.expire(10 ** 10, 5, undefined), names()]).toEqual([{ windows: 0, blocks: [], unsettled: 0 }, []])
    for (const hits of [1, 2]) tables.write([row('k', 'DAY', 0, hits)])
    expect(names()).toEqual([])
    tables.write([row('k', 'HOUR', 0)])
    expect(names()).toEqual(['blocks', 'counters'])
  })
})

test('a window is found by its key and unit, with the hits of the last write, also after a restart', async () => {
  await withTables((tables, reopen) => {
    tables.write([row('k', 'DAY', 0, 3), row('k', 'HOUR', 3_600, 5), row('l', 'DAY', 0, 7)])
    tables.write([row('k', 'DAY', 0, 4), row('k', 'HOUR', 7_200, 1)])
    const reopened = reopen()
    expect(reopened.row({ key: 'k', unit: 'DAY' })?.window).toEqual({ start: 0, hits: 4 })
    expect(reopened.row({ key: 'k', unit: 'HOUR' })?.window).toEqual({ start: 7_200, hits: 1 })
    expect(reopened.row({ key: 'l', unit: 'HOUR' })?.window).toBeUndefined()
    reopened.forget('k')
    expect([
      reopened.row({ key: 'k', unit: 'DAY' })?.window,
      reopened.row({ key: 'l', unit: 'DAY' })?.window.hits,
    ]).toEqual([undefined, 7])
  })
})

test('an only window is found after a restart, moves into the tables and takes its receipts with it', async () => {
  await runInDurableObject(COUNTER.getByName('counter tables with receipts'), (_, { storage }) => {
    const receipts = openReceipts(storage)
    const tables = counterTables(storage, receipts, isolate)
    const leases = [[7, 5]] as const
    receipts.keep({ id: 1, answer: [3, 60] })
    tables.write([{ key: 'k', unit: 'DAY', window: { start: 0, hits: 3, leases }, spare: 0 }])
    expect(counterTables(storage, openReceipts(storage), isolate).row({ key: 'k', unit: 'DAY' })?.window).toEqual({
      start: 0,
      hits: 3,
      leases,
    })
    const reopened = openReceipts(storage)
    expect(reopened.find(1)).toEqual([3, 60])
    // Counted, and not on disk when the block is.
    reopened.keep({ id: 2, answer: [4, 60] })
    const moved = counterTables(storage, reopened, isolate)
    moved.block('k', 9)
    expect([moved.row({ key: 'k', unit: 'DAY' })?.window.hits, moved.blocks().size]).toEqual([3, 1])
    const last = openReceipts(storage)
    expect([last.find(1), last.find(2), storage.kv.get('first')]).toEqual([[3, 60], undefined, undefined])
    expect(counterTables(storage, last, isolate).row({ key: 'k', unit: 'DAY' })?.window).toEqual({
      start: 0,
      hits: 3,
      leases,
    })
  })
})

test('a single window is removed at the second look, starts over after a clock that was ahead, and can be forgotten', async () => {
  await withTables((tables, reopen) => {
    tables.write([row('k', 'HOUR', 36_000)])
    const expireAt = (now: number, firstLook?: number) =>
      reopen().expire(now, 9, firstLook === undefined ? undefined : secondLookMs(firstLook, 'HOUR')).windows
    expect(tables.nextExpiry()).toEqual({ at: 39_600, unit: 'HOUR' })
    tables.expire(50_000, 9, undefined)
    expect(tables.nextExpiry()).toEqual({ at: 53_600, unit: 'HOUR', foundOver: 50_000 })
    expect([expireAt(36_100, 50_000), expireAt(50_000), expireAt(43_299, 39_700), expireAt(43_300, 39_599)]).toEqual([
      0, 0, 0, 0,
    ])
    expect(tables.row({ key: 'k', unit: 'HOUR' })?.window.hits).toBe(1)
    expect([tables.expire(43_300, 9, secondLookMs(39_700, 'HOUR')).windows, tables.nextExpiry()]).toEqual([
      1,
      undefined,
    ])
    expect(tables.row({ key: 'k', unit: 'HOUR' })).toBeUndefined()
    tables.write([row('l', 'HOUR', 43_200, 2)])
    expect(reopen().row({ key: 'l', unit: 'HOUR' })?.window.hits).toBe(2)
    tables.forget('l')
    expect([tables.row({ key: 'l', unit: 'HOUR' }), reopen().nextExpiry()]).toEqual([undefined, undefined])
  })
})

test('nextExpiry() is that of what is over first, a window with its unit or a block', async () => {
  await withTables((tables) => {
    tables.write([row('k', 'DAY', 0), row('k', 'HOUR', 3_600)])
    expect(tables.nextExpiry()).toEqual({ at: 7_200, unit: 'HOUR' })
    tables.write([row('k', 'HOUR', 90_000)])
    expect(tables.nextExpiry()).toEqual({ at: 86_400, unit: 'DAY' })
    tables.block('k', 5_000)
    expect(tables.nextExpiry()).toEqual({ at: 5_000, unit: null })
    tables.block('k', 100_000)
    expect([tables.nextExpiry(), [...tables.blocks()]]).toEqual([{ at: 86_400, unit: 'DAY' }, [['k', 100_000]]])
    tables.unblock('k')
    expect(tables.blocks().size).toBe(0)
  })
})

test('a window is found with those that the clock showed before it, which change with its hits', async () => {
  await withTables((tables, reopen) => {
    const shown = [{ start: 7_200, more: -2 }]
    tables.write([{ key: 'k', unit: 'HOUR', window: { start: 3_600, hits: 5, shown }, spare: 0 }])
    expect(reopen().row({ key: 'k', unit: 'HOUR' })?.window).toEqual({ start: 3_600, hits: 5, shown })
    // It is over when the last of them is.
    expect(tables.nextExpiry()).toEqual({ at: 10_800, unit: 'HOUR' })
    tables.write([row('k', 'HOUR', 3_600, 6)])
    expect(reopen().row({ key: 'k', unit: 'HOUR' })?.window).toEqual({ start: 3_600, hits: 6 })
  })
})

test('a row says how many of its hits may not have been made, and whether this isolate wrote it, in tables and before', async () => {
  await runInDurableObject(COUNTER.getByName('counter tables of two isolates'), (_, { storage }) => {
    const rowIn = (number: number) => {
      const { spare, isOwn } =
        counterTables(storage, openReceipts(storage), number).row({ key: 'k', unit: 'DAY' }) ?? {}
      return [spare, isOwn]
    }
    const tables = counterTables(storage, openReceipts(storage), isolate)
    tables.write([{ ...row('k', 'DAY', 0, 9), spare: 4 }])
    expect([rowIn(isolate), rowIn(0.6)]).toEqual([
      [4, true],
      [4, false],
    ])
    counterTables(storage, openReceipts(storage), 0.6).block('k', 9)
    expect([rowIn(isolate), rowIn(0.6)]).toEqual([
      [4, true],
      [4, false],
    ])
    counterTables(storage, openReceipts(storage), 0.6).write([{ ...row('k', 'DAY', 0, 10), spare: 5 }])
    expect([rowIn(isolate), rowIn(0.6)]).toEqual([
      [5, false],
      [5, true],
    ])
  })
})

test('empty() removes the tables, and a hit that comes meanwhile makes them anew', async () => {
  await withTables(async (tables, reopen, names) => {
    tables.write([row('k', 'DAY', 0, 9)])
    await tables.empty()
    expect([tables.row({ key: 'k', unit: 'DAY' })?.window, names()]).toEqual([undefined, []])
    tables.write([row('k', 'DAY', 0, 1)])
    expect(reopen().row({ key: 'k', unit: 'DAY' })?.window).toEqual({ start: 0, hits: 1 })
  })
})

test('a window keeps its open leases, and forgets those that were closed', async () => {
  await withTables((tables, reopen) => {
    const leased = (leases: readonly (readonly [number, number])[]) => {
      const { key, unit, window } = row('k', 'MINUTE', 60, 10)
      tables.write([{ key, unit, window: { ...window, leases }, spare: 0 }])
      return reopen().row({ key: 'k', unit: 'MINUTE' })?.window
    }
    expect(leased([[7, 5]])).toEqual({ start: 60, hits: 10, leases: [[7, 5]] })
    expect(leased([])).toEqual({ start: 60, hits: 10 })
  })
})
