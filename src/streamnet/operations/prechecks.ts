/** Checks before a write: reads, which cost nothing, find what the network would refuse or drop. */

import { checkWei } from '../bridge-names.ts'
import { numeric } from '../codec/value.ts'
import { isStreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { checkDate, type RecordInput } from '../record-args.ts'
import { type ChildStreams, listChildren } from '../taxonomy-children.ts'
import { getWalletBalance } from './bridge.ts'
import { getMarketInfo } from './markets.ts'
import { ownProvider } from './parameters.ts'
import { areMembersOf } from './roles.ts'
import { batchFilterStreamsByExistence } from './stream-list.ts'
import { getAllowZeros, getType } from './streams.ts'

/** A reason why the network would refuse a write, or do less than asked. */
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
  /** True when the network would refuse the write; false when it would do less, or only some networks would refuse. */
  readonly isRefused: boolean
  readonly message: string
}

/**
 * Checks whether a stream could be created: the id is free, and the caller has the role older networks ask for.
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
  return listFindings(
    existing.length > 0 && refusal('stream_exists', `Stream ${params.streamId} exists already`),
    !member?.isMember && warning('role_missing', 'Caller does not have the role system:network_writer'),
  )
}

/**
 * Checks whether records could be inserted: a primitive stream, at most 10, no date twice, no zero dropped.
 *
 * @param params - `records` as for `insertRecords`.
 * @throws StreamNetError invalid_argument when the id, a date or a value is malformed, or the client has no signer.
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
  const dates = new Set(records.map((record) => BigInt(checkDate(record))))
  const zeros = records.filter(({ value }) => Number(numeric(value).value) === 0)
  const type = await typeOrNull(client, streamId)
  if (type === null) return [refusal('stream_missing', `Stream ${streamId} does not exist`)]
  const isDropping = zeros.length > 0 && !(await getAllowZeros(client, { streamId }))
  return listFindings(
    type !== 'primitive' && refusal('wrong_type', `Stream ${streamId} is ${type}, expected primitive`),
    records.length > 10 && warning('too_many_records', `${records.length} records, newer networks take 10`),
    dates.size < records.length && refusal('duplicate_date', 'Two records have the same date'),
    isDropping && warning('zero_dropped', `${zeros.length} zeros would be dropped, set allow_zeros to keep them`),
  )
}

/**
 * Checks whether a taxonomy could be set: a composed stream, and children that exist.
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
  return listFindings(
    type === null && refusal('stream_missing', `Stream ${params.streamId} does not exist`),
    type === 'primitive' && refusal('wrong_type', `Stream ${params.streamId} is primitive, expected composed`),
    ...missing.map(({ streamId }) => refusal('stream_missing', `Child ${streamId} does not exist`)),
  )
}

/**
 * Checks whether a transfer could be paid: the amount, and the fee of one token of 18 digits on top.
 *
 * @param params - `amount` and `feeWei` are whole numbers of wei as text; the fee is 10^18 when left out.
 * @throws StreamNetError invalid_argument when the bridge is unknown, the amount or the fee malformed, or the client
 * has no signer.
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
  // Decimal text of whole numbers.
  const needed = BigInt(checkWei(amount)) + BigInt(numeric(feeWei, 78, 0).value as string)
  const balance = await getWalletBalance(client, { bridgeIdentifier, walletAddress: ownProvider(client) })
  if (BigInt(balance) >= needed) return []
  return [refusal('insufficient_balance', `Balance is ${balance}, ${needed} needed`)]
}

/**
 * Checks whether a market takes orders: it exists, is not settled, and its time has not come.
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
    if (!settled && client.platform.now() < settleTime * 1000) return []
    return [refusal('market_closed', `Market ${params.queryId} is ${settled ? 'settled' : 'past its settle time'}`)]
  } catch (error) {
    if (!isStreamNetError(error, 'not_found')) throw error
    return [refusal('market_missing', `Market ${params.queryId} does not exist`)]
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

function refusal(code: Finding['code'], message: string): Finding {
  return { code, isRefused: true, message }
}

function warning(code: Finding['code'], message: string): Finding {
  return { code, isRefused: false, message }
}

function listFindings(...findings: readonly (Finding | false)[]): readonly Finding[] {
  return findings.filter((finding) => finding !== false)
}
