/** What became new in a stream between two heights, for those who listen to it. */

import type { Json } from './json.ts'

/** A record as operations read it. */
export interface SeenRecord {
  readonly date: number
  readonly value: string
}

/** The news of one look at a stream. */
export interface Change {
  /** Block height of the look; the next look continues from it. */
  readonly height: number
  readonly records: readonly SeenRecord[]
}

/**
 * The records of a later look that an earlier one did not have, or had with another value. Records that are
 * older than the window are left out: a read gives the last record before its range as well.
 *
 * @param from - Unix time in seconds; the first date that counts.
 */
export function changedRecords(
  before: readonly SeenRecord[],
  after: readonly SeenRecord[],
  from: number,
): readonly SeenRecord[] {
  const known = new Map(before.map(({ date, value }) => [date, value]))
  return after.filter(({ date, value }) => date >= from && known.get(date) !== value)
}

/** A change as the data of its event. */
export function changeToJson({ height, records }: Change): Json {
  return { height, records: records.map(({ date, value }) => ({ date, value })) }
}

/**
 * Reads the height that a listener has seen last.
 *
 * @param id - the `Last-Event-ID` header or its like; null when there is none.
 * @returns undefined for anything else than a height.
 */
export function parseEventId(id: string | null): number | undefined {
  return id !== null && /^\d{1,15}$/.test(id) ? Number(id) : undefined
}
