/** The table of a SimulationDirectoryObject: the names of simulations that exist. */

import { hasTables, migrate } from '../../base/migrate.ts'

const migrations = ['CREATE TABLE simulations (name TEXT PRIMARY KEY, created_ms INTEGER NOT NULL) WITHOUT ROWID']

/** One simulation that exists, and when it was made or first found, in Unix milliseconds. */
export interface SimulationEntry {
  readonly name: string
  readonly createdMs: number
}

/** Opens the table. */
export function openSimulationNames(storage: DurableObjectStorage) {
  const { sql } = storage
  let isMade = hasTables(storage)
  if (isMade) migrate(storage, migrations)
  return {
    has(name: string): boolean {
      return isMade && [...sql.exec('SELECT name FROM simulations WHERE name = ?', name)].length > 0
    },
    /** By name. */
    list(): readonly SimulationEntry[] {
      if (!isMade) return []
      const rows = sql.exec<{ name: string; created_ms: number }>('SELECT * FROM simulations ORDER BY name')
      return rows.toArray().map(({ name, created_ms }) => ({ name, createdMs: created_ms }))
    },
    add({ name, createdMs }: SimulationEntry): void {
      if (!isMade) migrate(storage, migrations)
      isMade = true
      sql.exec('INSERT OR IGNORE INTO simulations VALUES (?, ?)', name, createdMs)
    },
    remove(name: string): void {
      if (isMade) sql.exec('DELETE FROM simulations WHERE name = ?', name)
    },
  }
}
