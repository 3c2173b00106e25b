/** Tokens of other chains on the network: balances, transfers, and the history of a bridge. */

import { encodeBase64 } from '../../base/base64.ts'
import { type BridgeParams, checkWei, requirePrefix } from '../bridge-names.ts'
import { numeric } from '../codec/value.ts'
import { addressFromBytes, parseAddress } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { checkPage, type Page } from './parameters.ts'

type WalletParams = BridgeParams & { readonly walletAddress: string }

const historyShape = {
  type: 'text',
  amount: 'decimal',
  from_address: 'bytes?',
  to_address: 'bytes?',
  internal_tx_hash: 'bytes?',
  external_tx_hash: 'bytes?',
  status: 'text',
  block_height: 'int',
  block_timestamp: 'int',
  external_block_height: 'int?',
} as const

type HistoryBytes = 'fromAddress' | 'toAddress' | 'internalTxHash' | 'externalTxHash'

/** A movement over a bridge; addresses with `0x`, hashes in base64, the amount in wei. */
export type BridgeRecord = Omit<Row<typeof historyShape>, HistoryBytes> & Readonly<Record<HistoryBytes, string | null>>

/**
 * The balance of a wallet in wei; `0` when it is unknown.
 *
 * @param params - `bridgeIdentifier` such as `eth_main`; `walletAddress` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the address malformed.
 *
 * @example
 * const wei = await getWalletBalance(client, { bridgeIdentifier: 'testnet_b', walletAddress: provider })
 */
export async function getWalletBalance(client: Client, params: WalletParams): Promise<string> {
  const table = await callAction(client, `${requirePrefix(params)}_wallet_balance`, [parseWallet(params)])
  return readRows(table, { balance: 'decimal?' })[0]?.balance ?? '0'
}

/**
 * Sends tokens to another wallet of the network. Costs a fee of one token on top of the amount.
 *
 * @param params - `recipient` is an address of the network, `amount` a whole number of wei as text.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the recipient or the amount
 * malformed.
 *
 * @example
 * const oneToken = `${10n ** 18n}`
 * await transfer(client, { bridgeIdentifier: 'testnet_b', recipient: friend, amount: oneToken })
 */
export async function transfer(
  client: Client,
  params: BridgeParams & { readonly recipient: string; readonly amount: string } & SendOptions,
): Promise<TxHash> {
  const args = [parseAddress(params.recipient, 'recipient'), checkWei(params.amount)]
  return sendTransaction(client, `${requirePrefix(params)}_transfer`, [args], params)
}

/**
 * Lists the deposits and withdrawals of a wallet, newest first.
 *
 * @param params - `walletAddress` is `0x` and 40 hex digits; `limit` is 1 to 1000 rows, 20 when left out.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the address or the page malformed.
 *
 * @example
 * const [newest] = await getHistory(client, { bridgeIdentifier: 'testnet_b', walletAddress: provider, limit: 1 })
 */
export async function getHistory(client: Client, params: WalletParams & Page): Promise<readonly BridgeRecord[]> {
  const page = checkPage(params, 20, 1000)
  const table = await callAction(client, `${requirePrefix(params)}_get_history`, [parseWallet(params), ...page])
  return readRows(table, historyShape).map((row) => ({
    ...row,
    fromAddress: row.fromAddress && addressFromBytes(row.fromAddress),
    toAddress: row.toAddress && addressFromBytes(row.toAddress),
    internalTxHash: row.internalTxHash && encodeBase64(row.internalTxHash),
    externalTxHash: row.externalTxHash && encodeBase64(row.externalTxHash),
  }))
}

/**
 * Lists deposits and withdrawals one by one, reading a page when the last is used up.
 *
 * @param params - as of `getHistory`; `limit` is the rows of a page.
 * @throws StreamNetError as `getHistory` does.
 *
 * @example
 * const wallet = { bridgeIdentifier: 'testnet_b', walletAddress: provider }
 * for await (const { type, amount } of iterateHistory(client, wallet)) console.log(type, amount)
 */
export function iterateHistory(client: Client, params: WalletParams & Page): AsyncIterable<BridgeRecord> {
  return iterateList(getHistory, client, params, 1000)
}

/** A wallet and what it holds of a token. */
export interface OrderedBalance {
  /** Lower case. */
  readonly address: string
  /** In the token's smallest unit. */
  readonly balance: string
}

/**
 * Lists the wallets that hold most of a token, or least.
 *
 * @param params - `limit` is 1 to 50 wallets; `minBalance` is in the token's smallest unit.
 * @throws StreamNetError invalid_argument when the limit or the least balance is out of range.
 *
 * @example
 * const richest = await getOrderedBalances(client, { token: 'TRUF', limit: 3 })
 */
export async function getOrderedBalances(
  client: Client,
  params: {
    readonly token: 'TRUF' | 'USDC'
    readonly ascending?: boolean | undefined
    /** 1 to 50; 20 when left out. */
    readonly limit?: number | undefined
    /** Only wallets with at least so much, in the token's smallest unit. */
    readonly minBalance?: string | undefined
  },
): Promise<readonly OrderedBalance[]> {
  const { token, ascending = false, minBalance } = params
  const [limit] = checkPage(params, 20, 50)
  const least = minBalance === undefined ? null : numeric(checkWei(minBalance, 'min_balance'), 78, 0)
  const table = await callAction(client, 'get_ordered_balances', [token, ascending, limit, least])
  return readRows(table, { address: 'text', balance: 'decimal' })
}

function parseWallet({ walletAddress }: WalletParams): string {
  return parseAddress(walletAddress, 'wallet_address')
}
