/**
 * Keys of the markets' part of the ledger.
 *
 * Everything lies under `market/1/`, where 1 is the version of the stored forms: another form gets another number,
 * and what was written under this one is read as it is.
 */

import { countPart, joinKey, keysUnder, parseCountPart } from '../keys.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

const root = ['market', '1'] as const

/** A key of the markets. */
export function marketKey(...parts: readonly string[]): string {
  return joinKey(...root, ...parts)
}

/** All keys of the markets that go on after these parts. */
export function marketKeysUnder(...parts: readonly string[]): KeyRange {
  return keysUnder(...root, ...parts)
}

/** The last parts of a key, as many as asked for. */
export function lastParts(key: string, count: number): readonly string[] {
  return key.split('/').slice(-count)
}

/** The numbers of the network's tables that count upwards. */
export type CounterName = 'market' | 'participant' | 'event' | 'distribution' | 'arrival'

/** The next number of a table, from 1 on. */
export function nextNumber(store: LedgerStore, counter: CounterName): number {
  const key = marketKey('count', counter)
  const next = parseCountPart(store.get(key) ?? '0') + 1
  store.put(key, countPart(next))
  return next
}

/** An id that came as an argument, if it can be one at all. */
export function toId(id: bigint | null): number | undefined {
  return id !== null && id >= 1n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : undefined
}
