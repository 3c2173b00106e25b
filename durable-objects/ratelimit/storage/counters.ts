/** The tables of a CounterObject: windows that outlive a restart, and blocked keys. */

import type { CounterName, DiskRow } from '#ratelimit/durability/stored-window.ts'
import { hasTables, migrate } from '../../base/migrate.ts'
import { type Expiry, nextLook, type Removed, removeOver } from './expiry.ts'
import { openFirstWindow } from './first-window.ts'
import type { Receipts } from './receipts.ts'
import { fitsBeside } from './reservations.ts'
import { windowRows } from './window-rows.ts'

const migrations = [
  `CREATE TABLE counters (
    key TEXT NOT NULL, unit INTEGER NOT NULL, start INTEGER NOT NULL, hits INTEGER NOT NULL,
    expires INTEGER NOT NULL, shown TEXT, leases TEXT, reservations TEXT, spare INTEGER NOT NULL, isolate REAL NOT NULL,
    PRIMARY KEY (key, unit)
  ) WITHOUT ROWID;
  CREATE INDEX counters_by_expiry ON counters (expires);
  CREATE TABLE reservations (
    key TEXT NOT NULL, unit INTEGER NOT NULL, number INTEGER NOT NULL, reservation TEXT NOT NULL,
    PRIMARY KEY (key, unit, number)
  ) WITHOUT ROWID;
  CREATE TABLE blocks (key TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID`,
]

/** A row with whether this isolate wrote it. */
interface ReadRow extends DiskRow {
  readonly isOwn: boolean
}

/** The windows and blocks of a CounterObject on disk. */
export type CounterTables = ReturnType<typeof counterTables>

/**
 * Opens the windows and blocks of one object. Nothing is written before the first `write`. While there is one window and
 * no block, it is one stored value with its receipts, which is one row written; tables come with the second window.
 */
export function counterTables(storage: DurableObjectStorage, receipts: Receipts, isolate: number) {
  const { sql } = storage
  const first = openFirstWindow(storage)
  const windows = windowRows(sql)
  let isReady = first.isEmpty() && hasTables(storage)
  if (isReady) migrate(storage, migrations)

  /** Makes the tables and moves the only window into them. */
  function prepare(): void {
    if (isReady) return
    storage.transactionSync(() => {
      migrate(storage, migrations)
      const moved = first.remove()
      if (moved === undefined) return
      windows.write(moved.row)
      receipts.take(moved.receipts)
    })
    first.forget()
    isReady = true
  }

  return {
    row(counter: CounterName): ReadRow | undefined {
      const row = first.find(counter) ?? (isReady ? windows.find(counter) : undefined)
      return row && { ...row, isOwn: row.isolate === isolate }
    },
    blocks(): ReadonlyMap<string, number> {
      if (!isReady) return new Map()
      const rows = sql.exec<{ key: string; until: number }>('SELECT key, until FROM blocks').toArray()
      return new Map(rows.map(({ key, until }) => [key, until]))
    },
    /** Finds the time of the next look for what is over; undefined when nothing is stored. */
    nextExpiry(): Expiry | undefined {
      return first.nextLook() ?? (isReady ? nextLook(storage) : undefined)
    },
    /** Writes windows, and the receipts that the disk lacks. */
    write(rows: readonly DiskRow[]): void {
      const [row] = rows
      if (row === undefined) return
      if (!isReady && rows.length === 1 && first.hasRoomFor(row) && fitsBeside(row.window)) {
        first.write({ ...row, isolate }, receipts.latest())
        return
      }
      prepare()
      for (const each of rows) windows.write({ ...each, isolate })
      receipts.write()
    },
    forget(key: string): void {
      first.removeKey(key)
      if (isReady) windows.removeKey(key)
    },
    block(key: string, until: number): void {
      prepare()
      sql.exec('INSERT OR REPLACE INTO blocks VALUES (?, ?)', key, until)
    },
    unblock(key: string): void {
      if (isReady) sql.exec('DELETE FROM blocks WHERE key = ?', key)
    },
    /** Removes what was over at an earlier look; see `removeOver`. */
    expire(now: number, most: number, alarmMs: number | undefined): Removed {
      if (isReady) return removeOver(storage, { now, most, onRemoved: windows.removeReservations })
      return first.expire(now, alarmMs)
    },
    /** Removes everything, tables and alarm included. */
    async empty(): Promise<void> {
      const done = storage.deleteAll()
      // Before anything else runs: a hit that comes while this waits must begin anew.
      isReady = false
      first.forget()
      windows.forgetAll()
      await done
    },
  }
}
