/** Keys of the ledger: parts joined by slashes, written so that keys sort as their parts do. */

import type { KeyRange, LedgerStore } from './ports.ts'

const int8Offset = 2n ** 63n

/** Joins parts that hold no slash into a key. */
export function joinKey(...parts: readonly string[]): string {
  return parts.join('/')
}

/** Any text as a part of a key: ASCII without a slash, one to one. */
export function textPart(text: string): string {
  return encodeURIComponent(text)
}

/** The text of a part written by `textPart`. */
export function parseTextPart(part: string): string {
  return decodeURIComponent(part)
}

/** An int8 as sixteen hex digits that sort as the numbers do, negative ones first. */
export function int8Part(value: bigint): string {
  return (value + int8Offset).toString(16).padStart(16, '0')
}

/** The int8 of a part written by `int8Part`, which begins at a position of a key. */
export function parseInt8Part(key: string, start = 0): bigint {
  const whole = (parseEight(key, start) - 2 ** 31) * 2 ** 32 + parseEight(key, start + 8)
  // Times in seconds are far below 2^53; what is beyond it was rounded, to 2^53 at the least.
  return Number.isSafeInteger(whole) ? BigInt(whole) : BigInt(`0x${key.slice(start, start + 16)}`) - int8Offset
}

/** Digit by digit: this runs for each point of a read, and a part of the text would be a new text. */
function parseEight(key: string, start: number): number {
  let number = 0
  for (let at = start; at < start + 8; at++) {
    const code = key.charCodeAt(at)
    number = number * 16 + (code <= 57 ? code - 48 : code - 87)
  }
  return number
}

/** A whole number from 0 to 2^53 - 1 as fourteen hex digits that sort as the numbers do. */
export function countPart(value: number): string {
  return value.toString(16).padStart(14, '0')
}

/** The number of a part written by `countPart`. */
export function parseCountPart(part: string): number {
  return Number.parseInt(part, 16)
}

/** The last part of a key. */
export function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** All keys that go on after these parts. */
export function keysUnder(...parts: readonly string[]): KeyRange {
  const prefix = parts.join('/')
  // "0" is the character after "/", so the range ends right behind the last key that starts with "prefix/".
  return { start: `${prefix}/`, end: `${prefix}0` }
}

/** Reads a counter; one that was never written is 0. */
export function readCounter(store: LedgerStore, key: string): number {
  return Number(store.get(key) ?? '0')
}

/** Reads JSON under a key that only one function writes, so that its type is known. */
export function readJson<T>(store: LedgerStore, key: string): T | undefined {
  const text = store.get(key)
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

/** The stored form of an entry: these members, bigints, as text. */
export type WithText<T, K extends keyof T> = Omit<T, K> & Readonly<Record<K, string>>

/** Finds what an index names by the last parts of its keys; one that is gone is left out. */
export function* listIndexed<T>(
  store: LedgerStore,
  range: KeyRange,
  find: (name: string) => T | undefined,
): Generator<T> {
  for (const [key] of store.list(range)) {
    const found = find(lastPart(key))
    if (found !== undefined) yield found
  }
}

/** Entries that are removed at a time. */
const pieceLength = 1_000

/**
 * Removes all keys that go on after these parts, and returns them with their values. Piece by piece: together they may
 * not fit in memory, and a transaction that cannot pay for their removal ends with the first pieces.
 */
export function removeUnder(store: LedgerStore, ...parts: readonly string[]): readonly (readonly [string, string])[] {
  const removed: (readonly [string, string])[] = []
  let range: KeyRange | undefined = keysUnder(...parts)
  while (range !== undefined) {
    const piece: (readonly [string, string])[] = []
    for (const entry of store.list(range)) if (piece.push(entry) === pieceLength) break
    for (const [key] of piece) store.delete(key)
    removed.push(...piece)
    // A space comes before every character of a key.
    range = piece.length === pieceLength ? { ...range, start: `${piece.at(-1)?.[0]} ` } : undefined
  }
  return removed
}
