/** Accounts of the chain: how many transactions each has made, and what it holds of the chain's own token. */

import { joinKey, keysUnder } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** An account; one that has done nothing and holds nothing is not stored. */
interface Account {
  /** The nonce of the last transaction; 0 before the first. */
  readonly nonce: number
  /** In the smallest unit of the chain's own token. */
  readonly balance: bigint
}

const accounts = 'account'

/** Reads an account by its address in lower case. */
export function findAccount(store: LedgerStore, address: string): Account {
  const [nonce = '0', balance = '0'] = (store.get(joinKey(accounts, address)) ?? '').split(' ')
  return { nonce: Number(nonce), balance: BigInt(balance) }
}

/** Writes an account. */
export function putAccount(store: LedgerStore, address: string, { nonce, balance }: Account): void {
  store.put(joinKey(accounts, address), `${nonce} ${balance}`)
}

/** Counts the accounts. */
export function countAccounts(store: LedgerStore): number {
  let count = 0
  for (const _ of store.list(keysUnder(accounts))) count += 1
  return count
}
