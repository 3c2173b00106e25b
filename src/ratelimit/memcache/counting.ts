/** Counting in memcached as plain functions: keys, the verdict on counters that were read, and the commands of one increase. */

import { maxHits } from '../counter.ts'
import { stampedKey } from '../counter-key.ts'
import type { CounterHit, Hits } from '../ports.ts'
import { memcacheRaise } from '../store-block.ts'
import { secondsUntilReset, unitSeconds } from '../window.ts'
import { encodeAdd, encodeDecrement, encodeIncrement, type Flags, isKey, maxKeyBytes } from './text.ts'

/** One hit with the key that memcached knows it by; null when no server would take such a key. */
export interface KeyedHit {
  readonly key: string | null
  readonly hit: CounterHit
}

/** Gives every hit its key. A key that is too long or has white space in it fails open: it reads as 0. */
export function keyHits(hits: readonly CounterHit[], now: number): readonly KeyedHit[] {
  return hits.map((hit) => {
    const key = stampedKey(hit.key, hit.unit, now)
    return { key: isKey(key) ? key : null, hit }
  })
}

/** Answers of the servers for the keys of one request. */
export interface ReadCounters {
  /** The counters that exist, by key. */
  readonly values: ReadonlyMap<string, string>
  readonly flags: Flags
  /** Keys whose server could not be asked, and why. */
  readonly unread: ReadonlyMap<string, string>
}

const notAKey = `memcached takes no key of more than ${maxKeyBytes} bytes or with white space`

/**
 * Judges every hit on the value that was read before any of them was counted, as the reference does: the same key
 * twice in one request is judged twice on the same value. A counter with the mark of a block is above every limit.
 *
 * @param read - a value that is not a whole number reads as 0, and so does one that could not be read.
 */
export function judgeHits(keyed: readonly KeyedHit[], read: ReadCounters, now: number): readonly Hits[] {
  return keyed.map((one) => {
    const { key, hit } = one
    const before = key === null ? 0 : parseCounter(read.values.get(key))
    const after = hit.isRefund ? Math.max(0, before - hit.addend) : before + hit.addend
    const unread = key === null ? notAKey : read.unread.get(key)
    return {
      after: isMarked(one, read) ? maxHits : Math.min(after, maxHits),
      secondsUntilReset: secondsUntilReset(hit.unit, now),
      ...(unread !== undefined && { unread }),
    }
  })
}

/** Tells whether the mark of a block is on the counter of a hit. */
export function isMarked({ key }: KeyedHit, { flags }: ReadCounters): boolean {
  return key !== null && decodeMark(flags.get(key)) !== null
}

/** Tells whether a counter is over the limit of its hit without what a block has added. */
export function isOverBesideBlock(keyed: KeyedHit | undefined, { values, flags }: ReadCounters): boolean {
  if (keyed?.key == null) return false
  const { key, hit } = keyed
  const count = parseCounter(values.get(key)) - (decodeMark(flags.get(key)) ?? memcacheRaise)
  return count + hit.addend > (hit.limit ?? Number.POSITIVE_INFINITY)
}

/** Reads the text of a value; what is missing or not a whole number is 0. */
export function parseCounter(text: string | undefined): number {
  const value = Number(text?.trim())
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : 0
}

/**
 * Writes the commands that count one hit: `change` first; `create` when the key is missing, then `change` once more. A
 * refund leaves a missing counter missing.
 *
 * @param now - Unix time in whole seconds.
 * @param jitter - whole seconds added to the time to live.
 */
export function planIncrease(key: string, hit: CounterHit, now: number, jitter: number) {
  if (hit.isRefund) return { change: encodeDecrement(key, hit.addend), create: null }
  const ttl = unitSeconds[hit.unit] + jitter
  return { change: encodeIncrement(key, hit.addend), create: encodeAdd(key, { value: hit.addend, ttl, now }) }
}

/** Marks a raised counter among other clients' flags; the reference writes 0, and `incr` keeps them. */
const markBit = 2 ** 31

/** The flags of a counter that was raised by `raisedBy`, which is below 2^31. */
export function encodeMark(raisedBy: number): number {
  return markBit + raisedBy
}

/** Reads by how much a counter was raised from its flags; null when they do not hold a mark. */
export function decodeMark(flags: number | undefined): number | null {
  return flags !== undefined && flags >= markBit ? flags - markBit : null
}
