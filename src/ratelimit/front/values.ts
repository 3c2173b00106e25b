/** Values of which the messages of a front are made, and the error of one that is not of its form. */

import { RatelimitError } from '../errors.ts'

/** Tells whether a value is a whole number from 0 to 2^53 - 1. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/**
 * Takes a part of a message that is a list.
 *
 * @throws RatelimitError malformed_request when it is none.
 */
export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw malformed('a part of it is not a list')
}

/** Makes the error of a message that is not of its form. */
export function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot read message of the front connection: ${state}`)
}
