/** The holdings of a wallet in prediction markets: positions, locked collateral, and the history of its orders. */

import { requireCollateral } from '../bridge-names.ts'
import { parseAddress } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { checkId, checkPage, type Page, requireFirst } from './parameters.ts'

const positionShape = { query_id: 'int', outcome: 'bool', price: 'int', amount: 'int', position_type: 'text' } as const
const collateralShape = { total_locked: 'decimal', buy_orders_locked: 'decimal', shares_value: 'decimal' } as const
/** A position; its type is `holding`, `buy_order` or `sell_order`. */
export type Position = Row<typeof positionShape>
/** Locked amounts, in wei. */
export type Collateral = Row<typeof collateralShape>

const eventShape = {
  id: 'int',
  query_id: 'int',
  event_type: 'text',
  outcome: 'bool',
  price: 'int',
  amount: 'int',
  wallet_address: 'text',
  counterparty_address: 'text?',
  block_height: 'int',
  block_timestamp: 'int',
} as const

/** Something that happened to an order of a wallet: placed, filled, cancelled, settled. */
export type OrderEvent = Row<typeof eventShape>

/**
 * Lists what happened to the orders of a wallet, oldest first, in one market or in all.
 *
 * @param params - `queryId` is one market, all when left out; `limit` is 1 to 1000 rows, 100 when left out.
 * @throws StreamNetError invalid_argument when the address, the id or the page is out of its form.
 *
 * @example
 * const events = await getOrderEventsByWallet(client, { wallet: provider, queryId: 1, limit: 20 })
 */
export async function getOrderEventsByWallet(
  client: Client,
  params: { readonly wallet: string; readonly queryId?: number | undefined } & Page,
): Promise<readonly OrderEvent[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  const market = params.queryId === undefined ? null : checkId(params.queryId)
  const args = [wallet, market, ...checkPage(params, 100, 1000)]
  return readRows(await callAction(client, 'get_order_events_by_wallet', args), eventShape)
}

/**
 * Lists what happened to the orders of a wallet one by one, reading a page when the last is used up.
 *
 * @param params - as of `getOrderEventsByWallet`; `limit` is the rows of a page.
 * @throws StreamNetError as `getOrderEventsByWallet` does.
 *
 * @example
 * for await (const { eventType } of iterateOrderEvents(client, { wallet: provider })) console.log(eventType)
 */
export function iterateOrderEvents(
  client: Client,
  params: Parameters<typeof getOrderEventsByWallet>[1],
): AsyncIterable<OrderEvent> {
  return iterateList(getOrderEventsByWallet, client, params, 1000)
}

/**
 * Reads the caller's positions in all markets.
 *
 * @returns prices in cents, amounts in shares.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * const held = (await getUserPositions(client)).filter(({ positionType }) => positionType === 'holding')
 */
export async function getUserPositions(client: Client): Promise<readonly Position[]> {
  return readRows(await callAction(client, 'get_user_positions', []), positionShape)
}

/**
 * Reads the positions of any wallet.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @returns prices in cents, amounts in shares.
 * @throws StreamNetError invalid_argument when the address is malformed.
 *
 * @example
 * const positions = await getPositionsByWallet(client, { wallet: provider })
 */
export async function getPositionsByWallet(
  client: Client,
  params: { readonly wallet: string },
): Promise<readonly Position[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  return readRows(await callAction(client, 'get_positions_by_wallet', [wallet]), positionShape)
}

/**
 * Reads what the caller has locked; name the bridge, because its default differs from network to network.
 *
 * @param params - `bridge` by any of its names, as `createMarket` takes it.
 * @returns amounts in wei.
 * @throws StreamNetError invalid_argument when the bridge cannot hold collateral.
 * @throws StreamNetError not_found when the answer has no row.
 *
 * @example
 * const { totalLocked } = await getUserCollateral(client, { bridge: 'testnet_b' })
 */
export async function getUserCollateral(
  client: Client,
  params: { readonly bridge?: string | undefined } = {},
): Promise<Collateral> {
  const rows = readRows(
    await callAction(client, 'get_user_collateral', params.bridge ? [requireCollateral(params.bridge)] : []),
    collateralShape,
  )
  return requireFirst(rows, 'Collateral not found')
}

/**
 * Reads what any wallet has locked.
 *
 * @param params - `bridge` by any of its names, as `createMarket` takes it.
 * @returns amounts in wei.
 * @throws StreamNetError invalid_argument when the address is malformed, or the bridge cannot hold collateral.
 * @throws StreamNetError not_found when the answer has no row.
 *
 * @example
 * const { totalLocked } = await getCollateralByWallet(client, { wallet: provider, bridge: 'testnet_b' })
 */
export async function getCollateralByWallet(
  client: Client,
  params: { readonly wallet: string; readonly bridge: string },
): Promise<Collateral> {
  const args = [parseAddress(params.wallet, 'wallet'), requireCollateral(params.bridge)]
  return requireFirst(
    readRows(await callAction(client, 'get_collateral_by_wallet', args), collateralShape),
    'Collateral not found',
  )
}
