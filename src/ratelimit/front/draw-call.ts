/** Draws of leases as they travel in the questions of a front. */

import type { DrawCall } from '../lease/source.ts'
import { isCount, malformed } from './values.ts'

/**
 * Reads a draw: object, id, holder and the questions.
 *
 * @throws RatelimitError malformed_request when it is not of that form.
 */
export function readDrawCall([object, id, holder, draws]: readonly unknown[]): DrawCall {
  const isNamed = typeof object === 'string' && object.length <= longestObject
  if (!isNamed || !isCount(id) || !isCount(holder) || !Array.isArray(draws)) {
    throw malformed('a draw is not of this form')
  }
  if (!draws.every(isDraw)) throw malformed('a question of a draw is not of this form')
  return { object, id, holder, draws }
}

/** Characters of an object's name: a key of the longest domain and descriptors that a request may have is below. */
const longestObject = 1_048_576

function isDraw(value: unknown): value is DrawCall['draws'][number] {
  if (!Array.isArray(value) || value.length !== 7) return false
  const [key, unit, addend, limit, wanted, all, returned] = value
  const isNumbers = [addend, limit, wanted].every(isCount) && isCount(unit) && unit < 7
  // Only a QuotaObject takes all that is left.
  const isList = Array.isArray(returned) && returned.length % 2 === 0 && returned.every(isCount)
  return typeof key === 'string' && isNumbers && all === 0 && isList
}
