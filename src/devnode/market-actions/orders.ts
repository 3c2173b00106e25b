/** Actions that place, change and cancel orders, and that read their events. */

import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  change,
  columns,
  listing,
  optional,
} from '../actions/action.ts'
import { parseWallet, slicePage, takePage } from '../actions/checks.ts'
import { actionError } from '../errors.ts'
import { changeAsk, changeBid, orderChange } from '../markets/order-changes.ts'
import { cancel, orderPlace, orderTerms, placeBuy, placeSell, placeSplit, splitTerms } from '../markets/orders.ts'
import { chargeRows } from '../queries/reader.ts'
import { listEventsBelow, listOrderEvents, type OrderEvent, removeOrderEvent } from '../state/market-events.ts'
import { findParticipant, readWallet } from '../state/market-participants.ts'

const trimParameters = { preserve_blocks: 'INT8', delete_cap: 'INT' } as const

const orderEvents = columns<OrderEvent & { wallet(participant: number): string }>({
  id: ['INT8', (one) => one.id],
  query_id: ['INT', (one) => one.market],
  event_type: ['TEXT', (one) => one.type],
  outcome: ['BOOL', (one) => one.outcome],
  price: ['INT', (one) => one.price],
  amount: ['INT8', (one) => one.amount],
  wallet_address: ['TEXT', (one) => one.wallet(one.participant)],
  counterparty_address: ['TEXT', (one) => (one.counterparty === undefined ? null : one.wallet(one.counterparty))],
  block_height: ['INT8', (one) => one.height],
  block_timestamp: ['INT8', (one) => one.time],
})

/** The network's actions on orders. */
export const marketOrderActions: readonly Action[] = [
  change('place_buy_order', orderTerms, placeBuy),
  change('place_sell_order', orderTerms, placeSell),
  change('place_split_limit_order', splitTerms, placeSplit),
  change('cancel_order', orderPlace, cancel),
  change('change_bid', orderChange, changeBid),
  change('change_ask', orderChange, changeAsk),
  change('trim_order_events', trimParameters, trimEvents),
  listing(
    'get_order_events_by_wallet',
    {
      wallet_address: 'TEXT',
      query_id: optional('INT', null),
      limit: optional('INT', 100n),
      offset: optional('INT', 0n),
    },
    orderEvents,
    (context, { wallet_address, query_id, limit, offset }) => {
      const participant = findParticipant(context.store, parseWallet('wallet_address', wallet_address))
      if (participant === undefined) return []
      // A limit of null means all rows in the network's database.
      const most = limit === null ? undefined : limit <= 0n ? 100n : limit
      const isMeant = ({ market }: OrderEvent) => query_id === null || query_id === BigInt(market)
      const events = chargeRows(context.budget, listOrderEvents(context.store, participant))
      const wallet = (number: number) => readWallet(context.store, number)
      return takePage(events, { isMeant, limit: most, offset: offset ?? 0n }).map((event) => ({ ...event, wallet }))
    },
  ),
]

function trimEvents(context: ActionContext, args: ArgumentsOf<typeof trimParameters>): void {
  const { store, height } = context
  assertLeader(context)
  // A comparison with null is not true: nothing is older than null blocks, and a cap of null caps nothing.
  const cutoff = args.preserve_blocks === null ? undefined : BigInt(height) - args.preserve_blocks
  if (cutoff !== undefined && cutoff <= 0n) {
    context.notice('trim_order_events: cutoff<=0, nothing to trim')
    return
  }
  const old = [...chargeRows(context.budget, listEventsBelow(store, Number(cutoff ?? 0n)))]
  if (old.length === 0) {
    context.notice('trim_order_events: deleted=0 remaining=0 has_more=false')
    return
  }
  const cap = args.delete_cap ?? BigInt(old.length)
  const removed = slicePage(old, cap, 0n)
  for (const event of removed) removeOrderEvent(store, event)
  context.notice(
    `trim_order_events: deleted=${removed.length} remaining=${old.length - removed.length} has_more=${BigInt(old.length) > cap}`,
  )
}

function assertLeader({ caller, leader }: ActionContext): void {
  const signer = caller.toLowerCase()
  if (signer === leader) return
  throw actionError(
    `Only the current block leader can execute this operation: leader_sender: ${leader.slice(2)} signer: ${signer.slice(2)}`,
  )
}
