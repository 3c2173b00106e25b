/** The tables of a CounterObject: windows that outlive a restart, and blocked keys. */

import type { Window } from '../../../src/ratelimit/counter.ts'
import type { Unit } from '../../../src/ratelimit/types.ts'
import { unitSeconds, units } from '../../../src/ratelimit/window.ts'
import { hasTables, migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE counters (
    key TEXT NOT NULL, unit INTEGER NOT NULL, start INTEGER NOT NULL, hits INTEGER NOT NULL,
    expires INTEGER NOT NULL, PRIMARY KEY (key, unit)
  ) WITHOUT ROWID`,
  'CREATE INDEX counters_by_expiry ON counters (expires)',
  'CREATE TABLE blocks (key TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID',
]

/** A counter's place: its key and the unit that it counts in. */
export interface CounterName {
  readonly key: string
  readonly unit: Unit
}

/** One stored window. */
export interface CounterRow extends CounterName {
  readonly window: Window
}

/** When something is over: Unix time in seconds, and the unit of the window; null for a block. */
export interface Expiry {
  readonly at: number
  readonly unit: Unit | null
}

/** What a CounterObject keeps on disk. Nothing is written, tables included, before the first `write`. */
export interface CounterTables {
  window(name: CounterName): Window | undefined
  blocks(): ReadonlyMap<string, number>
  /** When the next stored row may go; undefined when there is none. */
  nextExpiry(): Expiry | undefined
  write(rows: readonly CounterRow[]): void
  forget(key: string): void
  block(key: string, until: number): void
  unblock(key: string): void
  /**
   * Removes what ended at or before `now`, Unix time in seconds, but no more windows than `most`.
   *
   * @returns how many windows were removed.
   */
  expire(now: number, most: number): number
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

  /** Most hits find their window on disk, where changing the one number does not touch the index. */
  function writeRow({ key, unit, window: { start, hits } }: CounterRow): void {
    const place = units.indexOf(unit)
    const update = 'UPDATE counters SET hits = ? WHERE key = ? AND unit = ? AND start = ?'
    if (sql.exec(update, hits, key, place, start).rowsWritten > 0) return
    const insert = 'INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?)'
    sql.exec(insert, key, place, start, hits, start + unitSeconds[unit])
  }

  return {
    window({ key, unit }) {
      if (!isReady) return undefined
      const query = 'SELECT start, hits FROM counters WHERE key = ? AND unit = ?'
      const [row] = sql.exec<{ start: number; hits: number }>(query, key, units.indexOf(unit))
      return row
    },
    blocks() {
      if (!isReady) return new Map()
      const rows = sql.exec<{ key: string; until: number }>('SELECT key, until FROM blocks').toArray()
      return new Map(rows.map(({ key, until }) => [key, until]))
    },
    nextExpiry() {
      if (!isReady) return undefined
      const query = `SELECT expires, unit FROM
        (SELECT expires, unit FROM counters UNION ALL SELECT until, NULL FROM blocks) ORDER BY expires LIMIT 1`
      const [row] = sql.exec<{ expires: number; unit: number | null }>(query)
      if (row === undefined) return undefined
      return { at: row.expires, unit: row.unit === null ? null : unitAt(row.unit) }
    },
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
    expire(now, most) {
      if (!isReady) return 0
      sql.exec('DELETE FROM blocks WHERE until <= ?', now)
      const over = 'SELECT key, unit FROM counters WHERE expires <= ? LIMIT ?'
      sql.exec(`DELETE FROM counters WHERE (key, unit) IN (${over})`, now, most)
      return sql.exec<{ removed: number }>('SELECT changes() AS removed').one().removed
    },
    async empty() {
      const done = storage.deleteAll()
      // Before anything else runs: a hit that comes while this waits must make its tables anew.
      isReady = false
      await done
    },
  }
}

function unitAt(index: number): Unit {
  const unit = units[index]
  if (unit === undefined) throw new RangeError(`Cannot read a counter: unit ${index} does not exist`)
  return unit
}
