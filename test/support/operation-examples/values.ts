/** Values that examples of operations share, and the shape of an example. */

import { encodeMarketQuestion } from '#streamnet/market-question.ts'
import proofs from '../../vectors/network-proofs.json' with { type: 'json' }
import type { AnswerTable } from '../loopback-node.ts'

/** The key of the client. */
export const key = '11'.repeat(32)
/** Its address. */
export const own = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
/** Another address, and its form with a checksum. */
export const other = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
export const otherChecksum = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'
/** Ids of two streams. */
export const id = `st${'0'.repeat(30)}`
export const id2 = `st${'1'.repeat(30)}`
/** A hash of a transaction or of a market. */
export const hash = 'ab'.repeat(32)
/** Writes a whole number as the network writes its values. */
export const dec = (text: string) => `${text}.000000000000000000`
/** The encoded question of a market. */
export const components = encodeMarketQuestion(
  'price_above_threshold',
  { dataProvider: other, streamId: id, timestamp: 7 },
  ['2'],
)

/** A proof that a real node gave, in the form of the client. */
const [recorded] = proofs.rows
if (recorded === undefined) throw new Error('no recorded proof')
const { chain_id: chainId, created_at: createdAt, block_hash: blockHash, ...rest } = recorded
export const recordedProof = { ...rest, chainId, blockHeight: Number(createdAt), blockHash }

/** A call of an operation: its parameters, the request that it sends, the answer of the node, and its result. */
export interface Example {
  readonly params?: object
  /** Action and arguments that must arrive; in a write, those of its only call. */
  readonly action?: string
  readonly args?: readonly unknown[]
  readonly answer?: AnswerTable
  readonly result?: unknown
}

/** The id of a row of metadata. */
export const row = '123e4567-e89b-42d3-a456-426614174000'
/** Terms of a market, and how they are sent. */
export const terms = { bridge: 'testnet_b', settleTime: 100, maxSpread: 5, minOrderSize: 1 }
export const termArgs = [100n, 5n, 1n]
/** The parameters of a market's question and terms. */
export const question = { dataProvider: other, streamId: id, timestamp: 7, ...terms }
/** A row of metadata with every kind of value. */
export const found = { rows: [[row, 1n, null, null, 'primitive', other, 9n]] }

/** Examples by the names of their operations. */
export type Examples = Readonly<Record<string, Example>>
