/** The tables of NodeObject: one, of sorted text. */

import type { KeyRange, LedgerStore } from '#devnode/ports.ts'
import { migrate } from '../../base/migrate.ts'

const migrations = ['CREATE TABLE ledger (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID']

/** A ledger store over SQLite, by ASCII keys; a caller that stops iterating may write immediately. */
export function sqliteLedgerStore(storage: DurableObjectStorage): LedgerStore {
  migrate(storage, migrations)
  const { sql } = storage
  return {
    get(key) {
      for (const [value] of sql.exec('SELECT value FROM ledger WHERE key = ?', key).raw()) return String(value)
      return undefined
    },
    put(key, value) {
      sql.exec(
        'INSERT INTO ledger (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        key,
        value,
      )
    },
    delete(key) {
      sql.exec('DELETE FROM ledger WHERE key = ?', key)
    },
    list({ start, end, isReverse }: KeyRange) {
      const order = isReverse === true ? 'DESC' : 'ASC'
      const query = `SELECT key, value FROM ledger WHERE key >= ? AND key < ? ORDER BY key ${order}`
      // Asked when it is walked, and passed on as it comes: a read may walk a hundred thousand rows.
      return { [Symbol.iterator]: () => sql.exec(query, start, end).raw<[key: string, value: string]>() }
    },
    size: () => sql.databaseSize,
  }
}
