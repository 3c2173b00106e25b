/** Records of the network about transactions and the fees they paid. */

import { invalidArgument } from '../errors.ts'
import { parseAddress, parseTxHash } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { checkPage, type Page, requireFirst } from './parameters.ts'

const distributionShape = {
  fee_recipient: 'text?',
  metadata: 'text?',
  distribution_sequence: 'int',
  distribution_recipient: 'text?',
  distribution_amount: 'decimal?',
} as const

const eventShape = {
  tx_id: 'text',
  block_height: 'int',
  method: 'text',
  caller: 'text',
  fee_amount: 'decimal',
  fee_recipient: 'text?',
  metadata: 'text?',
  fee_distributions: 'text?',
} as const

const feeShape = {
  tx_id: 'text',
  block_height: 'int',
  method: 'text',
  caller: 'text',
  total_fee: 'decimal',
  ...distributionShape,
} as const

/** The event of a transaction and its fees, amounts in wei. */
export interface TransactionEvent extends Omit<Row<typeof eventShape>, 'feeDistributions'> {
  readonly feeDistributions: readonly { readonly recipient: string; readonly amount: string }[]
  /** Unix time of its block in milliseconds; 0 where the node has pruned the block. */
  readonly stampMs: number
}

/** One fee distribution of a transaction, amounts in wei. */
export type TransactionFee = Row<typeof feeShape>

/** A side of a fee. */
export type FeeMode = 'paid' | 'received' | 'both'

/** Parameters of `listTransactionFees`; the limit, 20 when left out and 1000 at most, counts transactions and not rows. */
export interface FeesParams extends Page {
  readonly wallet: string
  /** `paid` when left out. */
  readonly mode?: FeeMode | undefined
}

/**
 * Reads what is recorded about a transaction.
 *
 * @param params - `txId` is 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when the hash is not 64 hex digits.
 * @throws StreamNetError not_found when the network recorded nothing about it.
 *
 * @example
 * const txId = await insertRecord(client, { streamId, record: { date: 1_760_000_400, value: '5' } })
 * const { method, feeAmount } = await getTransactionEvent(client, { txId })
 */
export async function getTransactionEvent(
  client: Client,
  params: { readonly txId: string },
): Promise<TransactionEvent> {
  if (!params.txId) throw invalidArgument('tx_id is required and cannot be empty')
  const txId = `0x${parseTxHash(params.txId)}`
  const rows = readRows(await callAction(client, 'get_transaction_event', [txId]), eventShape)
  const { feeDistributions, ...event } = requireFirst(rows, `transaction not found: ${txId}`)
  const [stampMs = 0] = await readBlockStamps(client, [event.blockHeight])
  return { ...event, stampMs, feeDistributions: readDistributions(feeDistributions ?? '') }
}

const lastShape = {
  tx_id: 'text',
  created_at: 'int',
  method: 'text',
  caller: 'text',
  fee_amount: 'decimal',
  ...distributionShape,
} as const

/** One of the last transactions, one row a distribution; amounts in wei. */
export type LastTransaction = Omit<Row<typeof lastShape>, 'createdAt'> &
  Pick<TransactionEvent, 'blockHeight' | 'stampMs'>

/**
 * Lists the last transactions, newest first, with the times of their blocks.
 *
 * @param params - `dataProvider` is a wallet that sent them or got their fees, all when left out; `limit` is 1 to 100
 * transactions, 6 when left out.
 * @throws StreamNetError invalid_argument when the address is malformed or the limit out of range.
 *
 * @example
 * const [newest] = await getLastTransactions(client, { limit: 1 })
 */
export async function getLastTransactions(
  client: Client,
  params: { readonly dataProvider?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<readonly LastTransaction[]> {
  const provider = params.dataProvider ? parseAddress(params.dataProvider, 'data_provider') : null
  const [limit] = checkPage(params, 6, 100)
  const rows = readRows(await callAction(client, 'get_last_transactions', [provider, limit]), lastShape)
  const stamps = await readBlockStamps(
    client,
    rows.map(({ createdAt }) => createdAt),
  )
  return rows.map(({ createdAt: blockHeight, ...row }, index) => ({ ...row, blockHeight, stampMs: stamps[index] ?? 0 }))
}

/** The times of blocks in Unix milliseconds, one read for each height; 0 for a block that the node does not have. */
async function readBlockStamps(client: Client, heights: readonly number[]): Promise<readonly number[]> {
  const stamps = new Map<number, Promise<number>>()
  for (const height of heights) stamps.set(height, stamps.get(height) ?? readBlockStamp(client, height))
  return Promise.all(heights.map((height) => stamps.get(height) ?? 0))
}

async function readBlockStamp(client: Client, height: number): Promise<number> {
  try {
    const {
      header,
      stamp_ms = header?.stamp_ms,
      Timestamp = '',
    } = await client.request('chain.block_header', { height })
    return stamp_ms ?? (Date.parse(Timestamp) || 0)
  } catch {
    // The time is an addition: without it the rest of the answer stays.
    return 0
  }
}

/**
 * Lists fees of a wallet, newest first, one row a distribution.
 *
 * @param params - `wallet` is `0x` and 40 hex digits; `limit` is 1 to 1000 transactions, 20 when left out.
 * @throws StreamNetError invalid_argument when the wallet, the mode or the page is out of its form.
 *
 * @example
 * const fees = await listTransactionFees(client, { wallet: provider, mode: 'paid', limit: 20 })
 */
export async function listTransactionFees(client: Client, params: FeesParams): Promise<readonly TransactionFee[]> {
  const { wallet, mode = 'paid' } = params
  if (!wallet) throw invalidArgument('wallet is required and cannot be empty')
  if (mode !== 'paid' && mode !== 'received' && mode !== 'both') {
    throw invalidArgument('mode must be one of: paid, received, both')
  }
  const args = [parseAddress(wallet, 'wallet'), mode, ...checkPage(params, 20, 1000)]
  return readRows(await callAction(client, 'list_transaction_fees', args), feeShape)
}

/**
 * Lists fees of a wallet one by one, reading a page when the last is used up.
 *
 * @param params - as of `listTransactionFees`; `limit` is the transactions of a page.
 * @throws StreamNetError as `listTransactionFees` does.
 *
 * @example
 * for await (const { totalFee } of iterateTransactionFees(client, { wallet: provider })) console.log(totalFee)
 */
export function iterateTransactionFees(client: Client, params: FeesParams): AsyncIterable<TransactionFee> {
  // A transaction with many distributions has many rows.
  const sizeOf = (rows: readonly TransactionFee[]) => new Set(rows.map(({ txId }) => txId)).size
  return iterateList(listTransactionFees, client, { ...params, sizeOf }, 1000)
}

// `address:amount,address:amount`, or nothing.
function readDistributions(text: string): TransactionEvent['feeDistributions'] {
  return text
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [recipient = '', amount = ''] = entry.split(':')
      return { recipient, amount }
    })
}
