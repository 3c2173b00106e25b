/** Changes of a stream between two heights, for its listeners. */

import type { StreamRecord } from '../streamnet/operations/records.ts'

/**
 * The records of a later look that an earlier one did not have, or had with another value. Records that are
 * older than the window are left out: a read gives the last record before its range as well.
 *
 * @param from - Unix time in seconds; the first date that counts.
 */
export function changedRecords(
  before: readonly StreamRecord[],
  after: readonly StreamRecord[],
  from: number,
): readonly StreamRecord[] {
  const known = new Map(before.map(({ date, value }) => [date, value]))
  return after.filter(({ date, value }) => date >= from && known.get(date) !== value)
}

/** The position that a listener sends when it comes back. */
interface EventId {
  /** The height it has seen last. */
  readonly height: number
  /** The first date it was told, where it had not asked for one; Unix time in seconds. */
  readonly from?: number
}

/** Writes the id of an event: the height, and the first date, without which corrections between would be missed. */
export function formatEventId({ height, from }: EventId): string {
  return from === undefined ? `${height}` : `${height}-${from}`
}

/** Reads what a listener has seen last; undefined for anything that `formatEventId` does not write. */
export function parseEventId(id: string | null): EventId | undefined {
  const parts = /^(\d{1,15})(?:-(-?\d{1,15}))?$/.exec(id ?? '')
  if (parts === null) return undefined
  const [, height, from] = parts
  return { height: Number(height), ...(from !== undefined && { from: Number(from) }) }
}

/** Reads the first date that a listener asks for; undefined for anything else than a whole number. */
export function parseFirstDate(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
