/** Hits and counters as they travel between a front and its FrontObject. */

import type { Json } from '../../base/json.ts'
import { type CounterHit, type Hits, readJoint, writeJoint } from '../ports.ts'
import { longestId, settlementFaults } from '../reservation/reservations.ts'
import { units } from '../window.ts'
import { isCount, list, malformed } from './values.ts'

/** Writes a hit: behind the limit 1 for hits that are given back, and behind that a reservation. */
export function writeHit({ key, unit, addend, limit, isRefund, step, joint }: CounterHit): Json {
  const plain = [key, units.indexOf(unit), addend, limit ?? null, isRefund === true ? 1 : 0]
  if (joint !== undefined) return [...plain, step?.action ?? '', step?.id ?? '', writeJoint(joint)]
  return step === undefined ? plain : [...plain, step.action, step.id]
}

/**
 * Reads a hit.
 *
 * @throws RatelimitError malformed_request when it is not of the form that `writeHit` writes.
 */
export function readHit(wire: unknown): CounterHit {
  const [key, unitIndex, addend, limit, isRefund, action, id, joint] = list(wire)
  const unit = typeof unitIndex === 'number' ? units[unitIndex] : undefined
  if (typeof key !== 'string' || unit === undefined || !isCount(addend)) throw malformed('a hit is not of this form')
  if (limit !== null && !isCount(limit)) throw malformed('the limit of a hit is not a number')
  const hit = { key, unit, addend, ...(limit !== null && { limit }), ...readStep(action, id), ...readMark(joint) }
  return isRefund === 1 ? { ...hit, isRefund: true } : hit
}

function readStep(action: unknown, id: unknown): Pick<CounterHit, 'step'> {
  if (action === undefined || (action === '' && id === '')) return {}
  if ((action !== 'reserve' && action !== 'settle') || typeof id !== 'string' || id.length > longestId) {
    throw malformed('a reservation is not of this form')
  }
  return { step: { action, id } }
}

function readMark(joint: unknown): Pick<CounterHit, 'joint'> {
  if (joint === undefined) return {}
  if (!isCount(joint)) throw malformed('a joint hit is not of this form')
  return { joint: readJoint(joint) }
}

/** Writes counters as the value of an answer. */
export function writeHits(hits: readonly Hits[]): Json {
  return hits.map(({ after, secondsUntilReset, isProvisional, unread, fault }) => {
    if (fault !== undefined) return [after, secondsUntilReset, 0, null, fault]
    return unread === undefined && isProvisional !== true
      ? [after, secondsUntilReset]
      : [after, secondsUntilReset, isProvisional === true ? 1 : 0, unread ?? null]
  })
}

/**
 * Reads counters from the value of an answer.
 *
 * @throws RatelimitError malformed_request when the value does not have a counter for each of so many hits.
 */
export function readHits(value: unknown, count: number): readonly Hits[] {
  const hits = list(value)
  if (hits.length !== count) throw malformed(`an answer has ${hits.length} counters, expected ${count}`)
  return hits.map((wire) => {
    const [after, secondsUntilReset, isProvisional, unread, faultText] = list(wire)
    const fault = settlementFaults.find((name) => name === faultText)
    if (!isCount(after) || !isCount(secondsUntilReset)) throw malformed('a counter is not of this form')
    if (isProvisional === undefined) return { after, secondsUntilReset }
    return {
      after,
      secondsUntilReset,
      ...(isProvisional === 1 && { isProvisional: true }),
      ...(typeof unread === 'string' && { unread }),
      ...(fault !== undefined && { fault }),
    }
  })
}
