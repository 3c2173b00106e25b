/** Balances of wallets in the tokens of the bridges. */

import { countPart, joinKey, keysUnder, lastPart, parseTextPart, textPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import type { Bridge } from '../profiles.ts'

const balances = 'balance'
const deposits = 'deposit'

/** Reads the balance of a wallet, in the token's smallest unit. */
export function readBalance(store: LedgerStore, bridge: Bridge, wallet: string): bigint {
  return BigInt(store.get(balanceKey(bridge, wallet)) ?? '0')
}

/** Sets what a wallet holds. */
export function setBalance(store: LedgerStore, bridge: Bridge, wallet: string, amount: bigint): void {
  store.put(balanceKey(bridge, wallet), String(amount))
}

/** Tokens that one wallet gives to another, in the smallest unit. */
interface BalanceMove {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** Moves tokens; the caller has made sure that there are enough. */
export function moveBalance(store: LedgerStore, bridge: Bridge, { from, to, amount }: BalanceMove): void {
  setBalance(store, bridge, from, readBalance(store, bridge, from) - amount)
  setBalance(store, bridge, to, readBalance(store, bridge, to) + amount)
}

/** Lists the balances of all wallets that ever had one, by their addresses. */
export function* listBalances(store: LedgerStore, bridge: Bridge): Generator<{ wallet: string; balance: bigint }> {
  for (const [key, balance] of store.list(keysUnder(balances, bridge))) {
    yield { wallet: parseTextPart(lastPart(key)), balance: BigInt(balance) }
  }
}

function balanceKey(bridge: Bridge, wallet: string): string {
  return joinKey(balances, bridge, textPart(wallet.toLowerCase()))
}

/** Tokens that came to a wallet from outside: on a development node, from its faucet. */
export interface Deposit {
  readonly amount: bigint
  readonly height: number
  /** UNIX seconds. */
  readonly blockTime: number
}

/** Adds a deposit to the balance of a wallet, and notes it. */
export function addDeposit(store: LedgerStore, bridge: Bridge, wallet: string, deposit: Deposit): void {
  setBalance(store, bridge, wallet, readBalance(store, bridge, wallet) + deposit.amount)
  const own = [deposits, bridge, wallet.toLowerCase()]
  const position = [...store.list(keysUnder(...own))].length
  store.put(joinKey(...own, countPart(position)), `${deposit.amount} ${deposit.height} ${deposit.blockTime}`)
}

/** The deposits of a wallet, newest first. */
export function* listDeposits(store: LedgerStore, bridge: Bridge, wallet: string): Generator<Deposit> {
  for (const [, value] of store.list({ ...keysUnder(deposits, bridge, wallet.toLowerCase()), isReverse: true })) {
    const [amount = '0', height, blockTime] = value.split(' ')
    yield { amount: BigInt(amount), height: Number(height), blockTime: Number(blockTime) }
  }
}
