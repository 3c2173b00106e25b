/**
 * Keys of the markets in the ledger.
 *
 * All begin with `market/1/`. The number is the version of the stored forms: a changed form gets the next number, so
 * that stored entries are always read in the form they were written in.
 */

import { countPart, joinKey, keysUnder, parseCountPart } from '../keys.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

const root = ['market', '1'] as const

/** The key made of these parts. */
export function marketKey(...parts: readonly string[]): string {
  return joinKey(...root, ...parts)
}

/** The range of all keys that begin with these parts and have more. */
export function marketKeysUnder(...parts: readonly string[]): KeyRange {
  return keysUnder(...root, ...parts)
}

/** The last `count` parts of a key, in its order. */
export function lastParts(key: string, count: number): readonly string[] {
  return key.split('/').slice(-count)
}

/** The tables of the network whose rows have numbers. */
export type CounterName = 'market' | 'participant' | 'event' | 'distribution'

/** The next number of a table, from 1 on. */
export function nextNumber(store: LedgerStore, counter: CounterName): number {
  const key = marketKey('count', counter)
  const next = parseCountPart(store.get(key) ?? '0') + 1
  store.put(key, countPart(next))
  return next
}

/** An argument as an id; undefined when it is null, not positive, or beyond 2^53. */
export function toId(id: bigint | null): number | undefined {
  return id !== null && id >= 1n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : undefined
}
