/** A bulk insertion that is asked for: checked, bounded and kept as a job. */

import { assertNoMistakes, GatewayError } from '#gateway/errors.ts'
import { type BulkOptions, parseBulkOptions, planChunks, startBulk } from '#streamnet/index.ts'
import type { RecordBatch } from '#streamnet/record-args.ts'
import type { SignerTables } from '../storage/signer.ts'
import { jobDefaults } from './jobs.ts'

/** A bulk insertion that is asked for. */
export interface JobRequest {
  readonly batches: readonly RecordBatch[]
  readonly options: Partial<BulkOptions>
  readonly who: string
  /** The streams it writes to, as areas of scopes. */
  readonly areas: readonly string[]
  readonly idempotencyKey?: string | undefined
}

/** The most jobs that wait or run. */
const maxOpenJobs = 100
/** The ended jobs that are remembered. */
const keptJobs = 200
/** The most records of a job. */
const maxJobRows = 25_000

/** Checks a bulk insertion and keeps it as a job, which an alarm then works on; gives its id, or too_many, or invalid_params. */
export function addJob(storage: DurableObjectStorage, tables: SignerTables, request: JobRequest): string {
  const { batches, options, who, areas } = request
  if (tables.countOpenJobs() >= maxOpenJobs) {
    throw new GatewayError(
      'too_many',
      `Cannot start job: ${maxOpenJobs} wait or run already, try again when one has ended`,
    )
  }
  const parsed = parseBulkOptions({ ...jobDefaults, ...options })
  const chunks = planChunks(batches, parsed.batchSize)
  const rows = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const message = `have ${rows} records, expected at most ${maxJobRows}`
  assertNoMistakes('start job', rows > maxJobRows ? [{ path: 'batches', message }] : [])
  const { txHashes: _none, ...bulk } = startBulk(chunks.length)
  const id = crypto.randomUUID()
  storage.transactionSync(() => {
    tables.addJob({ id, at: Date.now(), who, areas, rows, options: parsed, bulk }, chunks)
    tables.forgetJobs(keptJobs)
  })
  return id
}
