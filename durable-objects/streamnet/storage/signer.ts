/** The tables of SignerObject: idempotent writes with what was signed for them, and bulk insertion jobs. */

import type { Outcome } from '../../../src/gateway/outcome.ts'
import type { BulkRow } from '../../../src/streamnet/bulk-job.ts'
import type { BulkOptions, BulkState } from '../../../src/streamnet/index.ts'
import type { TransactionJson } from '../../../src/streamnet/rpc/methods.ts'
import { migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE writes (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, sending TEXT, outcome TEXT
  ) WITHOUT ROWID`,
  'CREATE INDEX writes_by_age ON writes (at)',
  `CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, who TEXT NOT NULL,
    areas TEXT NOT NULL, phase TEXT NOT NULL, rows INTEGER NOT NULL, options TEXT NOT NULL, bulk TEXT NOT NULL,
    next_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, lost INTEGER NOT NULL DEFAULT 0, problem TEXT
  )`,
  'CREATE TABLE chunks (job INTEGER NOT NULL, chunk INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (job, chunk)) WITHOUT ROWID',
  'CREATE TABLE hashes (job INTEGER NOT NULL, chunk INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (job, chunk)) WITHOUT ROWID',
]

/** A transaction that was signed and perhaps sent; its hash is known, so that it can be asked for. */
export interface Sending {
  readonly hash: string
  readonly transaction: TransactionJson
}

/** A write that carries an idempotency key. */
export interface KeyedWrite {
  readonly fingerprint: string
  /** What was signed last; null until something was. */
  readonly sending: Sending | null
  /** Null until the write has come to an end that stays. */
  readonly outcome: Outcome | null
}

/** Where a job stands: `queued` and `running` go on by themselves, the others have ended. */
export type JobPhase = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** A bulk insertion that outlives its process. */
export interface Job {
  readonly number: number
  readonly id: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** Name of the token that asked for it. */
  readonly who: string
  /** The streams it writes to, as areas of scopes. */
  readonly areas: readonly string[]
  readonly phase: JobPhase
  readonly rows: number
  readonly options: BulkOptions
  /** Its state without the hashes, which have their own table. */
  readonly bulk: Omit<BulkState, 'txHashes'>
  /** Unix time in milliseconds before which nothing is to be done. */
  readonly nextAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** How often in a row it was unknown whether a transaction had arrived. */
  readonly lost: number
  readonly problem: Extract<Outcome, { ok: false }>['problem'] | null
}

/** A job before it has a number. */
export type NewJob = Pick<Job, 'id' | 'at' | 'who' | 'areas' | 'rows' | 'options' | 'bulk'>

type JobRow = {
  number: number
  id: string
  at: number
  who: string
  areas: string
  phase: string
  rows: number
  options: string
  bulk: string
  next_at: number
  started_at: number | null
  ended_at: number | null
  lost: number
  problem: string | null
}
type WriteRow = { fingerprint: string; sending: string | null; outcome: string | null }

/** What SignerObject keeps on disk. */
export type SignerTables = ReturnType<typeof openSignerTables>

/** Brings the tables to their newest shape and opens them. */
export function openSignerTables(storage: DurableObjectStorage) {
  migrate(storage, migrations)
  const { sql } = storage
  const count = (query: string): number => Number(sql.exec<{ n: number }>(query).one().n)
  return {
    findWrite(key: string): KeyedWrite | undefined {
      const [row] = sql
        .exec<WriteRow>('SELECT fingerprint, sending, outcome FROM writes WHERE key = ?', key)
        .toArray()
      return row && { fingerprint: row.fingerprint, sending: read(row.sending), outcome: read(row.outcome) }
    },
    addWrite(key: string, fingerprint: string, at: number): void {
      sql.exec('INSERT INTO writes (key, fingerprint, at) VALUES (?, ?, ?)', key, fingerprint, at)
    },
    noteSending(key: string, sending: Sending): void {
      sql.exec('UPDATE writes SET sending = ? WHERE key = ?', JSON.stringify(sending), key)
    },
    endWrite(key: string, outcome: Outcome): void {
      sql.exec('UPDATE writes SET outcome = ?, sending = NULL WHERE key = ?', JSON.stringify(outcome), key)
    },
    removeWrite(key: string): void {
      sql.exec('DELETE FROM writes WHERE key = ?', key)
    },
    /** Forgets writes older than a moment, and tells how many are left. */
    expireWrites(before: number): number {
      sql.exec('DELETE FROM writes WHERE at < ?', before)
      return count('SELECT count(*) AS n FROM writes')
    },

    addJob(job: NewJob, chunks: readonly (readonly BulkRow[])[]): void {
      storage.transactionSync(() => {
        const { number } = sql
          .exec<{ number: number }>(
            `INSERT INTO jobs (id, at, who, areas, phase, rows, options, bulk, next_at)
             VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, 0) RETURNING number`,
            job.id,
            job.at,
            job.who,
            JSON.stringify(job.areas),
            job.rows,
            JSON.stringify(job.options),
            JSON.stringify(job.bulk),
          )
          .one()
        chunks.forEach((rows, chunk) => {
          const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
          sql.exec('INSERT INTO chunks (job, chunk, rows) VALUES (?, ?, ?)', number, chunk, text)
        })
      })
    },
    findJob(id: string): Job | undefined {
      const [row] = sql.exec<JobRow>('SELECT * FROM jobs WHERE id = ?', id).toArray()
      return row && toJob(row)
    },
    /** The jobs, newest first. */
    listJobs(limit: number): readonly Job[] {
      return sql.exec<JobRow>('SELECT * FROM jobs ORDER BY number DESC LIMIT ?', limit).toArray().map(toJob)
    },
    /** The oldest job that has not ended: jobs of a key run one after the other. */
    currentJob(): Job | undefined {
      const [row] = sql
        .exec<JobRow>("SELECT * FROM jobs WHERE phase IN ('queued', 'running') ORDER BY number LIMIT 1")
        .toArray()
      return row && toJob(row)
    },
    countOpenJobs(): number {
      return count("SELECT count(*) AS n FROM jobs WHERE phase IN ('queued', 'running')")
    },
    chunk(job: number, chunk: number): readonly BulkRow[] {
      const [row] = sql
        .exec<{ rows: string }>('SELECT rows FROM chunks WHERE job = ? AND chunk = ?', job, chunk)
        .toArray()
      const rows: readonly (Omit<BulkRow, 'date'> & { date: number | string })[] = row
        ? JSON.parse(row.rows)
        : []
      return rows.map((record) => ({
        ...record,
        date: typeof record.date === 'string' ? BigInt(record.date) : record.date,
      }))
    },
    hashes(job: number, offset = 0, limit = -1): readonly string[] {
      return sql
        .exec<{ hash: string }>(
          'SELECT hash FROM hashes WHERE job = ? ORDER BY chunk LIMIT ? OFFSET ?',
          job,
          limit,
          offset,
        )
        .toArray()
        .map(({ hash }) => hash)
    },
    /** Keeps where a job is; only hashes that were not there before are written. */
    saveBulk(job: Job, { txHashes, ...bulk }: BulkState, known: number, nextAt: number, now: number): void {
      storage.transactionSync(() => {
        txHashes.slice(known).forEach((hash, index) => {
          sql.exec(
            'INSERT OR REPLACE INTO hashes (job, chunk, hash) VALUES (?, ?, ?)',
            job.number,
            known + index,
            hash,
          )
        })
        // A job that was cancelled in between stays cancelled.
        sql.exec(
          `UPDATE jobs SET bulk = ?, next_at = ?, started_at = coalesce(started_at, ?),
           phase = CASE phase WHEN 'queued' THEN 'running' ELSE phase END WHERE number = ?`,
          JSON.stringify(bulk),
          nextAt,
          now,
          job.number,
        )
      })
    },
    delayJob(job: Job, lost: number, nextAt: number): void {
      sql.exec('UPDATE jobs SET lost = ?, next_at = ? WHERE number = ?', lost, nextAt, job.number)
    },
    /** Ends a job that has not ended; its records go, unless they are needed to take it up again. */
    endJob(
      job: Job,
      phase: 'done' | 'failed' | 'cancelled',
      now: number,
      problem: Job['problem'] = null,
    ): void {
      storage.transactionSync(() => {
        sql.exec(
          `UPDATE jobs SET phase = ?, ended_at = ?, problem = ? WHERE number = ? AND phase IN ('queued', 'running')`,
          phase,
          now,
          problem && JSON.stringify(problem),
          job.number,
        )
        if (phase !== 'failed') sql.exec('DELETE FROM chunks WHERE job = ?', job.number)
      })
    },
    reopenJob(job: Job): void {
      const bulk = { ...job.bulk, failures: {}, polls: 0 }
      sql.exec(
        `UPDATE jobs SET phase = 'queued', ended_at = NULL, problem = NULL, lost = 0, next_at = 0, bulk = ?
         WHERE number = ? AND phase = 'failed'`,
        JSON.stringify(bulk),
        job.number,
      )
    },
    /** Forgets ended jobs beyond the newest ones. */
    forgetJobs(kept: number): void {
      const old = sql
        .exec<{ number: number }>(
          "SELECT number FROM jobs WHERE phase NOT IN ('queued', 'running') ORDER BY number DESC LIMIT -1 OFFSET ?",
          kept,
        )
        .toArray()
      for (const { number } of old) {
        for (const table of ['chunks', 'hashes']) sql.exec(`DELETE FROM ${table} WHERE job = ?`, number)
        sql.exec('DELETE FROM jobs WHERE number = ?', number)
      }
    },
  }
}

function toJob(row: JobRow): Job {
  return {
    number: row.number,
    id: row.id,
    at: row.at,
    who: row.who,
    areas: JSON.parse(row.areas),
    // Only phases are ever written there.
    phase: row.phase as JobPhase,
    rows: row.rows,
    options: JSON.parse(row.options),
    bulk: JSON.parse(row.bulk),
    nextAt: row.next_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    lost: row.lost,
    problem: read(row.problem),
  }
}

/** What was written as JSON above. */
function read<T>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text)
}
