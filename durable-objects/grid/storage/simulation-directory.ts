/** The tables of a SimulationDirectoryObject: the names of simulations that exist, and stored networks. */

import type { StoredNetwork } from '#grid/contract/network.ts'
import { hasTables, migrate } from '../../base/migrate.ts'

const migrations = [
  'CREATE TABLE simulations (name TEXT PRIMARY KEY, created_ms INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE networks (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, summary TEXT NOT NULL, body TEXT NOT NULL)',
]

/** One simulation that exists, and when it was made or first found, in Unix milliseconds. */
export interface SimulationEntry {
  readonly name: string
  readonly createdMs: number
}

/** Opens the tables. */
export function openDirectoryTables(storage: DurableObjectStorage) {
  const { sql } = storage
  let isMade = hasTables(storage)
  if (isMade) migrate(storage, migrations)

  function make(): void {
    if (!isMade) migrate(storage, migrations)
    isMade = true
  }

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
      make()
      sql.exec('INSERT OR IGNORE INTO simulations VALUES (?, ?)', name, createdMs)
    },
    remove(name: string): void {
      if (isMade) sql.exec('DELETE FROM simulations WHERE name = ?', name)
    },
    /** By name, without their tables. */
    listNetworks(): readonly StoredNetwork[] {
      if (!isMade) return []
      const rows = sql.exec<{ summary: string }>('SELECT summary FROM networks ORDER BY name')
      return rows.toArray().map(({ summary }) => JSON.parse(summary) as StoredNetwork) // only putNetwork writes it
    },
    readNetwork(name: string): string | undefined {
      if (!isMade) return undefined
      const [row] = sql.exec<{ body: string }>('SELECT body FROM networks WHERE name = ?', name)
      return row?.body
    },
    putNetwork(network: StoredNetwork, body: string): void {
      make()
      const { name, bytes } = network
      sql.exec('INSERT OR REPLACE INTO networks VALUES (?, ?, ?, ?)', name, bytes, JSON.stringify(network), body)
    },
    removeNetwork(name: string): void {
      if (isMade) sql.exec('DELETE FROM networks WHERE name = ?', name)
    },
  }
}
