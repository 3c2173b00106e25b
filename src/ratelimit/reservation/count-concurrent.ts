/** Concurrency: hits that are held until their holder releases them, or a time to live gives them back. */

import type { Algorithm } from '../algorithm/algorithm.ts'
import type { CountedHit, TimedHit } from '../algorithm/count-hit.ts'
import type { Window } from '../counter.ts'
import type { Span } from '../window.ts'
import { countReserved } from './count-reserved.ts'
import { secondsUntilEnd, sumOpen } from './reservations.ts'

/** One window for all time: nothing leaves it but what is released. */
const always: Span = { length: Number.MAX_SAFE_INTEGER, startOf: () => 0, endOf: () => Number.MAX_SAFE_INTEGER }

/**
 * Counts one hit: a holder is a reservation whose cost is 0.
 *
 * The sum of the holders is held, not the count on disk, which may be ahead of it.
 */
export function countConcurrent(
  { seconds }: Extract<Algorithm, { kind: 'concurrency' }>,
  kept: Window | undefined,
  hit: TimedHit,
): CountedHit {
  const now = Math.floor(hit.nowMs / 1000)
  const { reservations = [] } = kept ?? {}
  const window = kept && { start: 0, hits: sumOpen(reservations), reservations }
  const rule = { unsettled: 'refunded', timeToLive: seconds } as const
  const released = hit.step?.action === 'settle' ? { ...hit, addend: 0 } : hit
  const counted = countReserved({ span: always, rule, countPlain }, window, released)
  const next = counted.window
  const holders = next?.reservations ?? (next === null ? reservations : [])
  return {
    ...counted,
    // Its start only says until when the disk keeps it.
    window: next && { ...next, start: Math.floor(now / seconds) * seconds },
    secondsUntilReset: Math.min(seconds, secondsUntilEnd(holders, now) ?? seconds),
  }
}

/** A hit without a holder could not be released, so that it never passes. */
function countPlain(window: Window | undefined, { addend, limit }: TimedHit): CountedHit {
  const held = window?.hits ?? 0
  const after = addend > 0 ? Math.max(held, limit) + addend : held
  return { window: null, after, secondsUntilReset: 1, most: limit }
}
