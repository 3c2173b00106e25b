/**
 * Positions: what a wallet holds in a market, sells and bids for; each change also adjusts the sums of the market.
 *
 * A position is known by market, wallet, outcome and price: 0 is what is held, 1 to 99 a sell at so many cents,
 * -99 to -1 a buy. Four kinds of entries keep it, so that every read is a short range:
 *
 * - `position/MARKET/WALLET/OUTCOME/PRICE`: amount, time and arrival
 * - `book/MARKET/OUTCOME/SIDE/DISTANCE/TIME/ARRIVAL/WALLET`: amount; the first of a side is the best order
 * - `level/MARKET/OUTCOME/SIDE/DISTANCE`: the sum of a price
 * - `held-by/WALLET/MARKET`: how many positions a wallet has in a market
 */

import { countPart, lastPart, parseCountPart } from '../keys.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'
import { lastParts, marketKey, marketKeysUnder } from './market-keys.ts'
import { addTotals } from './market-totals.ts'
import type { Market } from './markets.ts'

type BookMarket = Pick<Market, 'id' | 'bridge'>

/** The place of a position: at most one is in one place. */
export interface PositionPlace {
  readonly market: BookMarket
  /** The number of the wallet. */
  readonly participant: number
  /** True for YES. */
  readonly outcome: boolean
  /** Cents: 0 held, positive for a sell, negative for a buy. */
  readonly price: number
}

/** The amount of a position, and its time. */
export interface Stake {
  readonly amount: bigint
  /** UNIX seconds of the block; orders of a price are matched in this order. */
  readonly since: number
  /** Decides between orders of the same time. */
  readonly arrival: number
}

/** A position. */
export interface Position extends PositionPlace, Stake {}

/** Orders of one outcome that buy, or that sell. */
export type Side = 'bid' | 'ask'

/** The sum of the orders of a price. */
export interface Level {
  readonly price: number
  readonly volume: bigint
}

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
  else store.put(positionKey(place), `${next.amount} ${next.since} ${next.arrival}`)
  if (place.price !== 0) putOrder(store, place, { before, next, added })
  if ((before === undefined) !== (next === undefined)) countHeld(store, place, next === undefined ? -1 : 1)
  addTotals(store, place.market.id, place.market.bridge, {
    trueShares: place.price >= 0 && place.outcome ? added : 0n,
    falseShares: place.price >= 0 && !place.outcome ? added : 0n,
    openBuys: place.price < 0 ? added * BigInt(-place.price) : 0n,
  })
}

/** The best order of a side: the lowest sell or the highest buy, the oldest of its price. */
export function bestOrder(store: LedgerStore, market: BookMarket, outcome: boolean, side: Side): Position | undefined {
  const [best] = listOrders(store, market, outcome, side)
  return best
}

/** The oldest order of a price. */
export function oldestOrder(store: LedgerStore, place: Omit<PositionPlace, 'participant'>): Position | undefined {
  const [oldest] = listOrdersAt(store, place)
  return oldest
}

/** The orders of a side, the best first. */
export function* listOrders(store: LedgerStore, market: BookMarket, outcome: boolean, side: Side): Generator<Position> {
  for (const entry of store.list(marketKeysUnder(...sideParts(market.id, outcome, side)))) {
    yield parseOrder(market, outcome, entry)
  }
}

/** The orders of a price, the oldest first. */
export function* listOrdersAt(
  store: LedgerStore,
  { market, outcome, price }: Omit<PositionPlace, 'participant'>,
): Generator<Position> {
  for (const entry of store.list(marketKeysUnder(...levelParts(market.id, outcome, price)))) {
    yield parseOrder(market, outcome, entry)
  }
}

/** The prices of a side with their sums, the best first. */
export function* listLevels(store: LedgerStore, market: number, outcome: boolean, side: Side): Generator<Level> {
  const [, ...parts] = sideParts(market, outcome, side)
  for (const [key, value] of store.list(marketKeysUnder('level', ...parts))) {
    yield { price: decodePrice(side, lastPart(key)), volume: BigInt(value) }
  }
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

/** A stake in the stead of another, and by how much its amount is larger. */
interface StakeChange {
  readonly before: Stake | undefined
  readonly next: Stake | undefined
  readonly added: bigint
}

function putOrder(store: LedgerStore, place: PositionPlace, { before, next, added }: StakeChange): void {
  if (before !== undefined) store.delete(orderKey(place, before))
  if (next !== undefined) store.put(orderKey(place, next), String(next.amount))
  const [, ...parts] = levelParts(place.market.id, place.outcome, place.price)
  const key = marketKey('level', ...parts)
  const volume = BigInt(store.get(key) ?? '0') + added
  if (volume === 0n) store.delete(key)
  else store.put(key, String(volume))
}

function countHeld(store: LedgerStore, { market, participant }: PositionPlace, added: number): void {
  const key = marketKey('held-by', countPart(participant), countPart(market.id))
  const count = parseCountPart(store.get(key) ?? '0') + added
  if (count === 0) store.delete(key)
  else store.put(key, countPart(count))
}

const maxPrice = 99

function positionKey({ market, participant, outcome, price }: PositionPlace): string {
  const part = String(price + maxPrice).padStart(3, '0')
  return marketKey('position', countPart(market.id), countPart(participant), outcomePart(outcome), part)
}

function orderKey(place: PositionPlace, { since, arrival }: Stake): string {
  return marketKey(
    ...levelParts(place.market.id, place.outcome, place.price),
    countPart(since),
    countPart(arrival),
    countPart(place.participant),
  )
}

function sideParts(market: number, outcome: boolean, side: Side): readonly string[] {
  return ['book', countPart(market), outcomePart(outcome), side]
}

/** The better a price, the smaller its distance: sells from 1 cent upwards, buys from 99 cents downwards. */
function levelParts(market: number, outcome: boolean, price: number): readonly string[] {
  const distance = price > 0 ? price : maxPrice + 1 + price
  const side = price > 0 ? 'ask' : 'bid'
  return [...sideParts(market, outcome, side), String(distance).padStart(2, '0')]
}

function decodePrice(side: string, distance: string): number {
  return side === 'ask' ? Number(distance) : Number(distance) - maxPrice - 1
}

function parseOrder(market: BookMarket, outcome: boolean, [key, value]: readonly [string, string]): Position {
  const [side = '', distance = '', since = '', arrival = '', participant = ''] = lastParts(key, 5)
  return {
    market,
    participant: parseCountPart(participant),
    outcome,
    price: decodePrice(side, distance),
    amount: BigInt(value),
    since: parseCountPart(since),
    arrival: parseCountPart(arrival),
  }
}

function parseStake(text: string): Stake {
  const [amount = '0', since, arrival] = text.split(' ')
  return { amount: BigInt(amount), since: Number(since), arrival: Number(arrival) }
}

function outcomePart(outcome: boolean): string {
  return outcome ? '1' : '0'
}
