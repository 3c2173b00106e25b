/** The sums of a StatsObject on disk: how many rows a save writes, and what opens again. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { statTables } from '#objects/ratelimit/storage/stats.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { STATS } = env as unknown as RatelimitEnv

let made = 0
function withStorage<T>(run: (storage: DurableObjectStorage) => T): Promise<T> {
  made += 1
  return runInDurableObject(STATS.getByName(`stat tables ${made}`), (_, { storage }) => run(storage))
}

/** Counts the rows that a function writes. */
function rowsWritten({ sql }: DurableObjectStorage, run: () => void): number {
  let rows = 0
  const { exec } = sql
  // The statements of a save give no rows, so that their cursors need no type.
  sql.exec = ((...args: Parameters<typeof exec>) => {
    const cursor = exec.apply(sql, args)
    rows += cursor.rowsWritten
    return cursor
  }) as typeof exec
  run()
  sql.exec = exec
  return rows
}

const receipt = (batch: number) => ({ sender: 'one', batch, at: batch })
const hourMs = 3_600_000
const deltas = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `name ${at}`, delta: 1 }))

describe('statTables().save()', () => {
  it('writes one row for any change within an hour, and none without one', async () => {
    const rows = await withStorage((storage) => {
      const tables = statTables(storage, 0)
      const save = (atMs: number) => rowsWritten(storage, () => tables.save(atMs))
      tables.add(receipt(1), deltas(40), 1_000)
      const first = save(1_000)
      tables.add(receipt(2), deltas(40), 1_000)
      const second = save(2_000)
      tables.markPushed([])
      return [first, second, save(3_000)]
    })
    expect(rows).toEqual([1, 1, 0])
  })

  it.each([
    ['before the hour', 1_000, 40],
    ['once an hour', hourMs, 40],
    ['with more names than a row has room for', 1_000, 600],
  ])('keeps sums, senders and what was pushed: %s', async (_, atMs, count) => {
    const opened = await withStorage((storage) => {
      const tables = statTables(storage, 0)
      tables.add(receipt(1), deltas(count), 1_000)
      tables.markPushed([{ name: 'name 0', delta: 1 }])
      tables.save(atMs)
      tables.add(receipt(2), [{ name: 'name 1', delta: 4 }], 1_000)
      tables.save(atMs + 1)
      const again = statTables(storage, atMs + 2)
      return [again.lastBatch('one'), again.sums().length, again.unpushed().length, again.sums()[1]?.value]
    })
    expect(opened).toEqual([2, count, count - 1, 5])
  })

  it('forgets a sender that was silent for a day', async () => {
    const batches = await withStorage((storage) => {
      const tables = statTables(storage, 0)
      tables.add(receipt(1), deltas(1), 10)
      tables.save(hourMs)
      tables.add({ sender: 'two', batch: 1, at: 26 * hourMs }, deltas(1), 10)
      tables.save(26 * hourMs)
      const again = statTables(storage, 26 * hourMs)
      return [again.lastBatch('one'), again.lastBatch('two')]
    })
    expect(batches).toEqual([0, 1])
  })
})
