/** Movements of a bridge's tokens: deposits, transfers and withdrawals, under every wallet that they touch. */

import { stringifyWide } from '../../base/json.ts'
import { countPart, joinKey, keysUnder, type WithText } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import type { Bridge } from '../profiles.ts'

/** One movement. Of a withdrawal the state follows from its epoch. */
export interface Movement {
  readonly type: 'deposit' | 'transfer' | 'withdrawal'
  readonly amount: bigint
  /** `0x` and 40 lower-case hex digits; on the other chain for a deposit. */
  readonly from: string
  /** On the other chain for a withdrawal. */
  readonly to: string
  /** The transaction here: 64 hex digits; null for a deposit. */
  readonly txId: string | null
  readonly height: number
  /** UNIX seconds. */
  readonly blockTime: number
  /** The transaction there, 64 hex digits, and its block, of a deposit. */
  readonly external: { readonly txId: string; readonly height: number } | null
  /** The height that a withdrawal's epoch began at; null for the others. */
  readonly epoch: number | null
}

const movements = 'movement'
const deposits = 'deposit-external'

/** Notes a movement, without moving a balance; of equal ones in a transaction only the first, as on the network. */
export function addMovement(store: LedgerStore, bridge: Bridge, movement: Movement): void {
  const { type, from, to, height, txId, external } = movement
  const name = joinKey(countPart(height), `${txId ?? external?.txId}.${type}.${from}.${to}`)
  const key = (wallet: string) => joinKey(movements, bridge, wallet, name)
  if (store.get(key(to)) !== undefined) return
  const text = stringifyWide(movement)
  store.put(key(to), text)
  if (from !== to) store.put(key(from), text)
}

/** Notes that a transaction of the other chain (64 hex digits) pays in for a wallet; false when it has already. */
export function noteDeposit(store: LedgerStore, bridge: Bridge, txId: string, wallet: string): boolean {
  const key = joinKey(deposits, bridge, txId, wallet)
  const isNew = store.get(key) === undefined
  if (isNew) store.put(key, '')
  return isNew
}

/** The movements that touch a wallet, those of the highest block first. */
export function* listMovements(store: LedgerStore, bridge: Bridge, wallet: string): Generator<Movement> {
  for (const [, text] of store.list({ ...keysUnder(movements, bridge, wallet), isReverse: true })) {
    // Only addMovement writes under these keys.
    const movement = JSON.parse(text) as WithText<Movement, 'amount'>
    yield { ...movement, amount: BigInt(movement.amount) }
  }
}
