/** Usage that the tables lack: summed in memory, and on disk as one row, because the platform charges for rows. */

import type { Fill, UsageRow } from '#ratelimit/contract/usage.ts'
import type { SampledRequest, UsageCount } from '#ratelimit/usage/types.ts'
import { bucketSteps, type HourTops, requestText, sumBy, type UsageTables } from './usage.ts'

/** Memory of a ledger: an object between two reports is forgotten, and its next instance goes on from this. */
export interface LedgerMemory {
  /** The sketches of the running hour. */
  readonly tops: HourTops | null
  /** Unix time in milliseconds from which on the seconds are known. */
  readonly bornMs: number
  readonly seconds: readonly UsageRow[]
  readonly fills: readonly Fill[]
}

interface Recent extends LedgerMemory {
  readonly counts: readonly UsageCount[]
  /** Sampled requests as texts. */
  readonly samples: readonly string[]
  /** Sampled requests that the tables keep. */
  readonly recorded: number
  /** Unix time in milliseconds at which the tables were last given everything. */
  readonly settledMs: number
}

/** Counts and characters of a row beyond which everything goes to the tables: a row has 2 MB. */
const most = { counts: 1_000, characters: 600_000 }

/** Usage before it goes to the tables. */
export type RecentUsage = ReturnType<typeof recentUsage>

/** Milliseconds after which what is recent goes to the tables. */
const lifeMs = 3_600_000

/** Opens it with what an earlier instance saved: with few decisions there is an instance for each report. */
export function recentUsage({ sql }: DurableObjectStorage, tables: UsageTables, bornMs: number) {
  const [row] = sql.exec<{ usage: string }>('SELECT usage FROM usage_recent').toArray()
  const nothing = { counts: [], samples: [], recorded: 0, tops: null, seconds: [], fills: [] }
  const none: Recent = { ...nothing, bornMs, settledMs: bornMs }
  // What `save` has written.
  const stored = row === undefined ? none : (JSON.parse(row.usage) as Recent)
  const saved: LedgerMemory = stored
  let { counts, samples, recorded, tops: savedTops, settledMs } = stored
  let [isUnsaved, isOnDisk] = [false, row !== undefined]

  /** Moves everything to the tables; without sketches of an hour those that were saved. */
  function settle(tops: HourTops | null, nowMs: number): void {
    settledMs = nowMs
    if (!isUnsaved && !isOnDisk) return
    const written = tops ?? savedTops
    if (written !== null) tables.writeTops(written)
    tables.add(counts)
    tables.addRequests(samples, recorded)
    if (isOnDisk) sql.exec('DELETE FROM usage_recent')
    ;[counts, samples, savedTops] = [[], [], null]
    ;[isUnsaved, isOnDisk] = [false, false]
  }

  return {
    /** Adds counts, and samples of which the newest `keep` are kept. */
    add(added: readonly UsageCount[], sampled: readonly SampledRequest[], keep: number): void {
      counts = sumBy(bucketSteps.minute, [...counts, ...added])
      recorded = keep
      const texts = keep > 0 ? sampled.map(requestText) : []
      samples = keep > 0 ? [...samples, ...texts].slice(-keep) : []
      isUnsaved = true
    },
    /** The memory of an earlier instance as far as it is on disk. */
    saved,
    /** Writes everything as one row, with the memory of the ledger. */
    save(memory: LedgerMemory) {
      if (!isUnsaved) return
      const recent: Recent = { ...memory, counts, samples, recorded, settledMs }
      const text = JSON.stringify(recent)
      if (counts.length > most.counts || text.length > most.characters) return settle(memory.tops, settledMs)
      sql.exec('INSERT OR REPLACE INTO usage_recent VALUES (1, ?)', text)
      ;[isUnsaved, isOnDisk] = [false, true]
    },
    settle,
    /** The sketches of an hour as an earlier instance saved them; undefined for none. */
    savedTops: (hour: number) => (savedTops?.hour === hour ? savedTops : undefined),
    /** Tells whether what is recent has waited for long enough. */
    isDue: (nowMs: number) => Math.abs(nowMs - settledMs) > lifeMs,
    /** Tells whether a crash would lose something. */
    isUnsaved: () => isUnsaved,
  }
}
