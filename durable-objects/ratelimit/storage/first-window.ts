/** The only window of an object as one stored value: an object that counts one key in one unit needs no tables. */

import type { KeptLease, ShownWindow, Window } from '#ratelimit/counter.ts'
import type { CounterName, DiskRow } from '#ratelimit/durability/stored-window.ts'
import { countOpen, type KeptReservation } from '#ratelimit/reservation/reservations.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { findFirstLook } from '../counter/cleanup.ts'
import { type Expiry, noneRemoved, type Removed, waitBetweenLooks } from './expiry.ts'

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

/** A window and the number of the isolate that wrote it. */
export interface WrittenRow extends DiskRow {
  readonly isolate: number
}

/** Name of the stored value. */
export const firstWindowAt = 'first'

/** Opens the value of an object; `find` and `nextLook` give undefined when there is none. */
export function openFirstWindow({ kv }: DurableObjectStorage) {
  let value = kv.get<FirstWindow>(firstWindowAt)
  /** The next look at the value, once it was found over. */
  let secondLook: Expiry | undefined

  return {
    isEmpty: (): boolean => value === undefined,
    find({ key, unit }: CounterName): WrittenRow | undefined {
      return value?.key === key && value.unit === unit ? rowOf(value) : undefined
    },
    /** Tells whether a window is the one of the value, or may be. */
    hasRoomFor: ({ key, unit }: CounterName): boolean =>
      value === undefined || (value.key === key && value.unit === unit),
    write(row: WrittenRow, receipts: Float64Array): void {
      value = toValue(row, receipts)
      secondLook = undefined
      kv.put(firstWindowAt, value)
    },
    /** Removes the value from the disk; memory has it until `forget`, because the transaction may fail. */
    remove(): { readonly row: WrittenRow; readonly receipts: Float64Array } | undefined {
      kv.delete(firstWindowAt)
      return value && { row: rowOf(value), receipts: value.receipts }
    },
    removeKey(key: string): void {
      if (value?.key !== key) return
      kv.delete(firstWindowAt)
      value = undefined
    },
    /** Forgets the value in memory, when the disk has it no more. */
    forget(): void {
      value = undefined
    },
    nextLook: (): Expiry | undefined => value && (secondLook ?? { at: endOf(value, value.unit), unit: value.unit }),
    /** Looks at the value as `lookAt` does, and drops it when it was over at an earlier look. */
    expire(now: number, alarmMs: number | undefined): Removed {
      if (value === undefined) return noneRemoved
      secondLook = lookAt(value, now, alarmMs)
      if (secondLook !== undefined) return noneRemoved
      // The disk is emptied, or the next write takes its place: deleting it here would be another row.
      const unsettled = countOpen(value.reservations ?? [])
      value = undefined
      return { windows: 1, blocks: [], unsettled }
    },
  }
}

function toValue({ key, unit, window, spare, isolate }: WrittenRow, receipts: Float64Array): FirstWindow {
  const { start, hits, shown, leases, reservations } = window
  const value = { key, unit, start, hits, shown: listOf(shown), leases: listOf(leases), spare, receipts, isolate }
  return reservations === undefined ? value : { ...value, reservations }
}

function rowOf({ key, unit, start, hits, shown, leases, reservations, spare, isolate }: FirstWindow): WrittenRow {
  const window = {
    start,
    hits,
    ...(shown !== undefined && { shown }),
    ...(leases !== undefined && { leases }),
    ...(reservations !== undefined && { reservations }),
  }
  return { key, unit, window, spare, isolate }
}

/** Looks at it as `removeOver` looks at tables; gives the next look, undefined when the window may go. */
function lookAt(first: FirstWindow, now: number, alarmMs: number | undefined): Expiry | undefined {
  const { unit } = first
  const end = endOf(first, unit)
  const foundOver = alarmMs === undefined ? undefined : findFirstLook(alarmMs, unit)
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
