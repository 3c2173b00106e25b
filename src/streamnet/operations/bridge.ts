/** Tokens that come from and go to other chains. */

import { encodeBase64 } from '../../base/base64.ts'
import { numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { addressFromBytes, parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { type VerifiedWithdrawal, verifyProof, type WithdrawalProof } from '../withdrawal-proof.ts'
import { assertInteger, type Page, pageOf, readPages } from './parameters.ts'

/** The prefix of a bridge's actions, by every name the bridge goes by. */
const bridges: Readonly<Record<string, string>> = {
  eth_main: 'eth_truf',
  eth_stable: 'eth_usdc',
  testnet_a: 'hoodi_tt',
  testnet_b: 'hoodi_tt2',
  testnet_legacy: 'sepolia',
  ethereum_bridge: 'ethereum',
  sepolia_bridge: 'sepolia',
}

export type { VerifiedWithdrawal, WithdrawalProof } from '../withdrawal-proof.ts'

type BridgeParams = { readonly bridgeIdentifier: string }
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

const proofShape = {
  chain: 'text',
  chain_id: 'text',
  contract: 'text',
  created_at: 'int',
  recipient: 'text',
  amount: 'decimal',
  block_hash: 'bytes',
  root: 'bytes',
  proofs: 'bytes[]',
  signatures: 'bytes[]',
} as const

type HistoryBytes = 'fromAddress' | 'toAddress' | 'internalTxHash' | 'externalTxHash'

/** A movement over a bridge; addresses with `0x`, hashes in base64, the amount in wei. */
export type BridgeRecord = Omit<Row<typeof historyShape>, HistoryBytes> &
  Readonly<Record<HistoryBytes, string | null>>

/**
 * The balance of a wallet in wei; `0` when it is unknown.
 *
 * @param params - `bridgeIdentifier` such as `eth_main`; `walletAddress` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the address malformed.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const wei = await getWalletBalance(client, { bridgeIdentifier: 'testnet_b', walletAddress: provider })
 * ```
 */
export async function getWalletBalance(client: Client, params: WalletParams): Promise<string> {
  const table = await callAction(client, `${prefixOf(params)}_wallet_balance`, [walletOf(params)])
  return readRows(table, { balance: 'decimal?' })[0]?.balance ?? '0'
}

/**
 * Burns tokens here so that they can be claimed on the other chain: the first step of a withdrawal.
 *
 * @param params - `recipient` is an address of the other chain, `amount` a whole number of wei as text.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the recipient or the amount
 * malformed.
 * @throws StreamNetError as `sendTransaction` does.
 *
 * @example
 * ```ts
 * const oneToken = `${10n ** 18n}`
 * await withdraw(client, { bridgeIdentifier: 'testnet_b', recipient: provider, amount: oneToken })
 * ```
 */
export async function withdraw(
  client: Client,
  params: BridgeParams & { readonly amount: string; readonly recipient: string } & SendOptions,
): Promise<TxHash> {
  // The action takes the recipient first.
  const args = [parseAddress(params.recipient, 'recipient'), weiOf(params.amount)]
  return sendTransaction(client, `${prefixOf(params)}_bridge_tokens`, [args], params)
}

/**
 * Sends tokens to another wallet of the network. Costs a fee of one token on top of the amount.
 *
 * @param params - `recipient` is an address of the network, `amount` a whole number of wei as text.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the recipient or the amount
 * malformed.
 * @throws StreamNetError as `sendTransaction` does.
 *
 * @example
 * ```ts
 * const oneToken = `${10n ** 18n}`
 * await transfer(client, { bridgeIdentifier: 'testnet_b', recipient: friend, amount: oneToken })
 * ```
 */
export async function transfer(
  client: Client,
  params: BridgeParams & { readonly recipient: string; readonly amount: string } & SendOptions,
): Promise<TxHash> {
  const args = [parseAddress(params.recipient, 'recipient'), weiOf(params.amount)]
  return sendTransaction(client, `${prefixOf(params)}_transfer`, [args], params)
}

/**
 * Lists the deposits and withdrawals of a wallet, newest first.
 *
 * @param params - `walletAddress` is `0x` and 40 hex digits; `limit` is 1 to 1000 rows, 20 when left out.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the address or the page malformed.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const [newest] = await getHistory(client, { bridgeIdentifier: 'testnet_b', walletAddress: provider, limit: 1 })
 * ```
 */
export async function getHistory(
  client: Client,
  params: WalletParams & Page,
): Promise<readonly BridgeRecord[]> {
  const page = pageOf(params, 20, 1000)
  const table = await callAction(client, `${prefixOf(params)}_get_history`, [walletOf(params), ...page])
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
 * ```ts
 * const wallet = { bridgeIdentifier: 'testnet_b', walletAddress: provider }
 * for await (const { type, amount } of iterateHistory(client, wallet)) console.log(type, amount)
 * ```
 */
export function iterateHistory(client: Client, params: WalletParams & Page): AsyncIterable<BridgeRecord> {
  const { limit = 1000, offset = 0 } = params
  return readPages(limit, offset, (size, start) =>
    getHistory(client, { ...params, limit: size, offset: start }),
  )
}

/**
 * Reads the proofs of a wallet's confirmed withdrawals that have not been claimed yet.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the address malformed.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const proofs = await getWithdrawalProof(client, { bridgeIdentifier: 'testnet_b', wallet: provider })
 * ```
 */
export async function getWithdrawalProof(
  client: Client,
  params: BridgeParams & { readonly wallet: string },
): Promise<readonly WithdrawalProof[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  const table = await callAction(client, `${prefixOf(params)}_get_withdrawal_proof`, [wallet])
  return readRows(table, proofShape).map(({ createdAt, ...row }) => ({
    ...row,
    blockHeight: createdAt,
    blockHash: encodeBase64(row.blockHash),
    root: encodeBase64(row.root),
    proofs: row.proofs.map(encodeBase64),
    signatures: row.signatures.map(encodeBase64),
  }))
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
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const richest = await getOrderedBalances(client, { token: 'TRUF', limit: 3 })
 * ```
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
  const { token, ascending = false, limit = 20, minBalance } = params
  assertInteger(limit, 1, 50, 'limit must be between 1 and 50')
  const least = minBalance === undefined ? null : numeric(weiOf(minBalance, 'min_balance'), 78, 0)
  const table = await callAction(client, 'get_ordered_balances', [token, ascending, limit, least])
  return readRows(table, { address: 'text', balance: 'decimal' })
}

/**
 * Checks a withdrawal's proof: it leads to its root, and says who signed.
 *
 * @param params - `proof` as `getWithdrawalProof` reads it: bytes in base64, the amount in wei.
 * @throws StreamNetError malformed_bytes when the leaf does not lead to the root, a part is not base64, or no
 * key fits a signature.
 * @throws StreamNetError invalid_argument when an address or the amount is malformed.
 *
 * @example
 * ```ts
 * const proofs = await getWithdrawalProof(client, { bridgeIdentifier: 'testnet_b', wallet: provider })
 * for (const proof of proofs) console.log(verifyWithdrawalProof(client, { proof }).validators)
 * ```
 */
export function verifyWithdrawalProof(
  _client: Client,
  params: { readonly proof: WithdrawalProof },
): VerifiedWithdrawal {
  return verifyProof(params.proof)
}

function prefixOf({ bridgeIdentifier }: BridgeParams): string {
  const prefix = Object.hasOwn(bridges, bridgeIdentifier) ? bridges[bridgeIdentifier] : undefined
  if (prefix !== undefined) return prefix
  if (Object.values(bridges).includes(bridgeIdentifier)) return bridgeIdentifier
  throw invalidArgument(`bridge_identifier must be one of: ${Object.keys(bridges).join(', ')}`)
}

function walletOf({ walletAddress }: WalletParams): string {
  return parseAddress(walletAddress, 'wallet_address')
}

function weiOf(amount: string, name = 'amount'): string {
  if (/^[1-9]\d{0,77}$/.test(amount)) return amount
  throw invalidArgument(`${name} is "${amount}", expected a positive whole number of wei`)
}
