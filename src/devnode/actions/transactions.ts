/** Actions that read the ledger of transactions and fees, and who is asking. */

import { actionError } from '../errors.ts'
import { chargeRows } from '../queries/reader.ts'
import { findTransactionEvent, listTransactionEvents, type TransactionEvent } from '../state/transaction-events.ts'
import { type Action, type ActionContext, columns, listing, optional, row, table, view } from './action.ts'
import { assertAddress, isAddress, takePage, usualPage } from './checks.ts'

const txId = ['TEXT', (one: TransactionEvent) => one.txId] as const
const height = ['INT8', (one: TransactionEvent) => one.height] as const
const fee = ['NUMERIC(78,0)', (one: TransactionEvent) => one.fee] as const
const call = {
  method: ['TEXT', (one: TransactionEvent) => one.method],
  caller: ['TEXT', (one: TransactionEvent) => one.caller],
} as const
const rest = {
  fee_recipient: ['TEXT', (one: TransactionEvent) => one.recipient],
  metadata: ['TEXT', (one: TransactionEvent) => one.metadata],
} as const
/** The one distribution of a fee, or none. */
const distribution = {
  distribution_sequence: ['INT', (one: TransactionEvent) => (isDistributed(one) ? 1 : 0)],
  distribution_recipient: ['TEXT', (one: TransactionEvent) => (isDistributed(one) ? one.recipient : null)],
  distribution_amount: ['NUMERIC(78,0)', (one: TransactionEvent) => (isDistributed(one) ? one.fee : null)],
} as const
const recorded = columns<TransactionEvent>({
  tx_id: txId,
  block_height: height,
  ...call,
  fee_amount: fee,
  ...rest,
  fee_distributions: ['TEXT', (one) => (isDistributed(one) ? `${one.recipient}:${one.fee}` : '')],
})
const paidFees = columns<TransactionEvent>({
  tx_id: txId,
  block_height: height,
  ...call,
  total_fee: fee,
  ...rest,
  ...distribution,
})
const newest = columns<TransactionEvent>({
  tx_id: txId,
  created_at: height,
  ...call,
  fee_amount: fee,
  ...rest,
  ...distribution,
})

/** The network's actions that read the ledger. */
export const transactionActions: readonly Action[] = [
  view('get_transaction_event', { tx_id: 'TEXT' }, row(recorded.types), ({ store }, { tx_id }) => {
    if (tx_id === null) throw actionError('tx_id is required')
    const lower = tx_id.toLowerCase()
    const event = findTransactionEvent(store, lower.startsWith('0x') ? lower : `0x${lower}`)
    return event === undefined ? [] : [recorded.cells(event)]
  }),
  listing(
    'list_transaction_fees',
    { wallet: 'TEXT', mode: optional('TEXT', 'paid'), limit: optional('INT', 20n), offset: optional('INT', 0n) },
    paidFees,
    (context, args) => {
      // A comparison with null is not true, and no transaction has null for its wallet.
      if (args.wallet === null) return []
      if (args.wallet.trim() === '') throw actionError('wallet is required')
      const wallet = args.wallet.toLowerCase()
      if (!isAddress(wallet)) throw actionError(`wallet must be a valid Ethereum address: ${args.wallet}`)
      const isMeant = feeModes.get((args.mode ?? 'paid').toLowerCase())
      if (isMeant === undefined) throw actionError('mode must be one of paid, received, or both')
      const [limit, offset] = usualPage(args, 20n)
      if (limit > 1000n) throw actionError('limit cannot exceed 1000')
      const page = { isMeant: (event: TransactionEvent) => isMeant(event, wallet), limit, offset }
      return takePage(listEvents(context), page)
    },
  ),
  listing('get_last_transactions', { data_provider: 'TEXT', limit_size: 'INT8' }, newest, (context, args) => {
    const wallet = (args.data_provider ?? '').toLowerCase()
    if (wallet !== '') assertAddress('wallet', wallet, args.data_provider)
    const limit = args.limit_size === null || args.limit_size <= 0n ? 6n : args.limit_size
    if (limit > 100n) throw actionError('Limit size cannot exceed 100')
    const isMeant = ({ caller, recipient }: TransactionEvent) => [caller, recipient, ''].includes(wallet)
    return takePage(listEvents(context), { isMeant, limit })
  }),
  view('whoami', {}, table({ caller: 'TEXT' }), ({ caller }) => [[caller]]),
]

const feeModes: ReadonlyMap<string, (event: TransactionEvent, wallet: string) => boolean> = new Map([
  ['paid', ({ caller }, wallet) => caller === wallet],
  ['received', ({ recipient }, wallet) => recipient === wallet],
  ['both', ({ caller, recipient }, wallet) => caller === wallet || recipient === wallet],
])

function listEvents({ store, budget }: ActionContext): Iterable<TransactionEvent> {
  return chargeRows(budget, listTransactionEvents(store))
}

function isDistributed({ fee, recipient }: TransactionEvent): boolean {
  return recipient !== null && fee > 0n
}
