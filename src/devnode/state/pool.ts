/** The pool: transactions that wait for a block, the oldest first. */

import { countPart, joinKey, readCounter } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

const pool = 'pool'
const poolNext = 'pool-next'
const poolDrained = 'pool-drained'
const pooledCount = 'pool-count'

/** Puts a transaction, whose body is stored, at the end of those that wait; `sender` has 40 hex digits. */
export function addToPool(store: LedgerStore, hash: string, sender: string): void {
  const position = readCounter(store, poolNext)
  store.put(poolNext, String(position + 1))
  store.put(joinKey(pool, countPart(position)), `${hash} ${sender}`)
  store.put(joinKey(pooledCount, sender), String(countPooled(store, sender) + 1))
}

/** Counts the waiting transactions of a sender (40 hex digits). */
export function countPooled(store: LedgerStore, sender: string): number {
  return readCounter(store, joinKey(pooledCount, sender))
}

/** Counts the waiting transactions. */
export function poolSize(store: LedgerStore): number {
  return readCounter(store, poolNext) - readCounter(store, poolDrained)
}

/** Takes the oldest transaction out of the pool and returns its hash; undefined when nothing waits. */
export function takeFromPool(store: LedgerStore): string | undefined {
  const position = readCounter(store, poolDrained)
  const key = joinKey(pool, countPart(position))
  const [hash, sender = ''] = store.get(key)?.split(' ') ?? []
  if (hash === undefined) return undefined
  store.delete(key)
  store.put(poolDrained, String(position + 1))
  const left = countPooled(store, sender) - 1
  if (left > 0) store.put(joinKey(pooledCount, sender), String(left))
  else store.delete(joinKey(pooledCount, sender))
  return hash
}
