/** The tables of a CounterObject: windows that outlive a restart, and blocked keys. */

import type { KeptLease, ShownWindow } from '#ratelimit/counter.ts'
import type { CounterName, DiskRow } from '#ratelimit/durability/stored-window.ts'
import { countOpen } from '#ratelimit/reservation/reservations.ts'
import { units } from '#ratelimit/window.ts'
import { hasTables, migrate } from '../../base/migrate.ts'
import { type Expiry, nextLook, type Removed, type RemovedRow, removeOver } from './expiry.ts'
import { endOf, type FirstWindow, firstWindowAt, firstWindowOf, lookAt, rowOf } from './first-window.ts'
import type { Receipts } from './receipts.ts'
import { fitsBeside, reservationRows } from './reservations.ts'

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

/**
 * Opens the windows and blocks of one object. Nothing is written before the first `write`. While there is one window and
 * no block, it is one stored value with its receipts, which is one row written; tables come with the second window.
 */
export function counterTables(storage: DurableObjectStorage, receipts: Receipts, isolate: number) {
  const { sql, kv } = storage
  const reservations = reservationRows(sql)
  let first = kv.get<FirstWindow>(firstWindowAt)
  /** The next look at `first`, once it was found over. */
  let secondLook: Expiry | undefined
  let isReady = first === undefined && hasTables(storage)
  if (isReady) migrate(storage, migrations)

  /** Makes the tables and moves the only window into them. */
  function prepare(): void {
    if (isReady) return
    storage.transactionSync(() => {
      migrate(storage, migrations)
      kv.delete(firstWindowAt)
      if (first === undefined) return
      writeRow(rowOf(first), first.isolate)
      receipts.take(first.receipts)
    })
    first = undefined
    isReady = true
  }

  function isFirst({ key, unit }: CounterName): boolean {
    return first?.key === key && first.unit === unit
  }

  /** Most hits find their window on disk, where changing its hits does not touch the index. */
  function writeRow({ key, unit, window, spare }: DiskRow, by = isolate): void {
    const { start, hits } = window
    const place = units.indexOf(unit)
    const [shown, leases] = [pack(window.shown), pack(window.leases)]
    const open = reservations.write({ key, unit }, window.reservations)
    const update = `UPDATE counters SET hits = ?, shown = ?, leases = ?, reservations = ?, spare = ?, isolate = ?
      WHERE key = ? AND unit = ? AND start = ?`
    if (sql.exec(update, hits, shown, leases, open, spare, by, key, place, start).rowsWritten > 0) return
    const insert = 'INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
    sql.exec(insert, key, place, start, hits, endOf(window, unit), shown, leases, open, spare, by)
  }

  return {
    row({ key, unit }: CounterName): ReadRow | undefined {
      if (first !== undefined && isFirst({ key, unit })) return { ...rowOf(first), isOwn: first.isolate === isolate }
      if (!isReady) return undefined
      const query =
        'SELECT start, hits, shown, leases, reservations, spare, isolate FROM counters WHERE key = ? AND unit = ?'
      const [row] = sql.exec<StoredRow>(query, key, units.indexOf(unit))
      if (row === undefined) return undefined
      const { start, hits, shown, leases, spare } = row
      const open = reservations.read({ key, unit }, row.reservations)
      // What `writeRow` has written.
      const window = {
        start,
        hits,
        ...(shown !== null && { shown: JSON.parse(shown) as readonly ShownWindow[] }),
        ...(leases !== null && { leases: JSON.parse(leases) as readonly KeptLease[] }),
        ...(open !== undefined && { reservations: open }),
      }
      return { key, unit, window, spare, isOwn: row.isolate === isolate }
    },
    blocks(): ReadonlyMap<string, number> {
      if (!isReady) return new Map()
      const rows = sql.exec<{ key: string; until: number }>('SELECT key, until FROM blocks').toArray()
      return new Map(rows.map(({ key, until }) => [key, until]))
    },
    /** Finds the time of the next look for what is over; undefined when nothing is stored. */
    nextExpiry(): Expiry | undefined {
      if (first !== undefined) return secondLook ?? { at: endOf(first, first.unit), unit: first.unit }
      return isReady ? nextLook(storage) : undefined
    },
    /** Writes windows, and the receipts that the disk lacks. */
    write(rows: readonly DiskRow[]): void {
      const [row] = rows
      if (row === undefined) return
      if (!isReady && rows.length === 1 && (first === undefined || isFirst(row)) && fitsBeside(row.window)) {
        first = firstWindowOf(row, { receipts: receipts.latest(), isolate })
        secondLook = undefined
        kv.put(firstWindowAt, first)
        return
      }
      prepare()
      for (const each of rows) writeRow(each)
      receipts.write()
    },
    forget(key: string): void {
      if (first?.key === key) {
        kv.delete(firstWindowAt)
        first = undefined
      }
      if (!isReady) return
      const query = 'DELETE FROM counters WHERE key = ? RETURNING key, unit, reservations'
      for (const row of sql.exec<RemovedRow>(query, key).toArray()) reservations.remove(row)
    },
    block(key: string, until: number): void {
      prepare()
      sql.exec('INSERT OR REPLACE INTO blocks VALUES (?, ?)', key, until)
    },
    unblock(key: string): void {
      if (isReady) sql.exec('DELETE FROM blocks WHERE key = ?', key)
    },
    /** Removes what was over at an earlier look; see `removeOver` and `lookAt`. */
    expire(now: number, most: number, alarmMs: number | undefined): Removed {
      if (isReady) return removeOver(storage, { now, most, onRemoved: (row) => reservations.remove(row) })
      if (first === undefined) return nothingRemoved
      secondLook = lookAt(first, now, alarmMs)
      if (secondLook !== undefined) return nothingRemoved
      // `empty` or the next write takes its place: deleting it here would be another row.
      const unsettled = countOpen(first.reservations ?? [])
      first = undefined
      return { windows: 1, blocks: [], unsettled }
    },
    /** Removes everything, tables and alarm included. */
    async empty(): Promise<void> {
      const done = storage.deleteAll()
      // Before anything else runs: a hit that comes while this waits must begin anew.
      isReady = false
      first = undefined
      reservations.forgetAll()
      await done
    },
  }
}

/** The windows and blocks of a CounterObject on disk. */
export type CounterTables = ReturnType<typeof counterTables>

/** A row of a window, its lists as JSON. */
type StoredRow = {
  start: number
  hits: number
  shown: string | null
  leases: string | null
  reservations: string | null
  spare: number
  isolate: number
}

function pack(list: readonly unknown[] = []): string | null {
  return list.length === 0 ? null : JSON.stringify(list)
}

const nothingRemoved: Removed = { windows: 0, blocks: [], unsettled: 0 }
