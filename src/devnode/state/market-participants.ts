/** Wallets that have traded, by the small numbers that the network's tables and answers use for them. */

import { countPart, parseCountPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey, nextNumber } from './market-keys.ts'

/** Finds the number of a wallet: `0x` and 40 lower-case hex digits. */
export function findParticipant(store: LedgerStore, wallet: string): number | undefined {
  const text = store.get(marketKey('wallet', wallet))
  return text === undefined ? undefined : parseCountPart(text)
}

/** The number of a wallet; one without gets the next. */
export function ensureParticipant(store: LedgerStore, wallet: string): number {
  const known = findParticipant(store, wallet)
  if (known !== undefined) return known
  const id = nextNumber(store, 'participant')
  store.put(marketKey('wallet', wallet), countPart(id))
  store.put(marketKey('participant', countPart(id)), wallet)
  return id
}

/** The wallet of a number; empty for a number that was never given. */
export function readWallet(store: LedgerStore, participant: number): string {
  return store.get(marketKey('participant', countPart(participant))) ?? ''
}
