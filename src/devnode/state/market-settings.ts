/** Settings by which the network settles and samples markets, in its two tables. */

import { readJson } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey } from './market-keys.ts'

/** The leader's times of settling due markets. */
export interface SettlementSettings {
  readonly isEnabled: boolean
  /** Five fields of cron, in UTC. */
  readonly schedule: string
  readonly maxMarkets: number
  readonly retries: number
  /** Height of the block that changed them; 0 before any. */
  readonly updatedAt: number
}

/** The blocks at which liquidity is sampled. */
export interface RewardSettings {
  readonly isEnabled: boolean
  readonly intervalBlocks: number
  readonly maxMarkets: number
}

/** The settings by their tables. */
interface MarketSettings {
  readonly settlement: SettlementSettings
  readonly rewards: RewardSettings
}

/** The network's own, until they are changed. */
const initial: MarketSettings = {
  settlement: { isEnabled: true, schedule: '*/5 * * * *', maxMarkets: 1000, retries: 3, updatedAt: 0 },
  rewards: { isEnabled: true, intervalBlocks: 50, maxMarkets: 1000 },
}

/** Reads the settings of settlement, or of sampling. */
export function readMarketSettings<T extends keyof MarketSettings>(store: LedgerStore, table: T): MarketSettings[T] {
  return readJson<MarketSettings[T]>(store, marketKey('settings', table)) ?? initial[table]
}

/** Changes the settings of settlement, or of sampling. */
export function putMarketSettings<T extends keyof MarketSettings>(
  store: LedgerStore,
  table: T,
  settings: MarketSettings[T],
): void {
  store.put(marketKey('settings', table), JSON.stringify(settings))
}
