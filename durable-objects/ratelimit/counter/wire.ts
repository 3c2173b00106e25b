/** Messages to and from a CounterObject: hits, and readings for operators; and the name of a window inside it. */

import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'

/**
 * One hit as it travels: the counter's key, the index of its unit in `units`, the hits to add, negative to give
 * back, 0 to look, and the limit of the window, which bounds what the disk holds ahead of the count.
 *
 * Callers and objects of different releases talk to each other while a deployment rolls out, so a shape only ever
 * grows at its end. A hit without a limit is written before it is answered.
 */
export type WireHit = readonly [key: string, unit: number, addend: number, limit?: number | null]

/** Tells whether a hit changes a counter that lives on disk. */
export function mustLast([, unitIndex, addend]: WireHit): boolean {
  return addend !== 0 && units[unitIndex] !== 'SECOND'
}

/** The unit of an index. @throws RangeError when there is none, which a newer release may have sent. */
export function unitAt(unitIndex: number): Unit {
  const unit = units[unitIndex]
  if (unit === undefined) throw new RangeError(`Cannot count: unit ${unitIndex} does not exist`)
  return unit
}

/** The name of a window: the unit's digit and the key. It is unique, because a unit is one digit. */
export function nameOf(key: string, unitIndex: number): string {
  return `${unitIndex}${key}`
}
