/** The tables of a CounterObject: windows that outlive a restart, and blocked keys. */

import type { KeptLease, ShownWindow, Window } from '#ratelimit/counter.ts'
import type { CounterName, CounterRow } from '#ratelimit/durability/stored-window.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'
import { hasTables, migrate } from '../../base/migrate.ts'
import { type Expiry, nextLook, type Removed, removeOver } from './expiry.ts'

const migrations = [
  `CREATE TABLE counters (
    key TEXT NOT NULL, unit INTEGER NOT NULL, start INTEGER NOT NULL, hits INTEGER NOT NULL,
    expires INTEGER NOT NULL, shown TEXT, leases TEXT, PRIMARY KEY (key, unit)
  ) WITHOUT ROWID;
  CREATE INDEX counters_by_expiry ON counters (expires);
  CREATE TABLE blocks (key TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID`,
]

/** Windows and blocks of a CounterObject on disk. Nothing is written, tables included, before the first `write`. */
export interface CounterTables {
  window(name: CounterName): Window | undefined
  blocks(): ReadonlyMap<string, number>
  /** Finds the time of the next look for what is over; undefined when nothing is stored. */
  nextExpiry(): Expiry | undefined
  write(rows: readonly CounterRow[]): void
  forget(key: string): void
  block(key: string, until: number): void
  unblock(key: string): void
  /** Removes what was over at an earlier look; see `removeOver`. */
  expire(now: number, most: number): Removed
  /** Removes everything, tables and alarm included. */
  empty(): Promise<void>
}

/** Opens the tables of one object. */
export function counterTables(storage: DurableObjectStorage): CounterTables {
  const { sql } = storage
  let isReady = hasTables(storage)
  if (isReady) migrate(storage, migrations)

  function prepare(): void {
    if (isReady) return
    migrate(storage, migrations)
    isReady = true
  }

  /** Most hits find their window on disk, where changing its hits does not touch the index. */
  function writeRow({ key, unit, window }: CounterRow): void {
    const { start, hits } = window
    const place = units.indexOf(unit)
    const [shown, leases] = [pack(window.shown), pack(window.leases)]
    const update = 'UPDATE counters SET hits = ?, shown = ?, leases = ? WHERE key = ? AND unit = ? AND start = ?'
    if (sql.exec(update, hits, shown, leases, key, place, start).rowsWritten > 0) return
    const insert = 'INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?)'
    sql.exec(insert, key, place, start, hits, endOf(window, unit), shown, leases)
  }

  return {
    window({ key, unit }) {
      if (!isReady) return undefined
      const query = 'SELECT start, hits, shown, leases FROM counters WHERE key = ? AND unit = ?'
      const [row] = sql.exec<StoredWindow>(query, key, units.indexOf(unit))
      if (row === undefined) return undefined
      const { start, hits, shown, leases } = row
      // What `writeRow` has written.
      return {
        start,
        hits,
        ...(shown !== null && { shown: JSON.parse(shown) as readonly ShownWindow[] }),
        ...(leases !== null && { leases: JSON.parse(leases) as readonly KeptLease[] }),
      }
    },
    blocks() {
      if (!isReady) return new Map()
      const rows = sql.exec<{ key: string; until: number }>('SELECT key, until FROM blocks').toArray()
      return new Map(rows.map(({ key, until }) => [key, until]))
    },
    nextExpiry: () => (isReady ? nextLook(storage) : undefined),
    write(rows) {
      prepare()
      for (const row of rows) writeRow(row)
    },
    forget(key) {
      if (isReady) sql.exec('DELETE FROM counters WHERE key = ?', key)
    },
    block(key, until) {
      prepare()
      sql.exec('INSERT OR REPLACE INTO blocks VALUES (?, ?)', key, until)
    },
    unblock(key) {
      if (isReady) sql.exec('DELETE FROM blocks WHERE key = ?', key)
    },
    expire: (now, most) => (isReady ? removeOver(storage, now, most) : nothingRemoved),
    async empty() {
      const done = storage.deleteAll()
      // Before anything else runs: a hit that comes while this waits must make its tables anew.
      isReady = false
      await done
    },
  }
}

/** A row of a window, its lists as JSON. */
type StoredWindow = { start: number; hits: number; shown: string | null; leases: string | null }

function pack(list: readonly unknown[] = []): string | null {
  return list.length === 0 ? null : JSON.stringify(list)
}

const nothingRemoved: Removed = { windows: 0, blocks: [] }

/** Finds the end of the last window of a counter that its clock has shown, in Unix seconds. */
function endOf({ start, shown = [] }: Window, unit: Unit): number {
  return shown.reduce((end, other) => Math.max(end, other.start), start) + unitSeconds[unit]
}
