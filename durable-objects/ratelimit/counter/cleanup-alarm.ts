/** The alarm of a CounterObject: it comes after the earliest thing that is over, and not soon after a call. */

import type { Expiry } from '../storage/counters.ts'
import { cleanupTime, isBadlyTimed } from './cleanup.ts'

/** The alarm of one object. */
export interface CleanupAlarm {
  /** Makes sure that the alarm comes after `expiry`; an alarm for an earlier expiry stays. */
  cleanUpAfter(expiry: Expiry): void
  /**
   * Moves an alarm that would come while the runtime forgets the object after this call.
   *
   * @param now - Unix time in whole seconds.
   */
  noteCall(now: number): void
  /**
   * Begins anew after an alarm.
   *
   * @param next - what on disk is over first now; undefined for nothing.
   */
  restart(next: Expiry | undefined): void
}

/**
 * Makes the alarm of one object. Nothing is set before `cleanUpAfter` or `restart`: an alarm of an earlier instance
 * is in place for what is on disk.
 *
 * @param onDisk - what on disk is over first; undefined for nothing.
 */
export function cleanupAlarm(storage: DurableObjectStorage, onDisk: Expiry | undefined): CleanupAlarm {
  let nextExpiry = onDisk
  /** The alarm that this instance has set, and what for; its moment is Unix time in seconds. */
  let alarm: { readonly for: Expiry; readonly at: number } | undefined

  function set(expiry: Expiry, now: number): void {
    alarm = { for: expiry, at: cleanupTime(expiry, now, Math.random()) }
    void storage.setAlarm(alarm.at * 1000)
  }

  function cleanUpAfter(expiry: Expiry): void {
    if (nextExpiry === undefined || expiry.at < nextExpiry.at) nextExpiry = expiry
    if (alarm === undefined || alarm.for.at > nextExpiry.at) set(nextExpiry, Math.floor(Date.now() / 1000))
  }

  return {
    cleanUpAfter,
    noteCall(now) {
      if (alarm !== undefined && isBadlyTimed(alarm.at, now)) set(nextExpiry ?? alarm.for, now)
    },
    restart(next) {
      alarm = undefined
      nextExpiry = next
      if (next !== undefined) cleanUpAfter(next)
    },
  }
}
