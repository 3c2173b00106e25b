/** The alarm of a CounterObject: it comes after the earliest thing that is over, and not soon after a call. */

import type { CounterRow } from '#ratelimit/durability/stored-window.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import type { Expiry } from '../storage/expiry.ts'
import { cleanupTime, isBadlyTimed, isOverdue, overdue, secondLookMs } from './cleanup.ts'

/**
 * Makes the alarm of one object. Nothing is set before `cleanUpAfter` or `restart`: an alarm of an earlier instance
 * is in place for what is on disk. It stays where it can, because setting one costs a write besides that of the hit.
 *
 * @param onDisk - what on disk is over first; undefined for nothing.
 */
export function cleanupAlarm(storage: DurableObjectStorage, onDisk: Expiry | undefined) {
  let nextExpiry = onDisk
  /** Reason for the alarm of an earlier instance, until this one knows more. */
  let earlier = onDisk
  /** The alarm that is known to be set, and what for; its moment is Unix time in seconds. */
  let alarm: { readonly for: Expiry; readonly at: number } | undefined

  function setAt(expiry: Expiry, atMs: number): void {
    earlier = undefined
    alarm = { for: expiry, at: atMs / 1000 }
    void storage.setAlarm(atMs)
  }

  function set(expiry: Expiry, now: number, leastSpread?: number): void {
    setAt(expiry, Math.round(cleanupTime(expiry, now, Math.random(), leastSpread) * 1000))
  }

  async function inherit(expiry: Expiry): Promise<void> {
    const atMs = await storage.getAlarm()
    if (earlier !== expiry) return
    earlier = undefined
    const now = Math.floor(Date.now() / 1000)
    if (atMs === null || isBadlyTimed(atMs / 1000, now)) set(expiry, now)
    else alarm = { for: expiry, at: atMs / 1000 }
  }

  /** Makes sure that the alarm comes after `expiry`; an alarm for an earlier expiry stays. */
  function cleanUpAfter(expiry: Expiry): void {
    const now = Math.floor(Date.now() / 1000)
    if (nextExpiry === undefined || expiry.at < nextExpiry.at) nextExpiry = expiry
    if (earlier !== undefined && earlier.at <= nextExpiry.at && !isOverdue(earlier, now)) void inherit(earlier)
    else if (alarm === undefined || alarm.for.at > nextExpiry.at) set(nextExpiry, now)
  }

  return {
    cleanUpAfter,
    /** Makes sure that the alarm comes after the first of these windows is over. */
    cleanUpAfterRows(rows: readonly CounterRow[]): void {
      let first: Expiry | undefined
      for (const { unit, window } of rows) {
        const at = window.start + unitSeconds[unit]
        if (first === undefined || at < first.at) first = { at, unit }
      }
      if (first !== undefined) cleanUpAfter(first)
    },
    /** Moves an alarm that would come while the runtime forgets the object after this call. */
    noteCall(now: number): void {
      // Far enough that an object in use sets it once in minutes: each time is a row.
      if (alarm !== undefined && isBadlyTimed(alarm.at, now)) set(nextExpiry ?? alarm.for, now, overdue.after)
    },
    /** Begins anew after an alarm; `next` is what on disk is over first. */
    restart(next: Expiry | undefined): void {
      earlier = undefined
      alarm = undefined
      nextExpiry = next
      if (next === undefined) return
      const { unit, foundOver } = next
      if (foundOver === undefined || unit === null) cleanUpAfter(next)
      else setAt(next, secondLookMs(foundOver, unit))
    },
  }
}
