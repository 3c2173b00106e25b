/** Deadlines of calls, and delays that timers of Node can hold. */

import type { IncomingHttpHeaders } from 'node:http2'
import { parseTimeout, type Status } from '#proto-json/index.ts'
import { status } from './refusal.ts'

/** The longest delay that a timer takes, in milliseconds. */
export const longestDelayMs = 2 ** 31 - 1

/** The status of a call that has taken too long. */
export const deadlinePassed: Status = status('DEADLINE_EXCEEDED', 'Cannot answer call: its deadline has passed')

/**
 * Reads the deadline of a call from `grpc-timeout`.
 *
 * @returns milliseconds of the monotonic clock, Infinity without a deadline, or the status for a header that cannot be
 *   read.
 */
export function readDeadline({ 'grpc-timeout': text }: IncomingHttpHeaders): number | Status {
  try {
    return performance.now() + (parseTimeout(text?.toString() ?? null) ?? Number.POSITIVE_INFINITY)
  } catch (error) {
    return status('INVALID_ARGUMENT', error instanceof Error ? error.message : 'Cannot read grpc-timeout')
  }
}
