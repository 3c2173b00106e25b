/** Prediction markets: found, read, and settled. */

import { invalidArgument } from '../errors.ts'
import { iterateList } from '../pages.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { checkId, checkPage, type Page, requireFirst } from './parameters.ts'

const marketShape = {
  settle_time: 'int',
  settled: 'bool',
  winning_outcome: 'bool?',
  max_spread: 'int',
  min_order_size: 'int',
  created_at: 'int',
} as const
const summaryShape = { id: 'int', hash: 'bytes', ...marketShape } as const
const byHashShape = { id: 'int', ...marketShape, settled_at: 'int?', creator: 'bytes' } as const
const infoShape = {
  hash: 'bytes',
  query_components: 'bytes',
  bridge: 'text?',
  ...marketShape,
  settled_at: 'int?',
  creator: 'bytes',
} as const

/** One row of `listMarkets`; `settleTime` is Unix time in seconds, `createdAt` a block height. */
export type MarketSummary = Row<typeof summaryShape>
/** A market as `getMarketInfo` tells it. */
export type MarketInfo = Row<typeof infoShape> & { readonly id: number }
/** A market as `getMarketByHash` tells it. */
export type MarketByHash = Row<typeof byHashShape>

/**
 * Reads a market.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 * @throws StreamNetError not_found when there is no such market.
 *
 * @example
 * const { settled, winningOutcome } = await getMarketInfo(client, { queryId: 1 })
 */
export async function getMarketInfo(client: Client, params: { readonly queryId: number }): Promise<MarketInfo> {
  const { queryId } = params
  const rows = readRows(await callAction(client, 'get_market_info', [checkId(queryId)]), infoShape)
  return { id: queryId, ...requireFirst(rows, `Market not found: ${queryId}`) }
}

/**
 * Finds a market by the hash of its query components.
 *
 * @param params - `hash` is 32 bytes, see `hashQueryComponents`.
 * @throws StreamNetError invalid_argument when the hash has another length.
 * @throws StreamNetError not_found when there is no such market.
 *
 * @example
 * const { hash } = await getMarketInfo(client, { queryId: 1 })
 * const { id } = await getMarketByHash(client, { hash })
 */
export async function getMarketByHash(client: Client, params: { readonly hash: Uint8Array }): Promise<MarketByHash> {
  const rows = readRows(await callAction(client, 'get_market_by_hash', [checkHash(params.hash)]), byHashShape)
  return requireFirst(rows, 'Market not found by this hash')
}

/**
 * Tells whether there is a market of this hash.
 *
 * @param params - `hash` is 32 bytes, see `hashQueryComponents`.
 * @throws StreamNetError invalid_argument when the hash has another length.
 *
 * @example
 * const { hash } = await getMarketInfo(client, { queryId: 1 })
 * const exists = await marketExists(client, { hash })
 */
export async function marketExists(client: Client, params: { readonly hash: Uint8Array }): Promise<boolean> {
  const [row] = readRows(await callAction(client, 'market_exists', [checkHash(params.hash)]), { market_exists: 'bool' })
  return row?.marketExists ?? false
}

/** Parameters of `listMarkets`, at most 100 rows at once. */
export interface ListMarketsParams extends Page {
  /** `active`, `settled`, `all`, or a boolean as the node takes it: true for settled markets. */
  readonly settledFilter?: boolean | 'all' | 'active' | 'settled' | null | undefined
  /** True to read a boolean filter the other way round, as the description of the interface has it. */
  readonly documentedFilter?: boolean | undefined
}

/**
 * Lists markets, newest first.
 *
 * @param params - `limit` is 1 to 100 rows, 100 when left out.
 * @throws StreamNetError invalid_argument when the filter or the page is out of its form.
 *
 * @example
 * const open = await listMarkets(client, { settledFilter: 'active', limit: 10 })
 */
export async function listMarkets(client: Client, params: ListMarketsParams = {}): Promise<readonly MarketSummary[]> {
  const args = [parseSettledFilter(params), ...checkPage(params, 100, 100)]
  return readRows(await callAction(client, 'list_markets', args), summaryShape)
}

/**
 * Lists markets one by one, reading a page when the last is used up.
 *
 * @param params - as of `listMarkets`; `limit` is the rows of a page.
 * @throws StreamNetError as `listMarkets` does.
 *
 * @example
 * for await (const { id } of iterateMarkets(client, { settledFilter: 'active' })) console.log(id)
 */
export function iterateMarkets(client: Client, params: ListMarketsParams = {}): AsyncIterable<MarketSummary> {
  return iterateList(listMarkets, client, params, 100)
}

/**
 * Settles a market whose time has come and whose attestation is signed. Anyone may.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 */
export async function settleMarket(
  client: Client,
  params: { readonly queryId: number } & SendOptions,
): Promise<TxHash> {
  return sendTransaction(client, 'settle_market', [[checkId(params.queryId)]], params)
}

/**
 * Checks that a market's shares and its vault agree.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @returns totals in shares, `vaultBalance` and `expectedCollateral` in wei.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 * @throws StreamNetError not_found when there is no such market.
 *
 * @example
 * const { validCollateral } = await validateMarketCollateral(client, { queryId: 1 })
 */
export async function validateMarketCollateral(client: Client, params: { readonly queryId: number }) {
  const rows = readRows(await callAction(client, 'validate_market_collateral', [checkId(params.queryId)]), {
    valid_token_binaries: 'bool',
    valid_collateral: 'bool',
    total_true: 'int',
    total_false: 'int',
    vault_balance: 'decimal',
    expected_collateral: 'decimal',
    open_buys_value: 'int',
  })
  return requireFirst(rows, `Market not found: ${params.queryId}`)
}

function parseSettledFilter({ settledFilter, documentedFilter = false }: ListMarketsParams): boolean | null {
  if (typeof settledFilter === 'boolean') return settledFilter !== documentedFilter
  if (settledFilter === 'active') return false
  if (settledFilter === 'settled') return true
  if (settledFilter === 'all' || settledFilter == null) return null
  throw invalidArgument(`settled_filter is "${settledFilter}", expected all, active, settled, true or false`)
}

function checkHash(hash: Uint8Array): Uint8Array {
  if (hash.length !== 32) throw invalidArgument(`hash has ${hash.length} bytes, expected 32`)
  return hash
}
