/** Bulk insertion by the vectors of the interface: chunks, classes of failures, and the waits after them. */

import { expect, test } from 'vitest'
import { delayAfter } from '#base/retry.ts'
import { planChunks } from '#streamnet/bulk/job.ts'
import { parseBulkOptions, retryBudget, retryClass } from '#streamnet/bulk/options.ts'
import { fromRpcError } from '#streamnet/rpc/errors.ts'
import { bulkStreams, makeBatch } from '../../support/bulk.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

interface BulkInput {
  readonly catchup_max_attempts?: number
  readonly backoff_s?: number
  readonly infra_max_attempts?: number
  readonly error_text?: string
  readonly broadcast_code?: number
  readonly batch_size?: number
  readonly records?: readonly number[]
}

interface BulkExpected {
  readonly delays_s?: readonly number[]
  readonly total_s?: number
  readonly class?: string
  readonly chunks?: readonly number[]
}

// The vectors say `infra`; the code spells it out.
const spelled: Readonly<Record<string, string>> = { infra: 'infrastructure' }

for (const { id, input, expected } of vectorsOf<BulkInput, BulkExpected>('bulk_inserter')) {
  test(`bulk insertion follows vector ${id}`, () => {
    if (input.catchup_max_attempts !== undefined || input.infra_max_attempts !== undefined) {
      const options = parseBulkOptions({
        catchupMaxAttempts: input.catchup_max_attempts ?? 20,
        catchupBackoffSeconds: input.backoff_s ?? 15,
        infraMaxAttempts: input.infra_max_attempts ?? 10,
      })
      const budget = retryBudget(input.backoff_s ? 'catchup' : 'infrastructure', options)
      const delays = Array.from({ length: budget.maxAttempts }, (_, index) => delayAfter(index + 1, budget)).filter(
        (delay) => delay !== undefined,
      )
      expect(delays.map((ms) => ms / 1000)).toEqual(expected.delays_s)
      expect(delays.reduce((sum, ms) => sum + ms, 0) / 1000).toBe(expected.total_s)
    } else if (input.records !== undefined) {
      const plan = planChunks(
        input.records.map((count) => makeBatch(bulkStreams[0], count)),
        input.batch_size ?? 10,
      )
      expect(plan.map((chunk) => chunk.length)).toEqual(expected.chunks)
    } else {
      const data = { code: input.broadcast_code, message: '', hash: '' }
      const error = input.error_text
        ? new Error(input.error_text)
        : fromRpcError('user.broadcast', { code: -201, message: 'broadcast error', data })
      expect(retryClass(error)).toBe(spelled[expected.class ?? ''] ?? expected.class)
    }
  })
}
