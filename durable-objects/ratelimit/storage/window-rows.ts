/** The rows of windows in the table of counters, with the reservations that belong to them. */

import type { KeptLease, ShownWindow } from '#ratelimit/counter.ts'
import type { CounterName } from '#ratelimit/durability/stored-window.ts'
import { units } from '#ratelimit/window.ts'
import type { RemovedRow } from './expiry.ts'
import { endOf, type WrittenRow } from './first-window.ts'
import { reservationRows } from './reservations.ts'

/** Opens the rows of a table that exists when they are read or written. */
export function windowRows(sql: SqlStorage) {
  const reservations = reservationRows(sql)
  return {
    /** Finds a window, and the isolate that wrote it. */
    find({ key, unit }: CounterName): WrittenRow | undefined {
      const query =
        'SELECT start, hits, shown, leases, reservations, spare, isolate FROM counters WHERE key = ? AND unit = ?'
      const [row] = sql.exec<StoredRow>(query, key, units.indexOf(unit))
      if (row === undefined) return undefined
      const { start, hits, shown, leases, spare, isolate } = row
      const open = reservations.read({ key, unit }, row.reservations)
      // What `write` has written.
      const window = {
        start,
        hits,
        ...(shown !== null && { shown: JSON.parse(shown) as readonly ShownWindow[] }),
        ...(leases !== null && { leases: JSON.parse(leases) as readonly KeptLease[] }),
        ...(open !== undefined && { reservations: open }),
      }
      return { key, unit, window, spare, isolate }
    },
    /** Writes a window. Most hits find it on disk, where changing its hits does not touch the index. */
    write({ key, unit, window, spare, isolate }: WrittenRow): void {
      const { start, hits } = window
      const place = units.indexOf(unit)
      const shown = pack(window.shown)
      const leases = pack(window.leases)
      const open = reservations.write({ key, unit }, window.reservations)
      const update = `UPDATE counters SET hits = ?, shown = ?, leases = ?, reservations = ?, spare = ?, isolate = ?
        WHERE key = ? AND unit = ? AND start = ?`
      if (sql.exec(update, hits, shown, leases, open, spare, isolate, key, place, start).rowsWritten > 0) return
      const insert = 'INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
      sql.exec(insert, key, place, start, hits, endOf(window, unit), shown, leases, open, spare, isolate)
    },
    /** Removes every window of a key. */
    removeKey(key: string): void {
      const query = 'DELETE FROM counters WHERE key = ? RETURNING key, unit, reservations'
      for (const row of sql.exec<RemovedRow>(query, key).toArray()) reservations.remove(row)
    },
    /** Removes the reservations of a window that was removed. @returns how many were open. */
    removeReservations: (row: RemovedRow): number => reservations.remove(row),
    /** Forgets what is known of the disk, when it has been emptied. */
    forgetAll: (): void => reservations.forgetAll(),
  }
}

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
