/**
 * Positions: what a wallet holds in a market, sells and bids for; each change also adjusts the book and the sums of the
 * market.
 *
 * The price of a position is 0 for what is held, 1 to 99 for a sell at so many cents, -99 to -1 for a buy.
 *
 * - `position/MARKET/WALLET/OUTCOME/PRICE`: amount, time and rank
 * - `held-by/WALLET/MARKET`: how many positions a wallet has in a market
 */

import { countPart, lastPart, parseCountPart } from '../keys.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'
import { replaceOrder } from './market-book.ts'
import { lastParts, marketKey, marketKeysUnder } from './market-keys.ts'
import {
  type BookMarket,
  maxPrice,
  outcomePart,
  type Position,
  type PositionPlace,
  type Stake,
} from './market-places.ts'
import { addTotals } from './market-totals.ts'

/** Finds what is in a place. */
export function findPosition(store: LedgerStore, place: PositionPlace): Position | undefined {
  const text = store.get(positionKey(place))
  return text === undefined ? undefined : { ...place, ...parseStake(text) }
}

/** Puts a stake in a place in the stead of what was there; undefined empties it. */
export function putPosition(store: LedgerStore, place: PositionPlace, next: Stake | undefined): void {
  const before = findPosition(store, place)
  const added = (next?.amount ?? 0n) - (before?.amount ?? 0n)
  if (next === undefined) store.delete(positionKey(place))
  else store.put(positionKey(place), `${next.amount} ${next.since} ${next.rank}`)
  if (place.price !== 0) replaceOrder(store, place, { before, next })
  if ((before === undefined) !== (next === undefined)) countHeld(store, place, next === undefined ? -1 : 1)
  addTotals(store, place.market.id, place.market.bridge, {
    trueShares: place.price >= 0 && place.outcome ? added : 0n,
    falseShares: place.price >= 0 && !place.outcome ? added : 0n,
    openBuys: place.price < 0 ? added * BigInt(-place.price) : 0n,
  })
}

/** The positions of a market by wallet, outcome (NO first) and price, upwards. */
export function* listMarketPositions(store: LedgerStore, market: BookMarket): Generator<Position> {
  yield* positionsIn(store, market, marketKeysUnder('position', countPart(market.id)))
}

/** The positions of a wallet in one market by outcome (NO first) and price, upwards. */
export function* listWalletPositions(store: LedgerStore, market: BookMarket, participant: number): Generator<Position> {
  const range = marketKeysUnder('position', countPart(market.id), countPart(participant))
  yield* positionsIn(store, market, range)
}

/** Ids of the markets in which a wallet has positions, upwards. */
export function* listHeldMarkets(store: LedgerStore, participant: number): Generator<number> {
  for (const [key] of store.list(marketKeysUnder('held-by', countPart(participant)))) {
    yield parseCountPart(lastPart(key))
  }
}

function* positionsIn(store: LedgerStore, market: BookMarket, range: KeyRange): Generator<Position> {
  for (const [key, value] of store.list(range)) {
    const [participant = '', outcome, price] = lastParts(key, 3)
    yield {
      market,
      participant: parseCountPart(participant),
      outcome: outcome === '1',
      price: Number(price) - maxPrice,
      ...parseStake(value),
    }
  }
}

function countHeld(store: LedgerStore, { market, participant }: PositionPlace, added: number): void {
  const key = marketKey('held-by', countPart(participant), countPart(market.id))
  const count = parseCountPart(store.get(key) ?? '0') + added
  if (count === 0) store.delete(key)
  else store.put(key, countPart(count))
}

function positionKey({ market, participant, outcome, price }: PositionPlace): string {
  const part = String(price + maxPrice).padStart(3, '0')
  return marketKey('position', countPart(market.id), countPart(participant), outcomePart(outcome), part)
}

function parseStake(text: string): Stake {
  const [amount = '0', since, rank] = text.split(' ')
  return { amount: BigInt(amount), since: Number(since), rank: Number(rank) }
}
