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

const settlement: SettlementSettings = {
  isEnabled: true,
  schedule: '*/5 * * * *',
  maxMarkets: 1000,
  retries: 3,
  updatedAt: 0,
}

const rewards: RewardSettings = { isEnabled: true, intervalBlocks: 50, maxMarkets: 1000 }

/** The settings of settlement; the network's own until they are changed. */
export function readSettlementSettings(store: LedgerStore): SettlementSettings {
  return readJson(store, marketKey('settings', 'settlement')) ?? settlement
}

/** Changes the settings of settlement. */
export function putSettlementSettings(store: LedgerStore, settings: SettlementSettings): void {
  store.put(marketKey('settings', 'settlement'), JSON.stringify(settings))
}

/** The settings of sampling; the network's own until they are changed. */
export function readRewardSettings(store: LedgerStore): RewardSettings {
  return readJson(store, marketKey('settings', 'rewards')) ?? rewards
}

/** Changes the settings of sampling. */
export function putRewardSettings(store: LedgerStore, settings: RewardSettings): void {
  store.put(marketKey('settings', 'rewards'), JSON.stringify(settings))
}
