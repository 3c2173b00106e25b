/** The only window of an object as one stored value: an object that counts one key in one unit needs no tables. */

import type { KeptLease, ShownWindow, Window } from '#ratelimit/counter.ts'
import type { DiskRow } from '#ratelimit/durability/stored-window.ts'
import type { KeptReservation } from '#ratelimit/reservation/reservations.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { findFirstLook } from '../counter/cleanup.ts'
import { type Expiry, waitBetweenLooks } from './expiry.ts'

/** The stored value. */
export interface FirstWindow {
  readonly key: string
  readonly unit: Unit
  readonly start: number
  readonly hits: number
  readonly shown?: readonly ShownWindow[] | undefined
  readonly leases?: readonly KeptLease[] | undefined
  readonly reservations?: readonly KeptReservation[] | undefined
  /** See `DiskRow`. */
  readonly spare: number
  /** The isolate that wrote it. */
  readonly isolate: number
  /** The latest receipts, packed; see `Receipts.latest`. */
  readonly receipts: Float64Array
}

/** Name of the stored value. */
export const firstWindowAt = 'first'

/** Makes the value of a row. */
export function firstWindowOf(
  { key, unit, window, spare }: DiskRow,
  others: Pick<FirstWindow, 'receipts' | 'isolate'>,
): FirstWindow {
  const { start, hits, shown, leases, reservations } = window
  const value = { key, unit, start, hits, shown: listOf(shown), leases: listOf(leases), spare, ...others }
  return reservations === undefined ? value : { ...value, reservations }
}

/** Restores the row of a value. */
export function rowOf({ key, unit, start, hits, shown, leases, reservations, spare }: FirstWindow): DiskRow {
  const window = {
    start,
    hits,
    ...(shown !== undefined && { shown }),
    ...(leases !== undefined && { leases }),
    ...(reservations !== undefined && { reservations }),
  }
  return { key, unit, window, spare }
}

/** Looks at it as `removeOver` looks at tables; gives the next look, undefined when the window may go. */
export function lookAt(first: FirstWindow, now: number, alarmMs: number | undefined): Expiry | undefined {
  const { unit } = first
  const [end, foundOver] = [endOf(first, unit), alarmMs === undefined ? undefined : findFirstLook(alarmMs, unit)]
  if (end > now) return { at: end, unit }
  const wait = waitBetweenLooks(unit)
  if (foundOver !== undefined && end <= foundOver && now - foundOver >= wait) return undefined
  return { at: now + wait, unit, foundOver: now }
}

/** Finds the end of the last window of a counter that its clock has shown, in Unix seconds. */
export function endOf({ start, shown = [] }: Pick<Window, 'start' | 'shown'>, unit: Unit): number {
  return shown.reduce((end, other) => Math.max(end, other.start), start) + unitSeconds[unit]
}

function listOf<One>(list: readonly One[] = []): readonly One[] | undefined {
  return list.length === 0 ? undefined : list
}
