/** The reservations of one counter: hits that were taken by an estimate, until their true cost is known. */

import { memo } from '../../base/memo.ts'

/** The end of a reservation without a settlement: its hits stay counted, or are given back. */
export const unsettledEnds = ['charged', 'refunded'] as const

/** Rule of a limit for its reservations. */
export interface ReservationRule {
  readonly unsettled: (typeof unsettledEnds)[number]
  /** Whole seconds after which a reservation ends unsettled. */
  readonly timeToLive: number
}

/** The part of a hit that opens a reservation, or settles one: then the hits are the true cost. */
export interface ReservationStep {
  readonly action: 'reserve' | 'settle'
  /** Chosen by the caller. Where open reservations share an id, a settlement takes the oldest. */
  readonly id: string
}

/** The reason for which a settlement changed nothing: no reservation of that id, settled before, or ended before. */
export const settlementFaults = ['not_found', 'settled', 'ended'] as const

/** A reason of that list. */
export type SettlementFault = (typeof settlementFaults)[number]

/**
 * A reservation as it is kept with its counter: hits that it took, start of the window that it took them from, the
 * moment at which it ends, Unix seconds, and its number, above those of all before it in the list. One that was settled
 * or has ended is remembered, to name the fault of a second settlement, and forgotten a time to live after its end.
 */
export type KeptReservation = readonly [
  id: string,
  hits: number,
  start: number,
  until: number,
  number: number,
  end?: SettlementFault,
]

/** Open reservations that a counter has at most. */
export const mostOpen = 1_000
/** Reservations that a counter remembers behind their end at most; the oldest are forgotten first. */
export const mostRemembered = 100
/** Characters of an id at most. */
export const longestId = 128

/** Reservations at a moment, and those that have ended since they were kept. */
interface Passed {
  readonly reservations: readonly KeptReservation[]
  readonly ended: readonly KeptReservation[]
  /** True where one has ended, was forgotten, or had its end drawn in; otherwise the list is the one that was given. */
  readonly isChanged: boolean
}

/**
 * Ends what is overdue, and forgets what has been over for a time to live.
 *
 * A moment that is further ahead than the rule allows was set by a clock that has come back: it is drawn in, so that
 * none holds its hits for longer.
 *
 * @param now - Unix time in whole seconds.
 */
export function passTime(kept: readonly KeptReservation[], now: number, timeToLive: number): Passed {
  const { firstOpen, firstOver, latest } = sumsOf(kept)
  const isDue = firstOpen <= now || now - firstOver >= timeToLive || latest > now + timeToLive
  if (!isDue) return { reservations: kept, ended: noneEnded, isChanged: false }
  const ended: KeptReservation[] = []
  const reservations = kept.flatMap((reservation): readonly KeptReservation[] => {
    const [id, hits, start, until, number, end] = reservation
    const due = Math.min(until, now + timeToLive)
    const ends = end === undefined && due <= now
    if (ends) ended.push(reservation)
    if (now - due >= timeToLive) return []
    if (ends) return [[id, 0, start, due, number, 'ended']]
    if (due === until) return [reservation]
    return [end === undefined ? [id, hits, start, due, number] : [id, hits, start, due, number, end]]
  })
  return { reservations: bounded(reservations), ended, isChanged: true }
}

const noneEnded: readonly KeptReservation[] = []

/** Sums over a list; moments are Unix seconds, infinite where there is none. */
interface Sums {
  /** Open reservations, and their hits. */
  readonly open: number
  readonly openHits: number
  /** The moment at which the first open one ends, that of the first one that is over, and the last of all. */
  readonly firstOpen: number
  readonly firstOver: number
  readonly latest: number
}

/** Every hit asks for the sums, and few change the list: a list of a thousand is read once, and not for each hit. */
const sumsOf = memo((kept: readonly KeptReservation[]): Sums => {
  let open = 0
  let openHits = 0
  let latest = Number.NEGATIVE_INFINITY
  let firstOpen = Number.POSITIVE_INFINITY
  let firstOver = Number.POSITIVE_INFINITY
  for (const one of kept) {
    // By place: a pattern would walk every entry of a list of a thousand.
    const until = one[3]
    latest = Math.max(latest, until)
    if (isOpen(one)) {
      open += 1
      openHits += one[1]
      firstOpen = Math.min(firstOpen, until)
    } else firstOver = Math.min(firstOver, until)
  }
  return { open, openHits, firstOpen, firstOver, latest }
})

function isOpen(one: KeptReservation): boolean {
  return one[5] === undefined
}

/** Finds the number of the next reservation of a list. */
function nextNumber(kept: readonly KeptReservation[]): number {
  return (kept.at(-1)?.[4] ?? 0) + 1
}

/** Adds an open reservation; null where there are `mostOpen`. */
export function openReservation(
  kept: readonly KeptReservation[],
  {
    id,
    hits,
    start,
    until,
  }: { readonly id: string; readonly hits: number; readonly start: number; readonly until: number },
): readonly KeptReservation[] | null {
  if (kept.length >= mostOpen && countOpen(kept) >= mostOpen) return null
  return [...kept, [id, hits, start, until, nextNumber(kept)]]
}

/** A settlement: the reservation that it takes with the list after it, or its fault. */
export type Settlement =
  | { readonly settled: KeptReservation; readonly reservations: readonly KeptReservation[] }
  | { readonly fault: SettlementFault }

/** Settles the oldest open reservation of an id. */
export function settleReservation(kept: readonly KeptReservation[], id: string): Settlement {
  const at = kept.findIndex((one) => one[0] === id && isOpen(one))
  const settled = kept[at]
  if (settled === undefined) return { fault: kept.findLast(([other]) => other === id)?.[5] ?? 'not_found' }
  const [, , start, until] = settled
  const over: KeptReservation = [id, 0, start, until, nextNumber(kept), 'settled']
  return { settled, reservations: bounded(kept.slice(0, at).concat(kept.slice(at + 1), [over])) }
}

/** Counts the reservations that are open. */
export function countOpen(kept: readonly KeptReservation[]): number {
  return sumsOf(kept).open
}

/** Adds up the hits of open reservations. */
export function sumOpen(kept: readonly KeptReservation[]): number {
  return sumsOf(kept).openHits
}

/** Finds the whole seconds until the first open reservation ends, at least 1; undefined where none is open. */
export function secondsUntilEnd(kept: readonly KeptReservation[], now: number): number | undefined {
  const { firstOpen } = sumsOf(kept)
  return Number.isFinite(firstOpen) ? Math.max(1, firstOpen - now) : undefined
}

/** Forgets the oldest that are over, beyond those that are remembered. */
function bounded(kept: readonly KeptReservation[]): readonly KeptReservation[] {
  let beyond = kept.length - countOpen(kept) - mostRemembered
  return beyond <= 0 ? kept : kept.filter((one) => isOpen(one) || beyond-- <= 0)
}
