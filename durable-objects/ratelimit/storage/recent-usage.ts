/** Usage that the tables lack: summed in memory, and on disk as one row, because the platform charges for rows. */

import type { Fill, UsageRow } from '#ratelimit/contract/usage.ts'
import type { SampledRequest, UsageCount } from '#ratelimit/usage/types.ts'
import { bucketSteps, sumBy, type UsageTables } from './usage.ts'
import { requestText } from './usage-requests.ts'
import type { HourTops } from './usage-tops.ts'

/** The memory of a ledger, saved so that the object's next instance can continue from it. */
export interface LedgerMemory {
  /** The sketches of the running hour. */
  readonly tops: HourTops | null
  /** Unix time in milliseconds from which on the seconds are known. */
  readonly bornMs: number
  readonly seconds: readonly UsageRow[]
  readonly fills: readonly Fill[]
}

/** The row as JSON: objects of earlier releases have written these names. */
interface SavedUsage extends LedgerMemory {
  readonly counts: readonly UsageCount[]
  /** Sampled requests as texts. */
  readonly samples: readonly string[]
  /** Sampled requests that the tables keep at most. */
  readonly recorded: number
  /** Unix time in milliseconds of the last flush to the tables. */
  readonly settledMs: number
}

/** Counts and characters of a row beyond which everything goes to the tables: a row has 2 MB. */
const rowBounds = { counts: 1_000, characters: 600_000 }

/** Usage before it goes to the tables. */
export type RecentUsage = ReturnType<typeof recentUsage>

/** Milliseconds between two flushes. */
const flushAfterMs = 3_600_000

const noUsage = { tops: null, seconds: [], fills: [], counts: [], samples: [], recorded: 0 }

/** Opens the recent usage that an earlier instance saved; an idle object is evicted between two reports. */
export function recentUsage({ sql }: DurableObjectStorage, tables: UsageTables, bornMs: number) {
  const [row] = sql.exec<{ usage: string }>('SELECT usage FROM usage_recent').toArray()
  // What `save` has written.
  const usage: SavedUsage = row === undefined ? { ...noUsage, bornMs, settledMs: bornMs } : JSON.parse(row.usage)
  const restored: LedgerMemory = usage
  let { counts, samples, recorded: mostSamples, tops: restoredTops, settledMs: flushedMs } = usage
  let isUnsaved = false
  let isOnDisk = row !== undefined

  /** Writes everything to the tables. Without `tops`, the restored sketches are written. */
  function flush(tops: HourTops | null, nowMs: number): void {
    flushedMs = nowMs
    if (!isUnsaved && !isOnDisk) return
    const written = tops ?? restoredTops
    if (written !== null) tables.writeTops(written)
    tables.add(counts)
    tables.addRequests(samples, mostSamples)
    if (isOnDisk) sql.exec('DELETE FROM usage_recent')
    counts = []
    samples = []
    restoredTops = null
    isUnsaved = false
    isOnDisk = false
  }

  return {
    /** Adds counts, and sampled requests of which the newest `most` are kept. */
    add(added: readonly UsageCount[], sampled: readonly SampledRequest[], most: number): void {
      counts = sumBy(bucketSteps.minute, [...counts, ...added])
      mostSamples = most
      samples = most > 0 ? [...samples, ...sampled.map(requestText)].slice(-most) : []
      isUnsaved = true
    },
    /** The memory that an earlier instance saved; empty where it saved none. */
    restored,
    /** Writes everything as one row, with the memory of the ledger. */
    save(memory: LedgerMemory) {
      if (!isUnsaved) return
      const saved: SavedUsage = { ...memory, counts, samples, recorded: mostSamples, settledMs: flushedMs }
      const text = JSON.stringify(saved)
      const isTooLarge = counts.length > rowBounds.counts || text.length > rowBounds.characters
      // Flushed early, which does not postpone the hourly flush.
      if (isTooLarge) return flush(memory.tops, flushedMs)
      sql.exec('INSERT OR REPLACE INTO usage_recent VALUES (1, ?)', text)
      isUnsaved = false
      isOnDisk = true
    },
    flush,
    /** Finds the restored sketches of an hour; undefined once they are in the tables. */
    findRestoredTops: (hour: number) => (restoredTops?.hour === hour ? restoredTops : undefined),
    /** Tells whether the hourly flush is due, also after the clock was set back. */
    isDue: (nowMs: number) => Math.abs(nowMs - flushedMs) > flushAfterMs,
    /** Tells whether a crash would lose something. */
    isUnsaved: () => isUnsaved,
  }
}
