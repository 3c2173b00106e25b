/** Values that a test cannot go on without: something that is there, a frame that was decoded. */

import type { Decoded } from '#grid/link/octet-reader.ts'

/** Returns a value that is there; throws where it is undefined. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Cannot go on with the test: a value is missing')
  return value
}

/** Returns what was decoded; throws the fault where there is one. */
export function mustDecode<T>(outcome: Decoded<T>): T {
  if (!outcome.ok) throw new Error(outcome.fault.message)
  return outcome.value
}
