/** Events of orders: placed, filled, changed, cancelled and settled, in the order they happened. */

import { stringifyWide } from '../../base/json.ts'
import { countPart, lastPart, parseCountPart, type WithText } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey, marketKeysUnder, nextNumber } from './market-keys.ts'

/** Types of events, by the network's names. */
export type OrderEventType =
  | 'buy_placed'
  | 'sell_placed'
  | 'split_placed'
  | 'cancelled'
  | 'bid_changed'
  | 'ask_changed'
  | 'direct_buy_fill'
  | 'direct_sell_fill'
  | 'mint_fill'
  | 'burn_fill'
  | 'settled'

/** An event of an order. */
export interface OrderEvent {
  readonly id: number
  readonly market: number
  readonly participant: number
  readonly type: OrderEventType
  readonly outcome: boolean
  /** Cents, never negative. */
  readonly price: number
  readonly amount: bigint
  /** The wallet on the other side of a fill. */
  readonly counterparty?: number
  readonly height: number
  /** UNIX seconds. */
  readonly time: number
}

/** Writes an event under the next id. */
export function addOrderEvent(store: LedgerStore, event: Omit<OrderEvent, 'id'>): void {
  const id = countPart(nextNumber(store, 'event'))
  store.put(marketKey('event', id), stringifyWide(event))
  store.put(marketKey('event-of', countPart(event.participant), id), '')
}

/** The events of a wallet, the oldest first. */
export function* listOrderEvents(store: LedgerStore, participant: number): Generator<OrderEvent> {
  for (const [key] of store.list(marketKeysUnder('event-of', countPart(participant)))) {
    const text = store.get(marketKey('event', lastPart(key)))
    if (text !== undefined) yield parseEvent(key, text)
  }
}

/** Events of the blocks below a height, the oldest first. */
export function* listEventsBelow(store: LedgerStore, height: number): Generator<OrderEvent> {
  for (const [key, value] of store.list(marketKeysUnder('event'))) {
    const event = parseEvent(key, value)
    // Ids and heights rise together.
    if (event.height >= height) return
    yield event
  }
}

/** Removes an event. */
export function removeOrderEvent(store: LedgerStore, { id, participant }: OrderEvent): void {
  store.delete(marketKey('event', countPart(id)))
  store.delete(marketKey('event-of', countPart(participant), countPart(id)))
}

/** Both keys of an event end in its id. */
function parseEvent(key: string, text: string): OrderEvent {
  // Only addOrderEvent writes under these keys.
  const event = JSON.parse(text) as WithText<OrderEvent, 'amount'>
  return { ...event, id: parseCountPart(lastPart(key)), amount: BigInt(event.amount) }
}
