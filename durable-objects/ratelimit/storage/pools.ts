/** Pools on disk: what a QuotaObject goes on with after a restart, so that what Envoys hold is not lost to the limit. */

import type { Bucket } from '#ratelimit/quota/bucket.ts'
import type { PoolState } from '#ratelimit/quota/pool.ts'
import type { Client } from '#ratelimit/quota/reclaim.ts'
import { hasTables, migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE pools (
    name TEXT PRIMARY KEY, ends INTEGER NOT NULL, form INTEGER NOT NULL, pool TEXT NOT NULL
  ) WITHOUT ROWID`,
]

/** One holder of a pool. */
export interface SavedMember {
  readonly holder: string
  readonly stream: string
  readonly domain: string
  /** Null where its Envoy cannot be told from others. */
  readonly client: Client | null
  readonly bucket: Bucket
}

/** A pool and who holds it. */
export interface SavedPool {
  readonly limit: number
  readonly state: PoolState
  readonly members: readonly SavedMember[]
}

/** Number of the form of a row. One of another form is not read: its hits stay charged, for a minute at most. */
const poolForm = 1
/** Characters of a row: some 2,000 holders. */
const longestRow = 1_000_000
/** Milliseconds between two looks at what has ended. */
const lookMs = 600_000

/** Opens the pools of one object. Nothing is written, tables included, before the first `save`. */
export function savedPools(storage: DurableObjectStorage) {
  const { sql } = storage
  let isReady = hasTables(storage)
  if (isReady) migrate(storage, migrations)
  let hasAlarm = false

  async function setAlarm(): Promise<void> {
    if (hasAlarm) return
    hasAlarm = true
    // One of an earlier instance stays: put off by each restart, it might never come.
    if ((await storage.getAlarm()) === null) void storage.setAlarm(Date.now() + lookMs)
  }

  function forget(name: string): void {
    if (isReady) sql.exec('DELETE FROM pools WHERE name = ?', name)
  }

  return {
    /** Finds a pool that has not ended. */
    find(name: string, nowMs: number): SavedPool | undefined {
      if (!isReady) return undefined
      const query = 'SELECT pool FROM pools WHERE name = ? AND ends > ? AND form = ?'
      const [row] = sql.exec<{ pool: string }>(query, name, nowMs, poolForm)
      // What `save` has written.
      return row === undefined ? undefined : (JSON.parse(row.pool) as SavedPool)
    },
    /** Writes one row; a pool that is too long for one is forgotten instead. */
    save(name: string, pool: SavedPool, endsMs: number): void {
      const text = JSON.stringify(pool)
      if (text.length > longestRow) {
        forget(name)
        return
      }
      if (!isReady) migrate(storage, migrations)
      isReady = true
      void setAlarm()
      const insert = 'INSERT OR REPLACE INTO pools (name, ends, form, pool) VALUES (?, ?, ?, ?)'
      sql.exec(insert, name, Math.ceil(endsMs), poolForm, text)
    },
    forget,
    /** Removes what has ended, at an alarm; with nothing left, all of the object's storage. */
    async expire(nowMs: number): Promise<void> {
      hasAlarm = false
      if (!isReady) return
      sql.exec('DELETE FROM pools WHERE ends <= ?', nowMs)
      if (sql.exec('SELECT 1 FROM pools LIMIT 1').toArray().length > 0) return setAlarm()
      const done = storage.deleteAll()
      // Before anything else runs: a pool that is saved while this waits must make its table anew.
      isReady = false
      await done
    },
  }
}

/** The pools of a QuotaObject on disk. */
export type SavedPools = ReturnType<typeof savedPools>
