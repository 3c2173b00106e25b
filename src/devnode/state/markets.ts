/** Markets: what each asks, when it may be settled, and how it was. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { countPart, int8Part, listIndexed, parseCountPart, parseInt8Part, readJson } from '../keys.ts'
import type { MarketBridge } from '../markets/bridges.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'
import { lastParts, marketKey, marketKeysUnder, nextNumber } from './market-keys.ts'

/** A market. */
export interface Market {
  readonly id: number
  /** 64 lower-case hex digits. */
  readonly hash: string
  /** As they were given. */
  readonly components: Uint8Array
  readonly bridge: MarketBridge
  /** UNIX seconds from which on trading has ended and every wallet may settle. */
  readonly settleTime: bigint
  /** 1 to 50; kept and shown, used for nothing. */
  readonly maxSpread: bigint
  /** Kept and shown, used for nothing. */
  readonly minOrderSize: bigint
  /** Height of the block. */
  readonly createdAt: number
  /** `0x` and 40 lower-case hex digits. */
  readonly creator: string
  readonly settlement: Settlement | undefined
}

/** The settlement of a market. */
export interface Settlement {
  readonly winningOutcome: boolean
  /** UNIX seconds. */
  readonly at: number
}

/** The members of an entry, its key apart; bytes in base64. */
interface StoredMarket extends Omit<Market, 'id' | 'components' | 'settleTime' | 'maxSpread' | 'minOrderSize'> {
  readonly components: string
  readonly settleTime: string
  readonly maxSpread: number
  readonly minOrderSize: string
}

/** Adds a market that is not settled, under the next id. */
export function addMarket(store: LedgerStore, fields: Omit<Market, 'id' | 'settlement'>): Market {
  const market = { ...fields, id: nextNumber(store, 'market'), settlement: undefined }
  putMarket(store, market)
  store.put(marketKey('hash', market.hash), countPart(market.id))
  store.put(activeKey(market.id), '')
  store.put(dueKey(market), '')
  return market
}

/** Notes how a market was settled; it is then neither active nor due. */
export function putSettlement(store: LedgerStore, market: Market, settlement: Settlement): void {
  putMarket(store, { ...market, settlement })
  store.delete(activeKey(market.id))
  store.delete(dueKey(market))
}

/** Finds a market by its id. */
export function findMarket(store: LedgerStore, id: number | undefined): Market | undefined {
  if (id === undefined) return undefined
  const stored = readJson<StoredMarket>(store, marketKey('info', countPart(id)))
  return (
    stored && {
      ...stored,
      id,
      components: decodeBase64(stored.components),
      settleTime: BigInt(stored.settleTime),
      maxSpread: BigInt(stored.maxSpread),
      minOrderSize: BigInt(stored.minOrderSize),
      settlement: stored.settlement,
    }
  )
}

/** Finds a market by its hash, 64 lower-case hex digits. */
export function findMarketByHash(store: LedgerStore, hash: string): Market | undefined {
  const id = store.get(marketKey('hash', hash))
  return id === undefined ? undefined : findMarket(store, parseCountPart(id))
}

/** All markets, the newest first. */
export function listMarkets(store: LedgerStore): Generator<Market> {
  return listNamed(store, { ...marketKeysUnder('info'), isReverse: true })
}

/** The markets that are not settled, by their ids. */
export function listActiveMarkets(store: LedgerStore): Generator<Market> {
  return listNamed(store, marketKeysUnder('active'))
}

/** The markets that are not settled and may be at a time (UNIX seconds), the longest due first. */
export function listDueMarkets(store: LedgerStore, time: number): Generator<Market> {
  const end = marketKey('due', int8Part(BigInt(time) + 1n))
  return listNamed(store, { ...marketKeysUnder('due'), end })
}

/** The earliest settlement time of the markets that are not settled, in UNIX seconds; undefined without one. */
export function firstDueTime(store: LedgerStore): bigint | undefined {
  for (const [key] of store.list(marketKeysUnder('due'))) return parseInt8Part(lastParts(key, 2)[0] ?? '')
  return undefined
}

function putMarket(store: LedgerStore, { id, ...market }: Market): void {
  const stored: StoredMarket = {
    ...market,
    components: encodeBase64(market.components),
    settleTime: String(market.settleTime),
    maxSpread: Number(market.maxSpread),
    minOrderSize: String(market.minOrderSize),
  }
  store.put(marketKey('info', countPart(id)), JSON.stringify(stored))
}

function activeKey(id: number): string {
  return marketKey('active', countPart(id))
}

function dueKey({ id, settleTime }: Market): string {
  return marketKey('due', int8Part(settleTime), countPart(id))
}

function listNamed(store: LedgerStore, range: KeyRange): Generator<Market> {
  return listIndexed(store, range, (id) => findMarket(store, parseCountPart(id)))
}
