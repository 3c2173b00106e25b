/** What all calls of a front hold together: how many there are and how many bytes of requests, each within a bound. */

import { type Status, statusCodes } from '../../proto-json/index.ts'

/** Bounds on all calls together. */
export interface IntakeBounds {
  /** Calls that run at once, over all connections. */
  readonly maxCalls: number
  /** Bytes that the requests of all running calls hold, their header fields included. */
  readonly maxBufferedBytes: number
}

/** One call's part of what is held. */
export interface HeldCall {
  /** Counts further bytes of the request; may end older calls, or this one, for want of room. */
  hold(bytes: number): void
  /** Says that the message is complete; from then on the call is not ended for want of room. */
  complete(): void
  /** Says that the call is over and holds nothing any more. */
  leave(): void
}

/** Admits calls. */
export interface Intake {
  /**
   * Admits a call, or ends it at once when there are too many.
   *
   * @param end - Ends the call with a status; called when it has to make room.
   */
  enter(end: (outcome: Status) => void): HeldCall
}

interface Entry {
  readonly end: (outcome: Status) => void
  bytes: number
  isOver: boolean
}

/**
 * Creates an intake.
 *
 * When room is short, the calls whose messages have been incomplete for longest are ended first: an ordinary call is
 * complete within one round trip, a client that begins calls without ending them loses its own.
 */
export function createIntake({ maxCalls, maxBufferedBytes }: IntakeBounds): Intake {
  // In the order of their beginning.
  const incomplete = new Set<Entry>()
  let calls = 0
  let bytes = 0

  const leave = (entry: Entry) => {
    if (entry.isOver) return
    entry.isOver = true
    calls -= 1
    bytes -= entry.bytes
    incomplete.delete(entry)
  }
  const endCall = (entry: Entry, outcome: Status) => {
    leave(entry)
    entry.end(outcome)
  }
  const endOldest = (outcome: Status): boolean => {
    const [oldest] = incomplete
    if (oldest !== undefined) endCall(oldest, outcome)
    return oldest !== undefined
  }

  return {
    enter(end) {
      const entry: Entry = { end, bytes: 0, isOver: false }
      calls += 1
      if (calls > maxCalls && !endOldest(tooManyCalls(maxCalls))) endCall(entry, tooManyCalls(maxCalls))
      if (!entry.isOver) incomplete.add(entry)
      return {
        hold(more) {
          if (entry.isOver) return
          entry.bytes += more
          bytes += more
          while (bytes > maxBufferedBytes && endOldest(tooManyBytes(maxBufferedBytes)));
        },
        complete: () => void incomplete.delete(entry),
        leave: () => leave(entry),
      }
    },
  }
}

function tooManyCalls(most: number): Status {
  return {
    code: statusCodes.RESOURCE_EXHAUSTED,
    message: `Cannot take call: ${most} run already, expected fewer (GRPC_MAX_CALLS)`,
  }
}

function tooManyBytes(most: number): Status {
  return {
    code: statusCodes.RESOURCE_EXHAUSTED,
    message: `Cannot take call: requests hold ${most} bytes already, expected fewer (GRPC_MAX_BUFFERED_BYTES)`,
  }
}
