/** Deadlines of calls, and delays that timers of Node can hold. */

import type { IncomingHttpHeaders } from 'node:http2'
import { parseTimeout, type Status } from '#proto-json/index.ts'
import { status } from './refusal.ts'

/** The longest delay that a timer takes, in milliseconds. */
export const longestDelayMs = 2 ** 31 - 1

/** The status of a call that has taken too long. */
export const deadlinePassed: Status = status('DEADLINE_EXCEEDED', 'Cannot answer call: its deadline has passed')

/** Reads `grpc-timeout`: milliseconds of the monotonic clock, Infinity when absent, a status for a malformed one. */
export function readDeadline({ 'grpc-timeout': text }: IncomingHttpHeaders): number | Status {
  try {
    return performance.now() + (parseTimeout(text?.toString() ?? null) ?? Number.POSITIVE_INFINITY)
  } catch (error) {
    return status('INVALID_ARGUMENT', error instanceof Error ? error.message : 'Cannot read grpc-timeout')
  }
}
