/** The stored values of primitive streams: every version of every time, and how a height sees them. */

import { countPart, int8Part, joinKey, parseCountPart, parseInt8Part, removeUnder } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** A value at a time, as some height sees it. */
export interface StreamEvent {
  /** UNIX seconds by custom; the network takes any int8. */
  readonly time: bigint
  /** Scaled by 10^18. */
  readonly value: bigint
}

/** The largest time a query can mean; what the network uses for infinity. */
export const endOfTime = 9223372036854775000n

const events = 'event'
/** The smallest and the largest time there can be. */
export const [smallestInt8, largestInt8] = [-(2n ** 63n), 2n ** 63n - 1n]

/** The height for a read that counts the values of all blocks. */
export const everyHeight = Number.POSITIVE_INFINITY

/** Stores a version of the value at a time; a second one in a block replaces the first (the network keeps both). */
export function putEvent(store: LedgerStore, ref: number, height: number, event: StreamEvent): void {
  store.put(eventKey(ref, event.time, height), String(event.value))
}

/** The version of the value at a time that was stored at exactly this height, scaled by 10^18. */
export function findEvent(store: LedgerStore, ref: number, height: number, time: bigint): bigint | undefined {
  const value = store.get(eventKey(ref, time, height))
  return value === undefined ? undefined : BigInt(value)
}

/** Every version of the values from `first` to `last`, both included, in the order of time and then of height. */
export function* versionsBetween(store: LedgerStore, ref: number, first: bigint, last: bigint): Generator<StreamEvent> {
  for (const [key, value] of store.list(keysBetween(ref, first, last))) {
    yield { time: readKey(key).time, value: BigInt(value) }
  }
}

/** Removes every version of every value of a stream. */
export function removeEvents(store: LedgerStore, ref: number): void {
  removeUnder(store, events, countPart(ref))
}

/** The latest event at or before a time that was stored at or before a height. */
export function latestEvent(store: LedgerStore, ref: number, atMost: bigint, height: number): StreamEvent | undefined {
  const range = { ...keysBetween(ref, smallestInt8, atMost), isReverse: true }
  for (const [key, value] of store.list(range)) {
    const { time, createdAt } = readKey(key)
    if (createdAt <= height) return { time, value: BigInt(value) }
  }
  return undefined
}

/** The earliest event at or after a time that was stored at or before a height. */
export function earliestEvent(
  store: LedgerStore,
  ref: number,
  atLeast: bigint,
  height: number,
): StreamEvent | undefined {
  const [event] = eventsBetween(store, ref, { first: atLeast, last: largestInt8, height })
  return event
}

/** Times from `first` to `last`, both included, as a height sees them. */
interface EventRange {
  readonly first: bigint
  readonly last: bigint
  readonly height: number
}

/** The events of a range in the order of time, each in its highest version stored at or before the height. */
export function* eventsBetween(store: LedgerStore, ref: number, range: EventRange): Generator<StreamEvent> {
  const { first, last, height } = range
  if (first > last) return
  let seen: StreamEvent | undefined
  for (const [key, value] of store.list(keysBetween(ref, first, last))) {
    // Nearly every read counts all heights, and a key's height costs as much to read as its time.
    if (height !== everyHeight && parseCountPart(key.slice(heightStart)) > height) continue
    const time = parseInt8Part(key, timeStart)
    if (seen !== undefined && seen.time !== time) yield seen
    seen = { time, value: BigInt(value) }
  }
  if (seen !== undefined) yield seen
}

// event/<14 digits: stream>/<16 digits: time>/<14 digits: height>
const timeStart = events.length + 1 + 14 + 1
const heightStart = timeStart + 16 + 1

function eventKey(ref: number, time: bigint, height: number): string {
  return joinKey(events, countPart(ref), int8Part(time), countPart(height))
}

function keysBetween(ref: number, first: bigint, last: bigint): { start: string; end: string } {
  const stream = joinKey(events, countPart(ref))
  // A height follows behind a slash; "0" is the character after it.
  return { start: `${stream}/${int8Part(first)}/`, end: `${stream}/${int8Part(last)}0` }
}

function readKey(key: string): { time: bigint; createdAt: number } {
  return { time: parseInt8Part(key, timeStart), createdAt: parseCountPart(key.slice(heightStart)) }
}
