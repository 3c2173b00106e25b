/** Sums over positions, which `market-positions.ts` adjusts, so that no check of collateral has to walk a book. */

import { countPart } from '../keys.ts'
import type { MarketBridge } from '../markets/bridges.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey } from './market-keys.ts'

/** Sums over the positions of a market, or of all markets of a bridge that are not settled. */
export interface Totals {
  /** Shares of YES, held or for sale. */
  readonly trueShares: bigint
  /** Shares of NO, held or for sale. */
  readonly falseShares: bigint
  /** Price in cents times amount, over the open buys. */
  readonly openBuys: bigint
}

/** Reads the sums of one market. */
export function readMarketTotals(store: LedgerStore, market: number): Totals {
  return readTotals(store, totalKey(market))
}

/** Reads the sums of all markets of a bridge that are not settled. */
export function readBridgeTotals(store: LedgerStore, bridge: MarketBridge): Totals {
  return readTotals(store, bridgeKey(bridge))
}

/** Adds to the sums of a market and of its bridge. */
export function addTotals(store: LedgerStore, market: number, bridge: MarketBridge, added: Totals): void {
  for (const key of [totalKey(market), bridgeKey(bridge)]) {
    const before = readTotals(store, key)
    const trueShares = before.trueShares + added.trueShares
    const falseShares = before.falseShares + added.falseShares
    store.put(key, `${trueShares} ${falseShares} ${before.openBuys + added.openBuys}`)
  }
}

/** Reads the vault: the collateral that all markets of a bridge hold, in the smallest unit of its token. */
export function readVault(store: LedgerStore, bridge: MarketBridge): bigint {
  return BigInt(store.get(marketKey('vault', bridge)) ?? '0')
}

/** Writes the vault of a bridge. */
export function setVault(store: LedgerStore, bridge: MarketBridge, amount: bigint): void {
  store.put(marketKey('vault', bridge), String(amount))
}

function readTotals(store: LedgerStore, key: string): Totals {
  const [trueShares = '0', falseShares = '0', openBuys = '0'] = (store.get(key) ?? '0 0 0').split(' ')
  return { trueShares: BigInt(trueShares), falseShares: BigInt(falseShares), openBuys: BigInt(openBuys) }
}

function totalKey(market: number): string {
  return marketKey('total', countPart(market))
}

function bridgeKey(bridge: MarketBridge): string {
  return marketKey('total-of', bridge)
}
