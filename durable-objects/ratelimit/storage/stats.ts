/** The tables of a StatsObject: sums by name, the last batch of every sender, and those of `usage.ts`. */

import type { StatDelta } from '#ratelimit/ports.ts'
import { isUnknownDomain, unknownDomainSuffix } from '#ratelimit/statistics/names.ts'
import { foldedName, type StatSum } from '#ratelimit/statistics/sum.ts'
import { migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE sums (
    name TEXT PRIMARY KEY, value INTEGER NOT NULL, pushed INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE senders (sender TEXT PRIMARY KEY, batch INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE usage (
    step INTEGER NOT NULL, start INTEGER NOT NULL, domain TEXT NOT NULL, rule TEXT NOT NULL,
    admitted INTEGER NOT NULL, refused INTEGER NOT NULL, shadow INTEGER NOT NULL,
    PRIMARY KEY (step, start, domain, rule)
  ) WITHOUT ROWID;
  CREATE TABLE usage_tops (hour INTEGER PRIMARY KEY, tops TEXT NOT NULL);
  CREATE TABLE usage_requests (number INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL)`,
]

/** Milliseconds after which a silent sender is forgotten; an isolate does not live that long between batches. */
const senderLifeMs = 86_400_000

/** Sender and number of a batch, and its time in Unix milliseconds. */
export interface BatchReceipt {
  readonly sender: string
  readonly batch: number
  readonly at: number
}

/** Opens the sums and senders of a StatsObject on disk. */
export function statTables(storage: DurableObjectStorage) {
  const { sql } = storage
  migrate(storage, migrations)

  /** Sums stop at 2^53 - 1, the largest whole number that the wire can carry exactly. */
  function addTo(name: string, delta: number): boolean {
    const update = 'UPDATE sums SET value = min(value + ?, 9007199254740991) WHERE name = ?'
    return sql.exec(update, delta, name).rowsWritten > 0
  }

  function insert(name: string, delta: number): void {
    sql.exec('INSERT INTO sums (name, value) VALUES (?, ?)', name, delta)
  }

  function countUnknownDomains(): number {
    const query = `SELECT count(*) AS names FROM sums WHERE name LIKE '%${unknownDomainSuffix}'`
    return Number(sql.exec(query).one().names)
  }

  return {
    /** The number of the last batch added for a sender; 0 when there is none. */
    lastBatch(sender: string): number {
      const [row] = sql.exec<{ batch: number }>('SELECT batch FROM senders WHERE sender = ?', sender)
      return row?.batch ?? 0
    },
    /**
     * Adds the deltas; a name beyond `maxNames` distinct ones is folded into `foldedName`. At most a tenth of them are
     * of domains that no rule has, so that callers leave room for the names of rules.
     */
    add({ sender, batch, at }: BatchReceipt, deltas: readonly StatDelta[], maxNames: number): void {
      storage.transactionSync(() => {
        sql.exec('INSERT OR REPLACE INTO senders VALUES (?, ?, ?)', sender, batch, at)
        sql.exec('DELETE FROM senders WHERE at < ?', at - senderLifeMs)
        let names = Number(sql.exec('SELECT count(*) AS names FROM sums').one().names)
        let unknown: number | undefined
        for (const { name, delta } of deltas) {
          if (addTo(name, delta)) continue
          const isUnknown = isUnknownDomain(name)
          if (isUnknown) unknown = (unknown ?? countUnknownDomains()) + 1
          const hasRoom = names < maxNames && !(isUnknown && (unknown ?? 0) > maxNames / 10)
          if (!hasRoom && addTo(foldedName, 1)) continue
          if (hasRoom) insert(name, delta)
          else insert(foldedName, 1)
          names += 1
        }
      })
    },
    /** Every sum, by name in order. */
    sums(): readonly StatSum[] {
      return sql.exec<{ name: string; value: number }>('SELECT name, value FROM sums ORDER BY name').toArray()
    },
    /** Reads the additions to each sum since it was last pushed; only those to which something came. */
    unpushed(): readonly StatDelta[] {
      const query = 'SELECT name, value - pushed AS delta FROM sums WHERE value > pushed ORDER BY name'
      return sql.exec<{ name: string; delta: number }>(query).toArray()
    },
    /** Remembers that these additions have been pushed. */
    markPushed(deltas: readonly StatDelta[]): void {
      storage.transactionSync(() => {
        for (const { name, delta } of deltas) {
          sql.exec('UPDATE sums SET pushed = pushed + ? WHERE name = ?', delta, name)
        }
      })
    },
  }
}
