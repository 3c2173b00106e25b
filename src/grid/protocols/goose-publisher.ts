/** The counters of a GOOSE publisher, the curve on which it repeats a message, and how a subscriber judges them. */

/** The counters of a publisher. Plain data: it travels in snapshots. */
export interface GoosePublisher {
  readonly stateNumber: number
  readonly sequenceNumber: number
}

/** A publisher's counters at its first message. */
export const newGoosePublisher: GoosePublisher = { stateNumber: 1, sequenceNumber: 0 }

/** Milliseconds from a change to its first repetition. */
const firstRepetitionMs = 4

/** Milliseconds to the next message: 4, 8, 16 ... after a change, up to the heartbeat (IEC 61850-8-1 clause 18.1). */
export function gooseDelayMs(sequenceNumber: number, heartbeatMs: number): number {
  return Math.min(firstRepetitionMs * 2 ** sequenceNumber, heartbeatMs)
}

/** Counts a change of the data: next state, first of its sequence. The state number wraps to 1. */
export function gooseChanged(publisher: GoosePublisher): GoosePublisher {
  return { stateNumber: publisher.stateNumber >= 0xffffffff ? 1 : publisher.stateNumber + 1, sequenceNumber: 0 }
}

/** Counts a repetition. The sequence number wraps to 1, because 0 tells of a change. */
export function gooseRepeated(publisher: GoosePublisher): GoosePublisher {
  const { stateNumber, sequenceNumber } = publisher
  return { stateNumber, sequenceNumber: sequenceNumber >= 0xffffffff ? 1 : sequenceNumber + 1 }
}

/** The judgement of a subscriber on a message after the last one it accepted. */
export type GooseVerdict = 'changed' | 'repeated' | 'lost' | 'stale'

/** Judges a message by its counters: a new state, the next repetition, a later or an old one; the first is a change. */
export function judgeGoose(last: GoosePublisher | undefined, next: GoosePublisher): GooseVerdict {
  if (last === undefined || next.stateNumber > last.stateNumber) return 'changed'
  if (next.stateNumber < last.stateNumber || next.sequenceNumber <= last.sequenceNumber) return 'stale'
  return next.sequenceNumber === last.sequenceNumber + 1 ? 'repeated' : 'lost'
}
