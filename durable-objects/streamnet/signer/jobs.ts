/**
 * Bulk insertion as jobs: runs the client's steps, stores the state after each, so that a job survives a restart, and
 * fills in the status that callers get of it.
 */

import { delayAfter, type RetryBudget } from '#base/retry.ts'
import type { JobStatus } from '#gateway/contract/jobs.ts'
import { toProblem } from '#gateway/outcome.ts'
import { computeProgress } from '#streamnet/bulk/inserter.ts'
import { type BulkStep, isConfirmationNext } from '#streamnet/bulk/step.ts'
import {
  BulkInsertError,
  type BulkOptions,
  type BulkState,
  type Client,
  isBulkDone,
  isStreamNetError,
  resumeBulk,
  stepBulk,
} from '#streamnet/index.ts'
import type { Job } from '../storage/jobs.ts'
import type { SignerTables } from '../storage/signer.ts'

/** Runs the jobs of one key, one after the other. */
export interface JobRunner {
  /** Works on the jobs until a moment; gives the time to go on, Unix milliseconds, null when no job is left. */
  work(untilMs: number): Promise<number | null>
}

/** A job fails after so many lost answers in a row; the waits between them grow by 2 s each. */
const lostBudget: RetryBudget = { maxAttempts: 20, delayMs: 2000 }

/** Codes after which it is unknown whether a transaction arrived: it is stored, and asked for before it is sent again. */
const lostCodes: ReadonlySet<unknown> = new Set(['connection_lost', 'timeout', 'malformed_response'])
/** Codes after which a confirmation is asked for again: nothing is being sent, and the node does not answer. */
const silentCodes: ReadonlySet<unknown> = new Set([...lostCodes, 'connection_refused', 'no_backend', 'rate_limited'])

/** Runs a step while nothing else uses the key; `isShared` tells that a write has used it since the last step. */
type KeyTurn = (step: (isShared: boolean) => Promise<void>) => Promise<void>

interface Runner {
  readonly tables: SignerTables
  readonly client: Client
  readonly inTurn: KeyTurn
  /** The running job's state in memory; undefined when the tables have to be read again. */
  current: { readonly job: number; readonly state: BulkState } | undefined
}

/** Makes the runner. States live in memory between steps; the tables have every one of them. */
export function createJobRunner(tables: SignerTables, client: Client, inTurn: KeyTurn): JobRunner {
  const runner: Runner = { tables, client, inTurn, current: undefined }
  return { work: (untilMs) => workUntil(runner, untilMs) }
}

async function workUntil(runner: Runner, untilMs: number): Promise<number | null> {
  for (;;) {
    const job = runner.tables.currentJob()
    if (job === undefined) return null
    const now = Date.now()
    if (job.nextAt > now) return job.nextAt
    if (now >= untilMs) return now
    try {
      await advanceJob(runner, job)
    } catch (error) {
      failJob(runner, job, error)
    }
  }
}

/** Takes a job one chunk or one confirmation further, or ends it when everything is confirmed. */
async function advanceJob(runner: Runner, job: Job): Promise<void> {
  const state = await openJob(runner, job)
  if (isBulkDone(state)) {
    runner.current = undefined
    runner.tables.endJob(job, 'done', Date.now())
    return
  }
  await takeTurn(runner, job, state)
  // Through the event loop: where node and gateway share a process, others would wait for the whole job.
  await runner.client.platform.sleep(0)
  if (job.lost > 0) runner.tables.delayJob(job, 0, 0)
}

async function openJob(runner: Runner, job: Job): Promise<BulkState> {
  const { current, tables, client } = runner
  if (current?.job === job.number) return current.state
  const state: BulkState = { ...job.bulk, txHashes: tables.hashes(job.number) }
  // After a restart only the node knows whether the last transaction left.
  const resumed = await resumeBulk(client, state)
  saveStep(runner, job, state, { state: resumed, delayMs: 0 })
  return resumed
}

function saveStep(runner: Runner, job: Job, before: BulkState, { state, delayMs }: BulkStep): void {
  const now = Date.now()
  runner.current = { job: job.number, state }
  if (before !== state || delayMs > 0) {
    const nextAt = delayMs > 0 ? now + delayMs : 0
    runner.tables.saveBulk(job, state, { known: before.txHashes.length, nextAt, now })
  }
}

/** Signs and broadcasts one chunk, or asks for a confirmation, while no other write uses the key. */
async function takeTurn(runner: Runner, job: Job, state: BulkState): Promise<void> {
  const { client, tables, inTurn } = runner
  await inTurn(async (isShared) => {
    // Another write may have taken the number that was next.
    let before: BulkState = isShared && !state.sending ? { ...state, nonce: undefined } : state
    const chunk = tables.chunk(job.number, before.nextChunk)
    for (let isSigned = false; !isSigned; ) {
      const step = await stepBulk(client, before, chunk, job.options)
      saveStep(runner, job, before, step)
      isSigned = step.state.sending === undefined || step.delayMs > 0
      before = step.state
    }
  })
}

/** Ends a job as failed, or has it go on later when the node only did not answer. */
function failJob(runner: Runner, job: Job, error: unknown): void {
  const state = runner.current?.state
  const codes = state && isConfirmationNext(state, job.options) ? silentCodes : lostCodes
  const isPassing = error instanceof BulkInsertError && isStreamNetError(error.cause) && codes.has(error.cause.code)
  const delayMs = isPassing ? delayAfter(job.lost + 1, lostBudget) : undefined
  // Read from the tables again, the state asks the node first what became of the transaction.
  runner.current = undefined
  if (delayMs !== undefined) runner.tables.delayJob(job, job.lost + 1, Date.now() + delayMs)
  else runner.tables.endJob(job, 'failed', Date.now(), toProblem(error))
}

/** Describes a job for callers. */
export function describeJob(job: Job, now: number): JobStatus {
  const { bulk, rows, options } = job
  const rowsDone = Math.min(rows, bulk.nextChunk * options.batchSize)
  const counts = { chunksDone: bulk.nextChunk, chunksTotal: bulk.totalChunks, rowsDone }
  const elapsedMs = (job.endedAt ?? now) - (job.startedAt ?? now)
  const { chunksPerSec, etaSec } = computeProgress(counts, elapsedMs)
  return {
    job_id: job.id,
    phase: job.phase,
    created_at: job.at,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    created_by: job.who,
    rows_total: rows,
    rows_done: rowsDone,
    chunks_total: bulk.totalChunks,
    chunks_done: bulk.nextChunk,
    chunks_confirmed: bulk.confirmed,
    chunks_per_sec: Math.round(chunksPerSec * 10) / 10,
    eta_sec: isOpen(job) ? Math.round(etaSec) : 0,
    retry_at: isOpen(job) && job.nextAt > now ? job.nextAt : null,
    failed_chunk_index: job.phase === 'failed' ? bulk.nextChunk : null,
    problem: job.problem,
  }
}

/** The chunk with which a failed job goes on: the one whose transaction failed in its block, else the next one. */
export function findNextChunk({ bulk, problem }: Pick<Job, 'bulk' | 'problem'>): number {
  return problem?.message.includes(': transaction failed: ') ? bulk.confirmed : bulk.nextChunk
}

/** Tells whether a job is queued or running. */
export function isOpen({ phase }: Pick<Job, 'phase'>): boolean {
  return phase === 'queued' || phase === 'running'
}

/** Options of a job: those of the client, but a transaction that fails in its block fails the job. */
export const jobDefaults: Partial<BulkOptions> = { failOnChainError: true }
