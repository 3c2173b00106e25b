/** The sums of a StatsObject by name and the last batch of every sender, in memory and on disk. */

import type { StatDelta } from '#ratelimit/ports.ts'
import { migrate } from '../../base/migrate.ts'
import { type BatchReceipt, statSenders } from './stat-senders.ts'
import { type NamedSum, type Sum, statSums } from './stat-sums.ts'

/** With the tables of `usage.ts`, which are of the same object. */
const migrations = [
  `CREATE TABLE sums (
    name TEXT PRIMARY KEY, value INTEGER NOT NULL, pushed INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE senders (sender TEXT PRIMARY KEY, batch INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE recent (number INTEGER PRIMARY KEY, sums TEXT NOT NULL, senders TEXT NOT NULL);
  CREATE TABLE usage (
    step INTEGER NOT NULL, start INTEGER NOT NULL, domain TEXT NOT NULL, rule TEXT NOT NULL,
    admitted INTEGER NOT NULL, refused INTEGER NOT NULL, shadow INTEGER NOT NULL,
    PRIMARY KEY (step, start, domain, rule)
  ) WITHOUT ROWID;
  CREATE TABLE usage_tops (hour INTEGER PRIMARY KEY, tops TEXT NOT NULL);
  CREATE TABLE usage_recent (number INTEGER PRIMARY KEY, usage TEXT NOT NULL);
  CREATE TABLE usage_requests (number INTEGER PRIMARY KEY AUTOINCREMENT, count INTEGER NOT NULL, requests TEXT NOT NULL)`,
]

/** Milliseconds after which a silent sender is forgotten; an isolate does not live that long between batches. */
const senderLifeMs = 86_400_000
/** Milliseconds after which what is recent moves to the tables. */
const recentLifeMs = 3_600_000
/** The most sums and senders in the row of what is recent: with the longest names their JSON is far below its 2 MB. */
const maxRecentEntries = 500

/**
 * Opens the sums and senders of a StatsObject.
 *
 * All are in memory. A save writes what has changed since the last hour as one row, because the platform charges for
 * rows; once an hour, or when there is too much for a row, it goes to the tables, a row for each name and sender.
 *
 * @param nowMs - Unix time in milliseconds.
 */
export function statTables(storage: DurableObjectStorage, nowMs: number) {
  const { sql } = storage
  migrate(storage, migrations)
  const sums = statSums()
  const senders = statSenders()
  let isSaved = true
  let movedAtMs = nowMs
  load()

  function load(): void {
    for (const row of sql.exec<{ name: string } & Sum>('SELECT name, value, pushed FROM sums')) {
      sums.restore(row.name, row)
    }
    for (const row of sql.exec<BatchReceipt>('SELECT sender, batch, at FROM senders')) senders.restore(row)
    for (const row of sql.exec<{ sums: string; senders: string }>('SELECT sums, senders FROM recent')) {
      // What `saveRecent` has written.
      for (const [name, sum] of JSON.parse(row.sums) as readonly NamedSum[]) sums.change(name, sum)
      for (const receipt of JSON.parse(row.senders) as readonly BatchReceipt[]) senders.note(receipt)
    }
  }

  function saveRecent(): void {
    const row = [JSON.stringify(sums.changed()), JSON.stringify(senders.changed())]
    sql.exec('INSERT OR REPLACE INTO recent VALUES (0, ?, ?)', ...row)
  }

  function saveTables(atMs: number): void {
    storage.transactionSync(() => {
      for (const [name, { value, pushed }] of sums.changed()) {
        sql.exec('INSERT OR REPLACE INTO sums VALUES (?, ?, ?)', name, value, pushed)
      }
      senders.forgetBefore(atMs - senderLifeMs)
      for (const { sender, batch, at } of senders.changed()) {
        sql.exec('INSERT OR REPLACE INTO senders VALUES (?, ?, ?)', sender, batch, at)
      }
      sql.exec('DELETE FROM senders WHERE at < ?', atMs - senderLifeMs)
      sql.exec('DELETE FROM recent')
    })
    sums.forgetChanges()
    senders.forgetChanges()
    movedAtMs = atMs
  }

  return {
    /** The number of the last batch added for a sender; 0 when there is none. */
    lastBatch: senders.lastBatch,
    /** Adds the deltas in memory; a name beyond `maxNames` distinct ones is folded into `foldedName`. */
    add(receipt: BatchReceipt, deltas: readonly StatDelta[], maxNames: number): void {
      senders.note(receipt)
      sums.add(deltas, maxNames)
      isSaved = false
    },
    /** Tells whether the disk has everything. */
    isSaved: (): boolean => isSaved,
    /** Writes what the disk lacks: one row, or once an hour a row for each name and sender. */
    save(atMs: number): void {
      if (isSaved) return
      const isTooMuch = sums.countChanged() + senders.countChanged() > maxRecentEntries
      if (isTooMuch || atMs - movedAtMs >= recentLifeMs) saveTables(atMs)
      else saveRecent()
      isSaved = true
    },
    /** Every sum, by name in order. */
    sums: sums.list,
    /** Reads the additions to each sum since it was last pushed; only those to which something came. */
    unpushed: sums.unpushed,
    /** Notes that these additions have been pushed. */
    markPushed(deltas: readonly StatDelta[]): void {
      sums.markPushed(deltas)
      if (deltas.length > 0) isSaved = false
    },
  }
}
