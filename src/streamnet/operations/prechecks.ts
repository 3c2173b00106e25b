/** Looking before writing: what the network would refuse or drop, found by reads that cost nothing. */

import { parseDecimal, quantizeDecimal } from '../../base/decimal.ts'
import { isStreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import type { RecordInput } from '../record-args.ts'
import { type ChildStreams, listChildren } from '../taxonomy-children.ts'
import { getWalletBalance } from './bridge.ts'
import { getMarketInfo } from './markets.ts'
import { ownProvider } from './parameters.ts'
import { areMembersOf } from './roles.ts'
import { batchFilterStreamsByExistence } from './stream-list.ts'
import { getAllowZeros, getType } from './streams.ts'

/** Something a write would meet. */
export interface Finding {
  readonly code:
    | 'role_missing'
    | 'stream_exists'
    | 'stream_missing'
    | 'wrong_type'
    | 'too_many_records'
    | 'duplicate_date'
    | 'zero_dropped'
    | 'insufficient_balance'
    | 'market_missing'
    | 'market_closed'
  /** True when the network would refuse the write, false when it would do less than asked, or only some networks would refuse. */
  readonly isRefused: boolean
  readonly message: string
}

/**
 * Looks whether a stream could be created: the id is free, and the caller has the role older networks ask for.
 *
 * @param params - `streamId` is the stream to create.
 * @throws StreamNetError invalid_argument when the id is malformed or the client has no signer.
 *
 * @example
 * const findings = await precheckDeployStream(client, { streamId })
 * const isRefused = findings.some((finding) => finding.isRefused)
 */
export async function precheckDeployStream(
  client: Client,
  params: { readonly streamId: string },
): Promise<readonly Finding[]> {
  const own = ownProvider(client)
  const [existing, [member]] = await Promise.all([
    batchFilterStreamsByExistence(client, {
      locators: [{ streamId: params.streamId, dataProvider: own }],
      returnExisting: true,
    }),
    areMembersOf(client, { owner: 'system', roleName: 'network_writer', wallets: [own] }),
  ])
  return [
    ...found(existing.length > 0, 'stream_exists', true, `Stream ${params.streamId} exists already`),
    ...found(!member?.isMember, 'role_missing', false, `Caller does not have the role system:network_writer`),
  ]
}

/**
 * Looks whether records could be inserted: a primitive stream, at most 10, no date twice, no zero dropped.
 *
 * @param params - `records` as for `insertRecords`.
 * @throws StreamNetError invalid_argument when the id is malformed or the client has no signer.
 *
 * @example
 * const records = [{ date: 1_760_000_400, value: 0 }]
 * const findings = await precheckInsertRecords(client, { streamId, records })
 */
export async function precheckInsertRecords(
  client: Client,
  params: { readonly streamId: string; readonly records: readonly RecordInput[] },
): Promise<readonly Finding[]> {
  const { streamId, records } = params
  const type = await typeOrNull(client, streamId)
  if (type === null) return found(true, 'stream_missing', true, `Stream ${streamId} does not exist`)
  const zeros = records.filter(({ value }) => quantizeDecimal(parseDecimal(String(value)), 36, 18) === 0n)
  const drops = zeros.length > 0 && !(await getAllowZeros(client, { streamId }))
  const dates = new Set(records.map(({ date }) => BigInt(date)))
  return [
    ...found(type !== 'primitive', 'wrong_type', true, `Stream ${streamId} is ${type}, expected primitive`),
    ...found(records.length > 10, 'too_many_records', false, `${records.length} records, newer networks take 10`),
    ...found(dates.size < records.length, 'duplicate_date', true, 'Two records have the same date'),
    ...found(drops, 'zero_dropped', false, `${zeros.length} zeros would be dropped, set allow_zeros to keep them`),
  ]
}

/**
 * Looks whether a taxonomy could be set: a composed stream, and children that exist.
 *
 * @param params - `childStreams` as for `setTaxonomy`.
 * @throws StreamNetError invalid_argument when an id or an address is malformed, or the client has no signer.
 *
 * @example
 * const basket = generateStreamId(client, { name: 'basket' })
 * const findings = await precheckSetTaxonomy(client, { streamId: basket, childStreams: { [streamId]: 1 } })
 */
export async function precheckSetTaxonomy(
  client: Client,
  params: { readonly streamId: string; readonly childStreams: ChildStreams },
): Promise<readonly Finding[]> {
  const own = ownProvider(client)
  const locators = listChildren(params.childStreams).map(({ stream }) => ({
    streamId: stream.streamId,
    dataProvider: stream.dataProvider ?? own,
  }))
  const [type, missing] = await Promise.all([
    typeOrNull(client, params.streamId),
    batchFilterStreamsByExistence(client, { locators, returnExisting: false }),
  ])
  return [
    ...found(type === null, 'stream_missing', true, `Stream ${params.streamId} does not exist`),
    ...found(type === 'primitive', 'wrong_type', true, `Stream ${params.streamId} is primitive, expected composed`),
    ...missing.flatMap(({ streamId }) => found(true, 'stream_missing', true, `Child ${streamId} does not exist`)),
  ]
}

/**
 * Looks whether a transfer could be paid: the amount, and the fee of one token of 18 digits on top.
 *
 * @param params - `amount` and `feeWei` are whole numbers of wei as text; the fee is 10^18 when left out.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the client has no signer.
 *
 * @example
 * const oneToken = `${10n ** 18n}`
 * const findings = await precheckTransfer(client, { bridgeIdentifier: 'testnet_b', amount: oneToken })
 */
export async function precheckTransfer(
  client: Client,
  params: { readonly bridgeIdentifier: string; readonly amount: string; readonly feeWei?: string | undefined },
): Promise<readonly Finding[]> {
  const { bridgeIdentifier, amount, feeWei = `${10n ** 18n}` } = params
  const balance = await getWalletBalance(client, { bridgeIdentifier, walletAddress: ownProvider(client) })
  const needed = BigInt(amount) + BigInt(feeWei)
  return found(BigInt(balance) < needed, 'insufficient_balance', true, `Balance is ${balance}, ${needed} needed`)
}

/**
 * Looks whether a market takes orders: it exists, is not settled, and its time has not come.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const findings = await precheckPlaceOrder(client, { queryId: 1 })
 */
export async function precheckPlaceOrder(
  client: Client,
  params: { readonly queryId: number },
): Promise<readonly Finding[]> {
  try {
    const { settled, settleTime } = await getMarketInfo(client, params)
    const isOver = settled || client.platform.now() >= settleTime * 1000
    return found(
      isOver,
      'market_closed',
      true,
      `Market ${params.queryId} is ${settled ? 'settled' : 'past its settle time'}`,
    )
  } catch (error) {
    if (!isStreamNetError(error, 'not_found')) throw error
    return found(true, 'market_missing', true, `Market ${params.queryId} does not exist`)
  }
}

async function typeOrNull(client: Client, streamId: string): Promise<string | null> {
  try {
    return await getType(client, { streamId })
  } catch (error) {
    if (isStreamNetError(error, 'not_found')) return null
    throw error
  }
}

function found(isThere: boolean, code: Finding['code'], isRefused: boolean, message: string): readonly Finding[] {
  return isThere ? [{ code, isRefused, message }] : []
}
