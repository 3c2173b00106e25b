/** The tables of bulk insertion jobs: the state of each, with the records and hashes of `job-parts.ts`. */

import type { Problem } from '#gateway/outcome.ts'
import type { BulkRow } from '#streamnet/bulk/job.ts'
import type { BulkOptions, BulkState } from '#streamnet/index.ts'
import { type JobParts, openJobParts } from './job-parts.ts'

/** The state of a job: `queued` and `running` jobs continue by the object's alarm, the others have ended. */
type JobPhase = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

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
  /** The attempts in a row after which it was unknown whether a transaction had arrived. */
  readonly lost: number
  readonly problem: Problem | null
}

type NewJob = Pick<Job, 'id' | 'at' | 'who' | 'areas' | 'rows' | 'options' | 'bulk'>

/** The hashes that are written already, the time of the next attempt, and the time now. */
type StepNotes = Readonly<Record<'known' | 'nextAt' | 'now', number>>

/** A row as `jobColumns` gives it: structures are JSON text. */
type JobRow = Omit<Job, 'areas' | 'options' | 'bulk' | 'problem'> &
  Record<'areas' | 'options' | 'bulk', string> & { readonly problem: string | null }

const jobColumns = `number, id, at, who, areas, phase, rows, options, bulk, next_at AS nextAt, started_at AS startedAt,
  ended_at AS endedAt, lost, problem`

/** Reads and writes the jobs. */
export function openJobTables(storage: DurableObjectStorage) {
  const parts = openJobParts(storage.sql)
  const { chunk, hashes } = parts
  return { chunk, hashes, ...openJobReads(storage.sql), ...openJobWrites(storage, parts) }
}

function openJobReads(sql: SqlStorage) {
  return {
    findJob(id: string): Job | undefined {
      const [row] = sql.exec<JobRow>(`SELECT ${jobColumns} FROM jobs WHERE id = ?`, id).toArray()
      return row && toJob(row)
    },
    /** The jobs, newest first. Each is read when it is asked for: its areas may have a hundred kilobytes. */
    *listJobs(): Generator<Job> {
      for (const row of sql.exec<JobRow>(`SELECT ${jobColumns} FROM jobs ORDER BY number DESC`)) yield toJob(row)
    },
    /** The oldest job that has not ended: jobs of a key run one after the other. */
    currentJob(): Job | undefined {
      const [row] = sql
        .exec<JobRow>(`SELECT ${jobColumns} FROM jobs WHERE phase IN ('queued', 'running') ORDER BY number LIMIT 1`)
        .toArray()
      return row && toJob(row)
    },
    /** Counts the jobs that are queued or running. */
    countOpenJobs(): number {
      const query = "SELECT count(*) AS n FROM jobs WHERE phase IN ('queued', 'running')"
      return Number(sql.exec<{ n: number }>(query).one().n)
    },
  }
}

function openJobWrites(storage: DurableObjectStorage, parts: JobParts) {
  const { sql } = storage
  return {
    /** Adds a job with the records of its chunks, in one transaction. */
    addJob(job: NewJob, chunks: readonly (readonly BulkRow[])[]): void {
      storage.transactionSync(() => parts.writeChunks(insertJob(sql, job), chunks))
    },
    /** Keeps the state of a job; only hashes from number `known` on are written. Times in Unix milliseconds. */
    saveBulk(job: Job, { txHashes, ...bulk }: BulkState, { known, nextAt, now }: StepNotes): void {
      storage.transactionSync(() => {
        parts.writeHashes(job.number, txHashes, known)
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
    /** Puts the next attempt off until `nextAt`, Unix time in milliseconds. */
    delayJob(job: Job, lost: number, nextAt: number): void {
      sql.exec('UPDATE jobs SET lost = ?, next_at = ? WHERE number = ?', lost, nextAt, job.number)
    },
    /** Ends a job that has not ended; its records go, unless they are needed to take it up again. */
    endJob(job: Job, phase: 'done' | 'failed' | 'cancelled', now: number, problem: Job['problem'] = null): void {
      storage.transactionSync(() => {
        sql.exec(
          `UPDATE jobs SET phase = ?, ended_at = ?, problem = ? WHERE number = ? AND phase IN ('queued', 'running')`,
          phase,
          now,
          problem && JSON.stringify(problem),
          job.number,
        )
        if (phase !== 'failed') parts.removeChunks(job.number)
      })
    },
    /** Queues a failed job again at the chunk that comes next, with all attempts. */
    reopenJob(job: Job, nextChunk: number): void {
      const again = { ...job.bulk, nextChunk, failures: {}, polls: 0 }
      // Chunks that are sent again are signed anew.
      const bulk = nextChunk < job.bulk.nextChunk ? { ...again, nonce: undefined, draining: false } : again
      storage.transactionSync(() => {
        parts.removeHashes(job.number, nextChunk)
        sql.exec(
          `UPDATE jobs SET phase = 'queued', ended_at = NULL, problem = NULL, lost = 0, next_at = 0, bulk = ?
           WHERE number = ? AND phase = 'failed'`,
          JSON.stringify(bulk),
          job.number,
        )
      })
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
        parts.removeChunks(number)
        parts.removeHashes(number)
        sql.exec('DELETE FROM jobs WHERE number = ?', number)
      }
    },
  }
}

function insertJob(sql: SqlStorage, job: NewJob): number {
  const insert = `INSERT INTO jobs (id, at, who, areas, phase, rows, options, bulk, next_at)
    VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, 0) RETURNING number`
  const areas = JSON.stringify(job.areas)
  const options = JSON.stringify(job.options)
  const bulk = JSON.stringify(job.bulk)
  return sql.exec<{ number: number }>(insert, job.id, job.at, job.who, areas, job.rows, options, bulk).one().number
}

function toJob({ areas, options, bulk, problem, ...row }: JobRow): Job {
  return {
    ...row,
    areas: JSON.parse(areas),
    options: JSON.parse(options),
    bulk: JSON.parse(bulk),
    problem: problem === null ? null : JSON.parse(problem),
  }
}
