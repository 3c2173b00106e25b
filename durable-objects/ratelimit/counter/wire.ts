/** Messages to and from a CounterObject: hits, and readings for operators; and the name of a window inside it. */

import type { NamedHit } from '#ratelimit/algorithm/apply-hit.ts'
import { type CounterHit, type Hits, type JointHit, readJoint, writeJoint } from '#ratelimit/ports.ts'
import { type ReservationStep, settlementFaults } from '#ratelimit/reservation/reservations.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'

/**
 * One hit as it travels: the counter's key, the index of its unit in `units`, the hits to add, negative to give
 * back, 0 to look, the limit of the window, which bounds what the disk holds ahead of the count, the step of a
 * reservation as `action id`, empty for none, and a number of `writeJoint`.
 *
 * Callers and objects of different releases talk to each other while a deployment rolls out, so a shape only ever
 * grows at its end. A hit without a limit is written before it is answered.
 */
export type WireHit = readonly [
  key: string,
  unit: number,
  addend: number,
  limit?: number | null,
  step?: string,
  joint?: number,
]

/** Writes a hit as it travels to an object. */
export function writeHit({ key, unit, addend, limit, isRefund = false, step, joint }: CounterHit): WireHit {
  const place = units.indexOf(unit)
  const hits = isRefund ? -addend : addend
  const most = limit ?? null
  if (step === undefined && joint === undefined) return [key, place, hits, most]
  const text = step === undefined ? '' : `${step.action} ${step.id}`
  return joint === undefined ? [key, place, hits, most, text] : [key, place, hits, most, text, writeJoint(joint)]
}

/** Reads a hit as it has travelled. @throws RangeError as `unitAt` does. */
export function readWireHit([key, unitIndex, addend, limit = null, step, joint]: WireHit): WiredHit {
  const unit = unitAt(unitIndex)
  const name = nameOf(key, unitIndex)
  return { key, unit, name, addend, limit, step: readStep(step), joint: joint === undefined ? joint : readJoint(joint) }
}

/** A hit that has travelled. */
export interface WiredHit extends NamedHit {
  readonly joint?: JointHit | undefined
}

/** Reads the step of a hit; undefined for a plain one. */
function readStep(text: string | undefined): ReservationStep | undefined {
  if (text === undefined || text === '') return undefined
  const at = text.indexOf(' ')
  return { action: text.slice(0, at) === 'settle' ? 'settle' : 'reserve', id: text.slice(at + 1) }
}

/** Writes a counter as it travels back; an unsettled one has its fault (0, -1 or -2) in the place of its seconds. */
export function writeCounted({ after, secondsUntilReset, fault }: Hits): readonly [after: number, reset: number] {
  return [after, fault === undefined ? secondsUntilReset : 0 - settlementFaults.indexOf(fault)]
}

/** Reads what `writeCounted` writes. */
export function readCounted(after: number, reset: number): Hits {
  const fault = reset > 0 ? undefined : settlementFaults[-reset]
  return fault === undefined ? { after, secondsUntilReset: reset } : { after, secondsUntilReset: 1, fault }
}

/** Tells whether a hit opens a reservation or settles one. */
export function isReserved([, , , , step]: WireHit): boolean {
  return step !== undefined && step !== ''
}

/** Tells whether a hit changes a counter that lives on disk. */
export function mustLast(hit: WireHit): boolean {
  const [, unitIndex, addend] = hit
  return (addend !== 0 || isReserved(hit)) && units[unitIndex] !== 'SECOND'
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
