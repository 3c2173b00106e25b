/** The table of blocked keys in a store that others share: until when, and when each must be looked at again. */

import type { Unit } from '#ratelimit/types.ts'
import { units as allUnits } from '#ratelimit/window.ts'
import { hasTables, migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE blocks (
    key TEXT PRIMARY KEY, units TEXT NOT NULL, until INTEGER NOT NULL, due INTEGER NOT NULL, marked INTEGER NOT NULL
  ) WITHOUT ROWID`,
]

/** One blocked key. */
export interface StoreBlock {
  readonly key: string
  /** The units whose windows are raised. */
  readonly units: readonly Unit[]
  /** Unix time in seconds; a moment that has passed is a block that has yet to be lifted. */
  readonly until: number
  /** Unix time in seconds when its windows must be raised or lowered next. */
  readonly due: number
  /** True when every window that it has raised has its mark in the store. */
  readonly isMarked: boolean
}

/** A row as SQL gives it. */
type Row = { key: string; units: string; until: number; due: number; marked: number }

/** The blocks of a store on disk. */
export type StoreBlockTable = ReturnType<typeof storeBlockTable>

/** Opens the table of one object; nothing is written, tables included, before the first `keep`. */
export function storeBlockTable(storage: DurableObjectStorage) {
  const { sql } = storage
  let isReady = hasTables(storage)
  if (isReady) migrate(storage, migrations)

  function select(condition: string, value: string | number): readonly StoreBlock[] {
    if (!isReady) return []
    return sql.exec<Row>(`SELECT * FROM blocks WHERE ${condition}`, value).toArray().map(readBlock)
  }

  return {
    find: (key: string) => select('key = ?', key)[0],
    /** Blocks that are due at or before `now`, Unix time in seconds. */
    dueAt: (now: number) => select('due <= ?', now),
    /** Finds the time at which the next block is due; undefined when there is none. */
    nextDue(): number | undefined {
      if (!isReady) return undefined
      return sql.exec<{ next: number | null }>('SELECT min(due) AS next FROM blocks').one().next ?? undefined
    },
    keep({ key, units, until, due, isMarked }: StoreBlock): void {
      if (!isReady) migrate(storage, migrations)
      isReady = true
      const insert = 'INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)'
      sql.exec(insert, key, units.join(' '), until, due, isMarked ? 1 : 0)
    },
    remove(key: string): void {
      if (isReady) sql.exec('DELETE FROM blocks WHERE key = ?', key)
    },
  }
}

function readBlock({ key, units, until, due, marked }: Row): StoreBlock {
  const names = units.split(' ')
  return { key, units: allUnits.filter((unit) => names.includes(unit)), until, due, isMarked: marked === 1 }
}
