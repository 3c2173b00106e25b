/** The sums of a StatsObject by name and the last batch of every sender, in memory and on disk; and the tables of `usage.ts`. */

import type { StatDelta } from '#ratelimit/ports.ts'
import { isUnknownDomain } from '#ratelimit/statistics/names.ts'
import { foldedName, type StatSum } from '#ratelimit/statistics/sum.ts'
import { migrate } from '../../base/migrate.ts'

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
/** Recent sums and senders whose JSON is far below the 2 MB of a row, with the longest names. */
const mostRecent = 500

type BatchReceipt = { readonly sender: string; readonly batch: number; readonly at: number }

type Sum = { readonly value: number; readonly pushed: number }

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
  const sums = new Map<string, Sum>()
  const senders = new Map<string, BatchReceipt>()
  /** Names and senders that the tables lack; the row of recent ones has them after a save. */
  const changed = { sums: new Set<string>(), senders: new Set<string>() }
  let [isSaved, movedAtMs] = [true, nowMs]
  let unknownDomains = 0
  load()

  function load(): void {
    for (const row of sql.exec<{ name: string } & Sum>('SELECT name, value, pushed FROM sums')) set(row.name, row)
    for (const row of sql.exec<BatchReceipt>('SELECT sender, batch, at FROM senders')) senders.set(row.sender, row)
    for (const row of sql.exec<{ sums: string; senders: string }>('SELECT sums, senders FROM recent')) {
      // What `saveRecent` has written.
      for (const [name, sum] of JSON.parse(row.sums) as readonly [string, Sum][]) change(name, sum)
      for (const receipt of JSON.parse(row.senders) as readonly BatchReceipt[]) note(receipt)
    }
    isSaved = true
  }

  function set(name: string, { value, pushed }: Sum): void {
    if (!sums.has(name) && isUnknownDomain(name)) unknownDomains += 1
    sums.set(name, { value, pushed })
  }

  function change(name: string, sum: Sum): void {
    set(name, sum)
    changed.sums.add(name)
    isSaved = false
  }

  function note(receipt: BatchReceipt): void {
    senders.set(receipt.sender, receipt)
    changed.senders.add(receipt.sender)
    isSaved = false
  }

  /** Sums stop at 2^53 - 1, the largest whole number that the wire can carry exactly. */
  function addTo(name: string, delta: number): void {
    const { value, pushed } = sums.get(name) ?? { value: 0, pushed: 0 }
    change(name, { value: Math.min(value + delta, Number.MAX_SAFE_INTEGER), pushed })
  }

  /** Tells whether a new name has room. At most a tenth of the names are of domains that no rule has. */
  function hasRoom(name: string, maxNames: number): boolean {
    return sums.size < maxNames && !(isUnknownDomain(name) && unknownDomains + 1 > maxNames / 10)
  }

  function saveRecent(): void {
    const recentSums = [...changed.sums].map((name) => [name, sums.get(name)])
    const recentSenders = [...changed.senders].map((sender) => senders.get(sender))
    const row = [JSON.stringify(recentSums), JSON.stringify(recentSenders)]
    sql.exec('INSERT OR REPLACE INTO recent VALUES (0, ?, ?)', ...row)
  }

  function move(atMs: number): void {
    storage.transactionSync(() => {
      for (const name of changed.sums) {
        const { value, pushed } = sums.get(name) ?? { value: 0, pushed: 0 }
        sql.exec('INSERT OR REPLACE INTO sums VALUES (?, ?, ?)', name, value, pushed)
      }
      for (const { sender, batch, at } of senders.values()) {
        if (at < atMs - senderLifeMs) senders.delete(sender)
        else if (changed.senders.has(sender))
          sql.exec('INSERT OR REPLACE INTO senders VALUES (?, ?, ?)', sender, batch, at)
      }
      sql.exec('DELETE FROM senders WHERE at < ?', atMs - senderLifeMs)
      sql.exec('DELETE FROM recent')
    })
    changed.sums.clear()
    changed.senders.clear()
    movedAtMs = atMs
  }

  return {
    /** The number of the last batch added for a sender; 0 when there is none. */
    lastBatch: (sender: string): number => senders.get(sender)?.batch ?? 0,
    /** Adds the deltas in memory; a name beyond `maxNames` distinct ones is folded into `foldedName`. */
    add(receipt: BatchReceipt, deltas: readonly StatDelta[], maxNames: number): void {
      note(receipt)
      for (const { name, delta } of deltas) {
        if (sums.has(name) || hasRoom(name, maxNames)) addTo(name, delta)
        else addTo(foldedName, 1)
      }
    },
    /** Tells whether the disk has everything. */
    isSaved: (): boolean => isSaved,
    /** Writes what the disk lacks: one row, or once an hour a row for each name and sender. */
    save(atMs: number): void {
      if (isSaved) return
      if (changed.sums.size + changed.senders.size > mostRecent || atMs - movedAtMs >= recentLifeMs) move(atMs)
      else saveRecent()
      isSaved = true
    },
    /** Every sum, by name in order. */
    sums: (): readonly StatSum[] => inOrder([...sums].map(([name, { value }]) => ({ name, value }))),
    /** Reads the additions to each sum since it was last pushed; only those to which something came. */
    unpushed(): readonly StatDelta[] {
      const deltas = [...sums].map(([name, { value, pushed }]) => ({ name, delta: value - pushed }))
      return inOrder(deltas.filter(({ delta }) => delta > 0))
    },
    /** Notes that these additions have been pushed. */
    markPushed(deltas: readonly StatDelta[]): void {
      for (const { name, delta } of deltas) {
        const sum = sums.get(name)
        if (sum !== undefined) change(name, { ...sum, pushed: sum.pushed + delta })
      }
    },
  }
}

function inOrder<T extends { readonly name: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
