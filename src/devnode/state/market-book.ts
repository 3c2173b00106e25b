/**
 * The book: the positions that are orders, by price, so that every read of it is a short range.
 *
 * - `book/MARKET/OUTCOME/SIDE/DISTANCE/TIME/RANK/WALLET`: amount; the first of a side is the best order
 * - `level/MARKET/OUTCOME/SIDE/DISTANCE`: the sum of a price
 */

import { countPart, lastPart, parseCountPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { lastParts, marketKey, marketKeysUnder } from './market-keys.ts'
import { maxPrice, outcomePart, type Position, type PositionPlace, type Stake } from './market-places.ts'

/** A price of an outcome, in cents: positive for sells, negative for buys. */
type BookPlace = Omit<PositionPlace, 'participant'>

/** The orders of an outcome that buy, or that sell. */
interface BookSide extends Pick<PositionPlace, 'market' | 'outcome'> {
  readonly side: 'bid' | 'ask'
}

/** The sum of the orders of a price. */
export interface Level {
  readonly price: number
  readonly volume: bigint
}

/** The best order of a side: the lowest sell or the highest buy, the oldest of its price. */
export function bestOrder(store: LedgerStore, side: BookSide): Position | undefined {
  const [best] = listOrders(store, side)
  return best
}

/** The oldest order of a price. */
export function oldestOrder(store: LedgerStore, place: BookPlace): Position | undefined {
  const [oldest] = listOrdersAt(store, place)
  return oldest
}

/** The orders of a side, the best first. */
export function* listOrders(store: LedgerStore, side: BookSide): Generator<Position> {
  for (const entry of store.list(marketKeysUnder('book', ...sideParts(side)))) yield parseOrder(side, entry)
}

/** The orders of a price, the oldest first. */
export function* listOrdersAt(store: LedgerStore, place: BookPlace): Generator<Position> {
  for (const entry of store.list(marketKeysUnder('book', ...levelParts(place)))) yield parseOrder(place, entry)
}

/** The prices of a side with their sums, the best first. */
export function* listLevels(store: LedgerStore, side: BookSide): Generator<Level> {
  for (const [key, value] of store.list(marketKeysUnder('level', ...sideParts(side)))) {
    yield { price: decodePrice(side.side, lastPart(key)), volume: BigInt(value) }
  }
}

/** Replaces the order in a place, and adjusts the sum of its price; undefined means an empty place. */
export function replaceOrder(
  store: LedgerStore,
  place: PositionPlace,
  { before, next }: Readonly<Record<'before' | 'next', Stake | undefined>>,
): void {
  if (before !== undefined) store.delete(orderKey(place, before))
  if (next !== undefined) store.put(orderKey(place, next), String(next.amount))
  const key = marketKey('level', ...levelParts(place))
  const volume = BigInt(store.get(key) ?? '0') + (next?.amount ?? 0n) - (before?.amount ?? 0n)
  if (volume === 0n) store.delete(key)
  else store.put(key, String(volume))
}

function orderKey(place: PositionPlace, { since, rank }: Stake): string {
  return marketKey('book', ...levelParts(place), countPart(since), countPart(rank), countPart(place.participant))
}

function sideParts({ market, outcome, side }: BookSide): readonly string[] {
  return [countPart(market.id), outcomePart(outcome), side]
}

/** The better a price, the smaller its distance: sells from 1 cent upwards, buys from 99 cents downwards. */
function levelParts({ market, outcome, price }: BookPlace): readonly string[] {
  const distance = price > 0 ? price : maxPrice + 1 + price
  const side = price > 0 ? 'ask' : 'bid'
  return [...sideParts({ market, outcome, side }), String(distance).padStart(2, '0')]
}

function decodePrice(side: string, distance: string): number {
  return side === 'ask' ? Number(distance) : Number(distance) - maxPrice - 1
}

function parseOrder(
  { market, outcome }: Pick<PositionPlace, 'market' | 'outcome'>,
  [key, value]: readonly [string, string],
): Position {
  const [side = '', distance = '', since = '', rank = '', participant = ''] = lastParts(key, 5)
  return {
    market,
    participant: parseCountPart(participant),
    outcome,
    price: decodePrice(side, distance),
    amount: BigInt(value),
    since: parseCountPart(since),
    rank: parseCountPart(rank),
  }
}
