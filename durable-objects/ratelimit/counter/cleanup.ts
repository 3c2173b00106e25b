/** Times at which a counter's object cleans up after its windows: late, spread out, and not soon after a call. */

import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { type Expiry, waitBetweenLooks } from '../storage/expiry.ts'

/**
 * The runtime forgets an object between 70 and 140 seconds after its last call. An alarm that comes in the very turn
 * in which it does so ends the process (workerd 1.20260426, `ActorContainer::startRequest` goes on with a container
 * that the cleanup loop has removed). Earlier alarms find the object there, later ones make it anew.
 */
const forgetting = { from: 60, to: 150 }

/** The shortest and the longest spread of the alarms of windows that end together, in seconds. */
const spread = { least: 60, most: 86_400 }

/** Seconds of waiting after which a window is cleaned up while the object is in use, and seconds within which that happens. */
export const overdue = { after: 600, within: 30 }

/**
 * Draws the moment at which something that is over, or will be, is cleaned up.
 *
 * The windows of one unit all end in the same second, and objects woken together need more memory and files than a
 * machine has. So the moments are spread over the length of the window, over a minute at the least and a day at the
 * most.
 *
 * @param now - of the call that asks for it; Unix time in seconds.
 * @param chance - 0 to 1, exclusive.
 * @param least - the shortest spread in seconds.
 * @returns Unix time in seconds, with an even number of milliseconds, see `secondLookMark`.
 */
export function cleanupTime({ at, unit }: Expiry, now: number, chance: number, least: number = spread.least): number {
  if (isOverdue({ at, unit }, now)) return evenly(now + chance * overdue.within)
  const length = unit === null ? 0 : unitSeconds[unit]
  return evenly(Math.max(at, now) + forgetting.to + chance * Math.min(spread.most, Math.max(least, length)))
}

function evenly(seconds: number): number {
  return Math.ceil(seconds * 500) / 500
}

/**
 * Milliseconds after a whole second at which the alarm of a second look comes.
 *
 * An only window is removed at its second look, which is good only if the first one is known: an object that the
 * runtime forgets in between must find it again. Writing it down would be a row for each counter. The alarm is kept by
 * the platform anyway, so its time says it: first looks come at even milliseconds, second looks at this odd one, and
 * the first look is computed from the time of the second.
 */
const secondLookMark = 1

/** Finds the second look at an only window, in Unix milliseconds; `foundOver` is the first one in Unix seconds. */
export function secondLookMs(foundOver: number, unit: Unit): number {
  return (foundOver + waitForSecondLook(unit)) * 1000 + secondLookMark
}

/** Finds the first look from the time of an alarm (Unix milliseconds); undefined when the alarm is for a first look. */
export function findFirstLook(alarmMs: number, unit: Unit): number | undefined {
  if (alarmMs % 1000 !== secondLookMark) return undefined
  return (alarmMs - secondLookMark) / 1000 - waitForSecondLook(unit)
}

function waitForSecondLook(unit: Unit): number {
  return waitBetweenLooks(unit) + forgetting.to
}

/** Tells whether something has been over for so long that its cleanup comes next; `now` is Unix time in seconds. */
export function isOverdue({ at }: Expiry, now: number): boolean {
  return now - at > overdue.after
}

/** Tells whether a cleanup would come while the runtime forgets an object that was called now. */
export function isBadlyTimed(cleanupAt: number, now: number): boolean {
  const wait = cleanupAt - now
  return wait > forgetting.from && wait < forgetting.to
}
