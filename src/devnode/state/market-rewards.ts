/** Samples of liquidity: how often a market was sampled, and what share of it each wallet had. */

import { countPart, lastPart, parseCountPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey, marketKeysUnder } from './market-keys.ts'

/** The number of samples of a market. */
export interface Samples {
  readonly count: number
  /** Height of the last block that was sampled; 0 before the first. */
  readonly lastBlock: number
}

/** The share of a wallet in the samples of a market. */
export interface Reward {
  readonly participant: number
  /** The sum over the samples, in hundredths of a percent. */
  readonly hundredths: bigint
}

/** The number of samples of a market. */
export function readSamples(store: LedgerStore, market: number): Samples {
  const [count, lastBlock] = (store.get(samplesKey(market)) ?? '0 0').split(' ').map(Number)
  return { count: count ?? 0, lastBlock: lastBlock ?? 0 }
}

/** Adds a sample of a block that has not been sampled. */
export function addSample(store: LedgerStore, market: number, block: number, rewards: readonly Reward[]): void {
  store.put(samplesKey(market), `${readSamples(store, market).count + 1} ${block}`)
  for (const { participant, hundredths } of rewards) {
    const key = rewardKey(market, participant)
    store.put(key, String(BigInt(store.get(key) ?? '0') + hundredths))
  }
}

/** The shares of the wallets in the samples of a market, by their numbers. */
export function listRewards(store: LedgerStore, market: number): readonly Reward[] {
  return Array.from(store.list(marketKeysUnder('reward', countPart(market))), ([key, value]) => ({
    participant: parseCountPart(lastPart(key)),
    hundredths: BigInt(value),
  }))
}

/** Forgets the samples of a market. */
export function clearRewards(store: LedgerStore, market: number): void {
  for (const { participant } of listRewards(store, market)) store.delete(rewardKey(market, participant))
  store.delete(samplesKey(market))
}

function samplesKey(market: number): string {
  return marketKey('samples', countPart(market))
}

function rewardKey(market: number, participant: number): string {
  return marketKey('reward', countPart(market), countPart(participant))
}
