/** Agent wallets: which rule each has joined, and for which owner. */

import { countPart, joinKey, keysUnder, listIndexed, readJson } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** An agent wallet; ids and addresses are lower-case hex with `0x`. */
export interface AgentWallet {
  readonly address: string
  readonly ruleId: string
  readonly owner: string
  /** Height of the block. */
  readonly createdAt: number
}

const wallets = 'agent-wallet'
const byOwner = 'agent-wallet-owner'
const byRule = 'agent-wallet-rule'

/** Adds a wallet; the caller has made sure that there is none of its address. */
export function addWallet(store: LedgerStore, { address, ...wallet }: AgentWallet): void {
  store.put(joinKey(wallets, address), JSON.stringify(wallet))
  const place = [countPart(wallet.createdAt), address]
  store.put(joinKey(byOwner, wallet.owner, ...place), '')
  store.put(joinKey(byRule, wallet.ruleId, ...place), '')
}

/** Finds a wallet by its address. */
export function findWallet(store: LedgerStore, address: string): AgentWallet | undefined {
  const stored = readJson<Omit<AgentWallet, 'address'>>(store, joinKey(wallets, address))
  return stored && { ...stored, address }
}

/** The wallets of an owner, by height and address. */
export function listWalletsOfOwner(store: LedgerStore, owner: string): Generator<AgentWallet> {
  return listIndexed(store, keysUnder(byOwner, owner), (address) => findWallet(store, address))
}

/** The wallets that have joined a rule, by height and address. */
export function listWalletsOfRule(store: LedgerStore, ruleId: string): Generator<AgentWallet> {
  return listIndexed(store, keysUnder(byRule, ruleId), (address) => findWallet(store, address))
}
