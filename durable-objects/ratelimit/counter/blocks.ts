/** The blocks of an object's keys: every hit of a blocked key is refused, with every limit. */

import { descriptorKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { type AppliedHit, applyHit, type CounterWindows, type NamedHit } from '#ratelimit/algorithm/apply-hit.ts'
import { maxHits } from '#ratelimit/counter.ts'
import { waitForBlock } from '../block-expiry.ts'
import type { CounterTables } from '../storage/counters.ts'

/** Opens the blocks that are on disk. */
export function keyBlocks(tables: CounterTables) {
  const ends = new Map(tables.blocks())
  return {
    /** Ends of the blocks by key, in Unix seconds. */
    ends,
    /** Finds the seconds from `now` to the end of the block of a counter's key; 0 or less without one. */
    secondsLeft: (key: string, now: number): number =>
      ends.size === 0 ? 0 : (ends.get(descriptorKey(key)) ?? 0) - now,
    set(key: string, until: number): void {
      ends.set(key, until)
      tables.block(key, until)
    },
    lift(key: string): void {
      ends.delete(key)
      tables.unblock(key)
    },
  }
}

/** Refuses a hit on a key that is blocked for so many seconds. The hit counts, but a reservation is not opened. */
export function applyBlockedHit(windows: CounterWindows, hit: NamedHit, blockedFor: number, nowMs: number): AppliedHit {
  const counted = hit.step === undefined ? hit : { ...hit, addend: 0, step: undefined }
  const { secondsUntilReset, after, capacity } = applyHit(windows, counted, nowMs)
  return { after: maxHits, secondsUntilReset: waitForBlock(blockedFor, secondsUntilReset, after > capacity), capacity }
}
