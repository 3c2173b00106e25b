/** Questions of holders about counters and the answers, as they travel. */

import { units } from '../window.ts'

/**
 * One question about one counter, as it travels.
 *
 * In order: the returned leases are closed, `addend` is counted as `hit` would, then a lease of at most `wanted` hits
 * is granted. Callers and objects of different releases talk to each other, so the shape never changes: another shape
 * gets another method.
 */
export type WireDraw = readonly [
  key: string,
  /** Index in `units`. */
  unit: number,
  /** Hits to count now, 0 for none. */
  addend: number,
  /** Requests per unit. */
  limit: number,
  /** Hits wanted as a lease, 0 for none. */
  wanted: number,
  /** 1 for up to all that is left, 0 for a part that leaves something to other holders. */
  all: 0 | 1,
  /** Pairs of a lease and the hits of it that were not used, as `encodeReturned` writes them. */
  returned: readonly number[],
]

/** Reads a question by its names; a unit that does not exist is a second. */
export function readQuestion([key, unitIndex, addend, limit, wanted, all, returned]: WireDraw) {
  const name = { key, unit: units[unitIndex] ?? 'SECOND' } as const
  return { name, addend, limit, wanted, takesAll: all === 1, returned }
}

/** Makes the same question with another wish for a lease. */
export function withWanted([key, unit, addend, limit, , all, returned]: WireDraw, wanted: number): WireDraw {
  return [key, unit, addend, limit, wanted, all, returned]
}

/** A lease that its holder closes, with the hits of it that were not used. */
export interface ReturnedLease {
  readonly id: number
  readonly unused: number
}

/** Writes returned leases as they travel: an id and its unused hits in turn. */
export function encodeReturned(leases: readonly ReturnedLease[]): readonly number[] {
  return leases.flatMap(({ id, unused }) => [id, unused])
}

/** Reads what `encodeReturned` wrote; a missing number is 0. */
export function decodeReturned(returned: readonly number[]): readonly ReturnedLease[] {
  const leases: ReturnedLease[] = []
  for (let from = 0; from < returned.length; from += 2) {
    leases.push({ id: returned[from] ?? 0, unused: returned[from + 1] ?? 0 })
  }
  return leases
}

/** The answer to one question. */
export interface Draw {
  /** The counter with every open lease in it; above the limit the addend is refused. */
  readonly after: number
  /** Unix time in seconds when the window began, by the object's clock: two draws of one window have the same. */
  readonly windowStart: number
  /** Milliseconds from the grant to the end of the window, by the object's clock. */
  readonly millisecondsUntilReset: number
  /** Hits of the lease that the call opened here, named by the call's id; 0 when it opened none. */
  readonly granted: number
  /** Hits in open leases, this one included. */
  readonly outstanding: number
  /** Returned leases that were not open, or had fewer hits: nothing comes back of them. */
  readonly faults: number
  /** Milliseconds for which the lease may be used, where it is of a lease and so ends before the window. */
  readonly lastsMs?: number
}

/** The numbers that an answer has for each question, in their order. */
const drawNumbers = [
  'after',
  'windowStart',
  'millisecondsUntilReset',
  'granted',
  'outstanding',
  'faults',
] as const satisfies (keyof Draw)[]

/** Writes answers as they travel: the numbers of each in their order. */
export function encodeDraws(draws: readonly Draw[]): readonly number[] {
  return draws.flatMap((draw) => drawNumbers.map((name) => draw[name]))
}

/** Reads what `encodeDraws` wrote; a missing number is 0. */
export function decodeDraws(answer: readonly number[]): readonly Draw[] {
  const draws: Draw[] = []
  for (let from = 0; from < answer.length; from += drawNumbers.length) {
    const [after = 0, windowStart = 0, millisecondsUntilReset = 0, granted = 0, outstanding = 0, faults = 0] =
      answer.slice(from, from + drawNumbers.length)
    draws.push({ after, windowStart, millisecondsUntilReset, granted, outstanding, faults })
  }
  return draws
}
