/** Recent usage: one row on disk, found again by the next instance, and moved to the tables as a whole. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type RecentUsage, recentUsage } from '#objects/ratelimit/storage/recent-usage.ts'
import { statTables } from '#objects/ratelimit/storage/stats.ts'
import { type UsageTables, usageTables } from '#objects/ratelimit/storage/usage.ts'
import type { HourTops } from '#objects/ratelimit/storage/usage-tops.ts'
import type { SampledRequest, UsageCount } from '#ratelimit/usage/types.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

let made = 0
type Opened = { readonly tables: UsageTables; readonly recent: RecentUsage; readonly rows: () => readonly number[] }

/** Runs a test with the empty storage of a new object; `reopen` opens it again, as a restart does. */
function withRecent(run: (opened: Opened, reopen: () => Opened) => void): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`recent usage test ${made}`), (_, { storage }) => {
    statTables(storage, 0)
    const rows = () =>
      ['usage', 'usage_tops', 'usage_requests', 'usage_recent'].map((table) =>
        Number(storage.sql.exec(`SELECT count(*) AS rows FROM ${table}`).one().rows),
      )
    const open = () => {
      const tables = usageTables(storage)
      return { tables, recent: recentUsage(storage, tables, 0), rows }
    }
    run(open(), open)
  })
}

const count = (second: number): UsageCount => ({
  second,
  domain: 'shop',
  rule: 'shop.a',
  admitted: 2,
  refused: 1,
  shadow: 0,
})
const sampled = (value: string): SampledRequest => ({
  at: 1,
  weight: 1,
  code: 'OK',
  request: { domain: 'shop', descriptors: [{ entries: [{ key: 'k', value }] }], hitsAddend: 0 },
  outcomes: [],
})
const valuesOf = (tables: UsageTables) =>
  tables.requests().map(({ request }) => request.descriptors[0]?.entries[0]?.value)
const sketch = { capacity: 4, entries: [{ key: 'k', count: 3, error: 0 }] }
const tops = { hour: 3_600, used: sketch, refused: sketch, labels: [] } as unknown as HourTops
const memory = { tops: null, bornMs: 5, seconds: [], fills: [] }
const all = { from: 0, to: 10 ** 10 }

test('save() writes one row, which the next instance goes on from and flush() moves to the tables', async () => {
  await withRecent(({ recent, rows }, reopen) => {
    recent.add([count(3_600), count(3_659)], [sampled('a')], 2)
    expect(recent.isUnsaved()).toBe(true)
    recent.save({ ...memory, tops })
    expect([recent.isUnsaved(), rows()]).toEqual([false, [0, 0, 0, 1]])
    const next = reopen()
    expect([next.recent.findRestoredTops(3_600), next.recent.findRestoredTops(7_200)]).toEqual([tops, undefined])
    expect([recent.restored, next.recent.restored]).toMatchObject([
      { ...memory, bornMs: 0 },
      { ...memory, tops },
    ])
    next.recent.add([count(3_660)], [sampled('b'), sampled('c')], 2)
    next.recent.flush(null, 10)
    expect(rows()).toEqual([3, 1, 1, 0])
    expect(next.tables.read(3_600, all)).toMatchObject([{ start: 3_600, admitted: 6, refused: 3 }])
    expect([next.tables.tops(0), valuesOf(next.tables)]).toEqual([[tops], ['b', 'c']])
    next.recent.flush(null, 20)
    expect(valuesOf(reopen().tables)).toEqual(['b', 'c'])
  })
})

test('save() goes to the tables with more than a row has room for', async () => {
  await withRecent(({ recent, rows }) => {
    const long = (at: number) => sampled(`${at} ${'x'.repeat(2_000)}`)
    recent.add(
      [count(60)],
      Array.from({ length: 300 }, (_, at) => long(at)),
      1_000,
    )
    recent.save(memory)
    expect(rows()).toEqual([2, 0, 2, 0])
    recent.add(
      Array.from({ length: 1_001 }, (_, at) => count(60 * at)),
      [],
      1_000,
    )
    recent.save(memory)
    expect(rows().at(-1)).toBe(0)
  })
})

test('isDue() an hour after everything went to the tables, across instances, and when the clock was set back', async () => {
  await withRecent(({ recent }, reopen) => {
    recent.flush(null, 5_000)
    recent.add([count(60)], [], 0)
    recent.save(memory)
    const { recent: next } = reopen()
    expect([3_605_000, 3_605_001, -3_595_001].map(next.isDue)).toEqual([false, true, true])
  })
})

test('flush() keeps as many sampled requests as asked for in whole rows, and none where samples are off', async () => {
  await withRecent(({ recent, tables, rows }) => {
    for (const part of ['a', 'b', 'c']) {
      recent.add([], [sampled(`${part} 1`), sampled(`${part} 2`)], 3)
      recent.flush(null, 0)
    }
    expect([rows()[2], valuesOf(tables)]).toEqual([2, ['b 2', 'c 1', 'c 2']])
    recent.add([], [sampled('d')], 0)
    recent.flush(null, 0)
    expect([rows()[2], valuesOf(tables)]).toEqual([0, []])
  })
})
