/** Answers about bulk insertions: the shape of a job's status, and of its transaction hashes. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { hash, moment } from './chain.ts'
import { data, mistakes } from './problem.ts'

/** A bulk insertion. */
export const Job = z.strictObject({
  job_id: z.string().describe('What to ask for at jobs/{job_id}.'),
  phase: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  created_at: moment,
  started_at: moment.nullable(),
  ended_at: moment.nullable(),
  created_by: z.string().describe('The name of the token.'),
  rows_total: z.int(),
  rows_done: z.int(),
  chunks_total: z.int(),
  chunks_done: z.int().describe('Chunks whose transaction was accepted.'),
  chunks_confirmed: z.int().describe('Chunks whose transaction is in a block.'),
  chunks_per_sec: z.number(),
  eta_sec: z.number(),
  retry_at: z.int().describe('When the next attempt is made, Unix time in milliseconds.').nullable(),
  failed_chunk_index: z.int().nullable(),
  problem: z
    .strictObject({
      code: z.string(),
      message: z.string(),
      hint: z.string().exactOptional(),
      mistakes: mistakes.exactOptional(),
      data: data.exactOptional(),
    })
    .nullable(),
})

/** A bulk insertion, for callers. */
export type JobStatus = DeepReadonly<z.infer<typeof Job>>
/** A page of `jobs/{job_id}/tx_hashes`. */
export const Hashes = z.array(hash)
