/** Answers about the chain: blocks and transactions with decoded payloads. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'

/** A hash in lower-case hex. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Unix time in milliseconds. */
export const moment = z.int().describe('Unix time in milliseconds.')

const amount = z.string().regex(/^\d{1,100}$/)

const block = {
  height: z.int(),
  hash,
  previous_hash: z.string(),
  time_ms: moment,
  transactions: z.int().describe('How many it has.'),
}

const Payload = z.union([
  z.strictObject({
    kind: z.literal('execute'),
    namespace: z.string(),
    action: z.string(),
    calls: z.int().describe('How often the action runs.'),
    args: z.array(z.array(z.unknown())).describe('Arguments of the first runs.'),
    left_out: z.int().describe('Runs and elements of lists that are not shown.'),
    wallet: z.string().describe('The agent wallet that the action runs as; absent elsewhere.').exactOptional(),
  }),
  z.strictObject({ kind: z.literal('transfer'), to: z.string(), amount }),
  z.strictObject({ kind: z.literal('other'), bytes: z.int() }),
])
/** The content of a transaction. */
export type Payload = DeepReadonly<z.infer<typeof Payload>>

const transaction = {
  hash: hash.nullable().describe('Null where the node has only kept that there was a transaction.'),
  sender: z.string().nullable(),
  type: z.string().nullable(),
  payload: Payload.nullable(),
  nonce: z.int().nullable(),
  fee: amount.nullable().describe("In the chain's smallest unit."),
  description: z.string(),
  height: z.int().describe('-1 while it waits in the pool.'),
  time_ms: moment.nullable(),
  code: z.int().describe('0 for success; `log` says why otherwise.'),
  log: z.string(),
}

const Listed = z.strictObject({ ...transaction, index: z.int().describe('Its place in the block, from 0.') })
/** A transaction in a list. */
export type ListedTransaction = DeepReadonly<z.infer<typeof Listed>>

const next = z.string().describe('`before` of the page after this one; absent on the last.').exactOptional()

/** A page of `blocks`. */
export const Blocks = z.strictObject({ height: z.int(), blocks: z.array(z.strictObject(block)), next })

/** A block with its transactions. */
export const Block = z.strictObject({ ...block, list: z.array(Listed) })
export type Block = DeepReadonly<z.infer<typeof Block>>

/** A page of `transactions`. */
export const Transactions = z.strictObject({ height: z.int(), transactions: z.array(Listed), next })
export type Transactions = DeepReadonly<z.infer<typeof Transactions>>

/** A transaction; `event` is a result of `get_transaction_event`, whose shape the catalogue has. */
export const Transaction = z.strictObject({ ...transaction, event: z.unknown() })
export type Transaction = DeepReadonly<z.infer<typeof Transaction>>
