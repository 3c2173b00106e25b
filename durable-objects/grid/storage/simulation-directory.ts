/** The tables of a SimulationDirectoryObject: the names of simulations that exist, and stored networks. */

import type { StoredNetwork } from '#grid/contract/network.ts'
import { openTables } from '../../base/tables.ts'

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
  const { read, write } = openTables(storage, migrations)
  return {
    has: (name: string): boolean => [...read('SELECT name FROM simulations WHERE name = ?', name)].length > 0,
    /** By name. */
    list(): readonly SimulationEntry[] {
      const rows = [...read<{ name: string; created_ms: number }>('SELECT * FROM simulations ORDER BY name')]
      return rows.map(({ name, created_ms }) => ({ name, createdMs: created_ms }))
    },
    add({ name, createdMs }: SimulationEntry): void {
      write('INSERT OR IGNORE INTO simulations VALUES (?, ?)', name, createdMs)
    },
    remove(name: string): void {
      write('DELETE FROM simulations WHERE name = ?', name)
    },
    /** By name, without their tables. */
    listNetworks(): readonly StoredNetwork[] {
      const rows = [...read<{ summary: string }>('SELECT summary FROM networks ORDER BY name')]
      return rows.map(({ summary }) => JSON.parse(summary) as StoredNetwork) // only putNetwork writes it
    },
    readNetwork(name: string): string | undefined {
      const [row] = read<{ body: string }>('SELECT body FROM networks WHERE name = ?', name)
      return row?.body
    },
    putNetwork(network: StoredNetwork, body: string): void {
      const { name, bytes } = network
      write('INSERT OR REPLACE INTO networks VALUES (?, ?, ?, ?)', name, bytes, JSON.stringify(network), body)
    },
    removeNetwork(name: string): void {
      write('DELETE FROM networks WHERE name = ?', name)
    },
  }
}
