/** Shapes of what the gateway answers beside the operations: jobs, the explorer, tickets, and problems. */

import {
  describe,
  listOf,
  number,
  objectOf,
  oneOf,
  orNull,
  type Schema,
  type Schemas,
  text,
  whole,
} from '../base/json-schema.ts'

const hash: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' }
const moment = describe('Unix time in milliseconds.', whole)
const amount: Schema = { type: 'string', pattern: '^\\d{1,100}$' }

/** An object of these members; those of `sometimes` may be absent. */
function object(always: Schemas, sometimes: Schemas = {}): Schema {
  return objectOf(always, sometimes, false)
}

const mistakes = listOf(object({ path: text, message: text }))
const data: Schema = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  description: 'What the code carries, such as `hash`, `height` and `log`.',
}

/** A problem (RFC 9457). */
export const problemSchema = object(
  { title: text, status: whole, detail: text, code: text },
  { type: text, instance: text, hint: text, mistakes, data },
)

/** A bulk insertion. */
export const jobSchema = object({
  job_id: describe('What to ask for at jobs/{job_id}.', text),
  phase: oneOf('queued', 'running', 'done', 'failed', 'cancelled'),
  created_at: moment,
  started_at: orNull(moment),
  ended_at: orNull(moment),
  created_by: describe('The name of the token.', text),
  rows_total: whole,
  rows_done: whole,
  chunks_total: whole,
  chunks_done: describe('Chunks whose transaction was accepted.', whole),
  chunks_confirmed: describe('Chunks whose transaction is in a block.', whole),
  chunks_per_sec: number,
  eta_sec: number,
  retry_at: orNull(describe('When the next attempt is made, Unix time in milliseconds.', whole)),
  failed_chunk_index: orNull(whole),
  problem: orNull(object({ code: text, message: text }, { hint: text, mistakes, data })),
})

/** A page of `jobs/{job_id}/tx_hashes`. */
export const hashesSchema = listOf(hash)

const block: Schemas = {
  height: whole,
  hash,
  previous_hash: text,
  time_ms: moment,
  transactions: describe('How many it has.', whole),
}

const payload: Schema = {
  anyOf: [
    object({
      kind: { const: 'execute' },
      namespace: text,
      action: text,
      calls: describe('How often the action runs.', whole),
      args: describe('Arguments of the first runs.', listOf(listOf({}))),
      left_out: describe('Runs and elements of lists that are not shown.', whole),
    }),
    object({ kind: { const: 'transfer' }, to: text, amount }),
    object({ kind: { const: 'other' }, bytes: whole }),
  ],
}

const transaction: Schemas = {
  hash: describe('Null where the node has only kept that there was a transaction.', orNull(hash)),
  sender: orNull(text),
  type: orNull(text),
  payload: orNull(payload),
  nonce: orNull(whole),
  fee: describe("In the chain's smallest unit.", orNull(amount)),
  description: text,
  height: describe('-1 while it waits in the pool.', whole),
  time_ms: orNull(moment),
  code: describe('0 for success; `log` says why otherwise.', whole),
  log: text,
}

const listed = object({ ...transaction, index: describe('Its place in the block, from 0.', whole) })
const next = describe('`before` of the page after this one; absent on the last.', text)

/** A page of `blocks`. */
export const blocksSchema = object({ height: whole, blocks: listOf(object(block)) }, { next })

/** A block with its transactions. */
export const blockSchema = object({ ...block, list: listOf(listed) })

/** A page of `transactions`. */
export const transactionsSchema = object({ height: whole, transactions: listOf(listed) }, { next })

/** A transaction, with what `get_transaction_event` has of it. */
export function transactionSchema(event: Schema): Schema {
  return object({ ...transaction, event: orNull(event) })
}

/** A ticket of an event stream. */
export const ticketSchema = object({ ticket: text, expires_in: describe('Seconds.', whole) })

/** The index. */
export const indexSchema = object({
  name: text,
  openapi: text,
  operations: listOf(
    object({
      name: text,
      kind: oneOf('view', 'execute', 'local', 'job'),
      methods: listOf(oneOf('POST', 'GET')),
      about: text,
    }),
  ),
})
