/** Bounds on all calls of a front together: how many run, and how many bytes of requests they hold. */

import type { Status } from '#proto-json/index.ts'
import { status } from './refusal.ts'

/** Bounds on all calls together. */
export interface IntakeBounds {
  /** Calls that run at once, over all connections. */
  readonly maxCalls: number
  /** Bytes that the requests of all running calls hold, their header fields included. */
  readonly maxBufferedBytes: number
}

interface Entry {
  readonly end: (outcome: Status) => void
  bytes: number
  isOver: boolean
}

/** The holdings of all calls together. */
interface Held {
  /** In the order in which their messages began. */
  readonly incomplete: Set<Entry>
  calls: number
  bytes: number
}

/**
 * Creates an intake.
 *
 * To make room, the calls whose messages have been incomplete for longest are ended first: an ordinary call is complete
 * within one round trip, so those of a client that begins calls and does not go on are the oldest.
 */
export function createIntake({ maxCalls, maxBufferedBytes }: IntakeBounds) {
  const held: Held = { incomplete: new Set(), calls: 0, bytes: 0 }
  return {
    /** Admits a call, or ends it at once when there are too many; `end` is called when it has to make room. */
    enter(end: (outcome: Status) => void) {
      const entry: Entry = { end, bytes: 0, isOver: false }
      held.calls += 1
      if (held.calls > maxCalls && !endOldest(held, tooManyCalls(maxCalls)))
        endCall(held, entry, tooManyCalls(maxCalls))
      if (!entry.isOver) held.incomplete.add(entry)
      return {
        /** Counts further bytes of the request; above the bound, older calls or this one are ended. */
        hold(more: number): void {
          if (entry.isOver) return
          entry.bytes += more
          held.bytes += more
          while (held.bytes > maxBufferedBytes && endOldest(held, tooManyBytes(maxBufferedBytes)));
        },
        /** Counts bytes that are held no more. */
        release(fewer: number): void {
          if (entry.isOver) return
          entry.bytes -= fewer
          held.bytes -= fewer
        },
        /** Notes that another message has begun; until it is complete the call may be ended to make room again. */
        begin(): void {
          if (!entry.isOver) held.incomplete.add(entry)
        },
        /** Notes that the message is complete; from then on the call is not ended to make room. */
        complete: (): void => void held.incomplete.delete(entry),
        /** Notes that the call is over and holds nothing any more. */
        leave: (): void => leave(held, entry),
      }
    },
  }
}

/** Admits calls. */
export type Intake = ReturnType<typeof createIntake>

/** One call's part of what is held. */
export type HeldCall = ReturnType<Intake['enter']>

function leave(held: Held, entry: Entry): void {
  if (entry.isOver) return
  entry.isOver = true
  held.calls -= 1
  held.bytes -= entry.bytes
  held.incomplete.delete(entry)
}

function endCall(held: Held, entry: Entry, outcome: Status): void {
  leave(held, entry)
  entry.end(outcome)
}

/** Ends the call whose message has been incomplete for longest; false when all are complete. */
function endOldest(held: Held, outcome: Status): boolean {
  const [oldest] = held.incomplete
  if (oldest !== undefined) endCall(held, oldest, outcome)
  return oldest !== undefined
}

function tooManyCalls(most: number): Status {
  return status('RESOURCE_EXHAUSTED', `Cannot take call: ${most} run already, expected fewer (GRPC_MAX_CALLS)`)
}

function tooManyBytes(most: number): Status {
  const message = `Cannot take call: requests hold ${most} bytes already, expected fewer (GRPC_MAX_BUFFERED_BYTES)`
  return status('RESOURCE_EXHAUSTED', message)
}
