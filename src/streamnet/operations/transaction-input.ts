/** The input of a transaction: its action and arguments, and the market of one that makes a market. */

import { decodeBase64 } from '../../base/base64.ts'
import { decodeAgentExecution } from '../codec/agent-payload.ts'
import { decodeActionExecution } from '../codec/payload.ts'
import { invalidArgument, malformedBytes, StreamNetError } from '../errors.ts'
import { parseTxHash } from '../ids.ts'
import { type DecodedMarketData, decodeMarketData } from '../market-data.ts'
import type { Client } from '../ports.ts'
import type { Scalar } from '../types.ts'

/** An action call that was sent. */
export interface TransactionInput {
  readonly namespace: string
  readonly action: string
  /** A list for each run of the action: integers as bigint, numerics as text, null for one left out. */
  readonly arguments: readonly (readonly (Scalar | readonly Scalar[])[])[]
}

/** A market as its creation asked for it. */
export interface TransactionMarket {
  readonly bridge: string
  readonly queryComponents: Uint8Array
  /** Null where the components do not decode. */
  readonly market: DecodedMarketData | null
  /** Unix time in seconds. */
  readonly settleTime: number
  /** In cents. */
  readonly maxSpread: number
  /** In shares. */
  readonly minOrderSize: string
}

/**
 * Reads what a transaction asked for, also of one that failed in its block.
 *
 * @param params - `txId` is 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when the hash is malformed, or the transaction is not an action call.
 * @throws StreamNetError transaction_not_found when the node knows none of this hash.
 * @throws StreamNetError not_found when the node has pruned its body.
 * @throws StreamNetError malformed_bytes when its payload cannot be decoded.
 *
 * @example
 * const txId = await insertRecord(client, { streamId, record: { date: 1_760_000_400, value: '5' } })
 * const { action, arguments: calls } = await getTransactionInput(client, { txId })
 */
export async function getTransactionInput(
  client: Client,
  params: { readonly txId: string },
): Promise<TransactionInput> {
  if (!params.txId) throw invalidArgument('tx_id is required')
  const hash = parseTxHash(params.txId)
  const { tx } = await client.request('user.tx_query', { tx_hash: hash })
  if (!tx?.body.payload) {
    const reason = `Transaction has no payload: 0x${hash}`
    throw new StreamNetError('not_found', reason, { reason })
  }
  const { type, payload } = tx.body
  if (type !== 'execute' && type !== 'maa_exec') {
    throw invalidArgument(
      `Transaction 0x${hash} is a "${type}" payload, not an action call; its input cannot be decoded`,
    )
  }
  try {
    const { namespace, action, calls } = decodeCall(type, decodeBase64(payload))
    return { namespace, action, arguments: calls.map((call) => call.map(({ value }) => value)) }
  } catch (cause) {
    // The decoders throw Errors.
    throw malformedBytes(`Failed to decode transaction input for 0x${hash}: ${(cause as Error).message}`)
  }
}

function decodeCall(type: 'execute' | 'maa_exec', bytes: Uint8Array) {
  if (type === 'execute') return decodeActionExecution(bytes)
  const { namespace, action, args } = decodeAgentExecution(bytes)
  return { namespace, action, calls: [args] }
}

/**
 * Reads the market that a transaction made, or tried to make.
 *
 * @param params - `txId` is 64 hex digits, with or without `0x`.
 * @returns null when the transaction ran another action.
 * @throws StreamNetError malformed_bytes when it has fewer than the five arguments of a market.
 * @throws StreamNetError as `getTransactionInput` does.
 *
 * @example
 * const question = { dataProvider: provider, streamId, timestamp: settleTime, threshold: '7' }
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const txId = await createPriceAboveThresholdMarket(client, { ...question, ...terms })
 * const asked = await getTransactionMarket(client, { txId })
 */
export async function getTransactionMarket(
  client: Client,
  params: { readonly txId: string },
): Promise<TransactionMarket | null> {
  const { action, arguments: calls } = await getTransactionInput(client, params)
  if (action !== 'create_market') return null
  const [bridge, queryComponents, settleTime, maxSpread, minOrderSize] = calls[0] ?? []
  if (minOrderSize === undefined || !(queryComponents instanceof Uint8Array)) {
    const names = '$bridge, $query_components, $settle_time, $max_spread, $min_order_size'
    throw malformedBytes(`create_market payload must carry 5 arguments (${names}), got ${calls[0]?.length ?? 0}`)
  }
  return {
    bridge: String(bridge),
    queryComponents,
    market: tryDecode(queryComponents),
    settleTime: Number(settleTime),
    maxSpread: Number(maxSpread),
    minOrderSize: String(minOrderSize),
  }
}

/** A transaction that failed may carry components of any form. */
function tryDecode(queryComponents: Uint8Array): DecodedMarketData | null {
  try {
    return decodeMarketData(queryComponents)
  } catch {
    return null
  }
}
