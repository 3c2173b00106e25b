/** The only window of an object as one stored value: an object that counts one key in one unit needs no tables. */

import type { KeptLease, ShownWindow, Window } from '#ratelimit/counter.ts'
import type { DiskRow } from '#ratelimit/durability/stored-window.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { type Expiry, waitBetweenLooks } from './expiry.ts'

/** The stored value. */
export interface FirstWindow {
  readonly key: string
  readonly unit: Unit
  readonly start: number
  readonly hits: number
  readonly shown?: readonly ShownWindow[] | undefined
  readonly leases?: readonly KeptLease[] | undefined
  /** See `DiskRow`. */
  readonly spare: number
  /** The isolate that wrote it. */
  readonly isolate: number
  /** The look that found it over, in Unix seconds; null before. */
  readonly foundOver: number | null
  /** The latest receipts, packed; see `Receipts.latest`. */
  readonly receipts: Float64Array
}

/** Name of the stored value. */
export const firstWindowAt = 'first'

/** Makes the value of a row. A window that is open again counts as never found over. */
export function firstWindowOf(
  { key, unit, window, spare }: DiskRow,
  { receipts, isolate }: Pick<FirstWindow, 'receipts' | 'isolate'>,
  before: FirstWindow | undefined,
): FirstWindow {
  const { start, hits, shown, leases } = window
  const found = before?.foundOver ?? null
  const foundOver = found !== null && endOf(window, unit) <= found ? found : null
  const lists = { shown: listOf(shown), leases: listOf(leases) }
  return { key, unit, start, hits, ...lists, spare, isolate, foundOver, receipts }
}

/** Restores the row of a value. */
export function rowOf({ key, unit, start, hits, shown, leases, spare }: FirstWindow): DiskRow {
  const window = { start, hits, ...(shown !== undefined && { shown }), ...(leases !== undefined && { leases }) }
  return { key, unit, window, spare }
}

/** Finds the time of the next look at it. */
export function nextLookAt(first: FirstWindow): Expiry {
  const { unit, foundOver } = first
  const at = foundOver === null ? endOf(first, unit) : foundOver + waitBetweenLooks(unit)
  return { at, unit }
}

/**
 * Looks at it, as `removeOver` looks at tables.
 *
 * @param now - Unix time in seconds; one that is earlier than the look before begins anew.
 * @returns the value after the look, the same object when nothing has changed; undefined when it may go.
 */
export function lookAt(first: FirstWindow, now: number): FirstWindow | undefined {
  const { unit, foundOver } = first
  if (foundOver === null || foundOver > now) {
    const found = endOf(first, unit) <= now ? now : null
    return found === foundOver ? first : { ...first, foundOver: found }
  }
  return now - foundOver < waitBetweenLooks(unit) ? first : undefined
}

/** Finds the end of the last window of a counter that its clock has shown, in Unix seconds. */
export function endOf({ start, shown = [] }: Pick<Window, 'start' | 'shown'>, unit: Unit): number {
  return shown.reduce((end, other) => Math.max(end, other.start), start) + unitSeconds[unit]
}

function listOf<One>(list: readonly One[] = []): readonly One[] | undefined {
  return list.length === 0 ? undefined : list
}
