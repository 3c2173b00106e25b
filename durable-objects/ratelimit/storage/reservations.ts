/** Reservations of counters on disk: a few beside their window, more in a row each, so that a change is a row or two. */

import type { Window } from '#ratelimit/counter.ts'
import type { CounterName } from '#ratelimit/durability/stored-window.ts'
import { countOpen, type KeptReservation } from '#ratelimit/reservation/reservations.ts'
import { units } from '#ratelimit/window.ts'
import { nameOf } from '../counter/wire.ts'
import type { RemovedRow } from './expiry.ts'

/** Reservations that a counter keeps beside its window at most: some 2 kB with short ids. */
const mostBeside = 16

/** Tells whether the reservations of a window need no rows. */
export function fitsBeside({ reservations = [] }: Pick<Window, 'reservations'>): boolean {
  return reservations.length <= mostBeside
}

/** Takes the place of the reservations beside a window where they have rows. */
const inRows = 'rows'

/** Opens the table of reservations. */
export function reservationRows(sql: SqlStorage) {
  /** By counter the list whose rows the disk has. */
  const known = new Map<string, readonly KeptReservation[]>()

  function removeAll(key: string, place: number): readonly KeptReservation[] {
    const query = 'DELETE FROM reservations WHERE key = ? AND unit = ? RETURNING reservation'
    return sql.exec<StoredReservation>(query, key, place).toArray().map(readRow)
  }

  /** Both lists rise by number, so that one walk over them finds what differs. */
  function writeChanges(
    [key, place]: readonly [key: string, place: number],
    before: readonly KeptReservation[],
    after: readonly KeptReservation[],
  ): void {
    let at = 0
    const removeBelow = (number: number) => {
      for (let old = before[at]; old !== undefined && numberOf(old) < number; old = before[++at]) {
        sql.exec('DELETE FROM reservations WHERE key = ? AND unit = ? AND number = ?', key, place, numberOf(old))
      }
    }
    for (const one of after) {
      const number = numberOf(one)
      removeBelow(number)
      const old = before[at]
      const isKept = old !== undefined && numberOf(old) === number
      if (isKept) at++
      if (isKept && isSame(old, one)) continue
      sql.exec('INSERT OR REPLACE INTO reservations VALUES (?, ?, ?, ?)', key, place, number, JSON.stringify(one))
    }
    removeBelow(Number.POSITIVE_INFINITY)
  }

  return {
    /** Reads those of a counter, in their order; `beside` is what `write` gave. */
    read({ key, unit }: CounterName, beside: string | null): readonly KeptReservation[] | undefined {
      if (beside === null) return undefined
      if (beside !== inRows) return parse(beside)
      const place = units.indexOf(unit)
      const query = 'SELECT reservation FROM reservations WHERE key = ? AND unit = ? ORDER BY number'
      const reservations = sql.exec<StoredReservation>(query, key, place).toArray().map(readRow)
      known.set(nameOf(key, place), reservations)
      return reservations
    },
    /** Writes what has changed. @returns the text to keep beside the window. */
    write({ key, unit }: CounterName, reservations: readonly KeptReservation[] = []): string | null {
      const place = units.indexOf(unit)
      const name = nameOf(key, place)
      const before = known.get(name)
      if (reservations.length === 0) {
        if (before !== undefined) removeAll(key, place)
        known.delete(name)
        return null
      }
      if (before === undefined && fitsBeside({ reservations })) return JSON.stringify(reservations)
      if (before === undefined) removeAll(key, place)
      if (before !== reservations) writeChanges([key, place], before ?? [], reservations)
      known.set(name, reservations)
      return inRows
    },
    /** Removes those of a counter that was removed. @returns how many were open. */
    remove({ key, unit: place, reservations: beside }: RemovedRow): number {
      if (beside === null) return 0
      if (beside !== inRows) return countOpen(parse(beside))
      known.delete(nameOf(key, place))
      return countOpen(removeAll(key, place))
    },
    /** Forgets everything, when the disk has been emptied. */
    forgetAll: (): void => known.clear(),
  }
}

type StoredReservation = { reservation: string }

const numberOf = ([, , , , number]: KeptReservation) => number

function parse(beside: string): readonly KeptReservation[] {
  // Only `write` fills it.
  return JSON.parse(beside) as readonly KeptReservation[]
}

function readRow({ reservation }: StoredReservation): KeptReservation {
  // Only `write` fills it.
  return JSON.parse(reservation) as KeptReservation
}

/** Compares by value, because an isolate may have kept a window whose row was read again. */
function isSame(one: KeptReservation, other: KeptReservation): boolean {
  return one === other || (one.length === other.length && one.every((part, at) => part === other[at]))
}
