/** Returns of leases: what a holder has of a counter and does not need goes back before its window ends. */

import { isSilent, longestSilenceMs, wantedHits } from './demand.ts'
import { type HeldLease, releaseLease } from './held-lease.ts'
import { computeWanted, type HeldLeases, noteTime, type Surplus, writeQuestion } from './held-leases.ts'
import type { WireDraw } from './lease.ts'

/**
 * Finds the leases to return: those of counters that are not hit any more, and those of which more than half is not
 * needed. A holder that nothing hits any more returns all of them.
 */
export function findSurplus(held: HeldLeases, asOfMs: number): readonly Surplus[] {
  const nowMs = noteTime(held, asOfMs)
  const found: Surplus[] = []
  held.table.each((lease, key, unit) => {
    if (lease.left === 0 || nowMs >= lease.endsAtMs) return
    if (isAbandoned(held, lease, nowMs) || isTooMuch(lease, nowMs)) found.push({ key, unit, limit: lease.limit })
  })
  return found
}

/** Writes the question that returns what is left of a lease, and asks for the part that is needed; null when nothing is left. */
export function giveBack(held: HeldLeases, surplus: Surplus, asOfMs: number): WireDraw | null {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find(surplus)
  if (lease === undefined || lease.left === 0) return null
  const isOver = isAbandoned(held, lease, nowMs)
  releaseLease(lease)
  // Behind the release, which makes the room that it looks for.
  const wanted = isOver ? 0 : computeWanted(held, lease, surplus, nowMs)
  return writeQuestion({ ...surplus, addend: 0 }, lease, wanted, nowMs)
}

/** Counts the counters of which hits are held. */
export function countHeld({ table }: HeldLeases): number {
  let count = 0
  table.each(({ left }) => {
    if (left > 0) count += 1
  })
  return count
}

/** Tells whether nothing hits the counter or its holder any more: the runtime may evict the holder before it asks again. */
function isAbandoned({ hitMs }: HeldLeases, lease: HeldLease, nowMs: number): boolean {
  return nowMs - hitMs >= longestSilenceMs || isSilent(lease.demand, lease, nowMs)
}

function isTooMuch(lease: HeldLease, nowMs: number): boolean {
  const rest = { restMs: lease.endsAtMs - nowMs, mayBeSmall: true }
  const needed = wantedHits(lease.demand, lease.limit, rest, nowMs)
  return lease.asking === 'none' && lease.left > 2 * Math.max(needed, 2)
}
