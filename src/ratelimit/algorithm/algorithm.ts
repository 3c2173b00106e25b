/** Algorithms of limits that the reference does not have: what each counts and holds, and for how long. */

import type { ReservationRule } from '../reservation/reservations.ts'
import type { RateLimit, Unit } from '../types.ts'
import { keptSeconds, unitSeconds, units } from '../window.ts'
import type { CalendarUnit } from './calendar.ts'

/**
 * Algorithm of a limit; lengths are whole seconds. A limit of the reference has none: it counts every hit in windows of
 * its unit.
 *
 * - `fixed`: windows of a length, aligned to the Unix epoch.
 * - `sliding`: two windows, the one before with the weight of the part of it that is less than a length ago.
 * - `calendar`: days, weeks or months of a time zone; see `calendarSpan`.
 * - `concurrency`: hits that are held until they are released, or for a length at most.
 * - `token_bucket`: a bucket of `burst` hits that fills evenly, by the limit's hits in each length.
 */
export type Algorithm = (
  | { readonly kind: 'fixed'; readonly seconds: number; readonly reserve?: ReservationRule }
  | { readonly kind: 'sliding'; readonly seconds: number }
  | { readonly kind: 'concurrency'; readonly seconds: number }
  | { readonly kind: 'token_bucket'; readonly seconds: number; readonly burst: number }
  | {
      readonly kind: 'calendar'
      readonly seconds: number
      readonly period: CalendarUnit
      readonly zone: string
      readonly reserve?: ReservationRule
    }
) & { readonly charge: Charge }

/**
 * The hits that count: all, as in the reference, only those that are admitted, or only those of requests that every
 * counter admits. A bucket never counts refused ones.
 */
export type Charge = (typeof charges)[number]

/** Charges, as a configuration writes them. */
export const charges = ['all', 'admitted', 'all_or_nothing'] as const

/** A hold of `all_or_nothing` that is neither kept nor given back ends after so many seconds. */
const holdRule: ReservationRule = { unsettled: 'refunded', timeToLive: 10 }

/** Names of algorithms, as a configuration writes them. */
export const algorithmKinds = [
  'fixed',
  'sliding',
  'token_bucket',
  'calendar',
  'concurrency',
] as const satisfies Algorithm['kind'][]

/** The longest window of a limit, in seconds: a year of the reference. */
export const longestPeriod = unitSeconds.YEAR

/** The rule of an algorithm for reservations, of which holders of concurrency are a kind; undefined where it takes none. */
export function reserveOf(algorithm: Algorithm): ReservationRule | undefined {
  if (algorithm.kind === 'concurrency') return { unsettled: 'refunded', timeToLive: algorithm.seconds }
  return algorithm.kind === 'fixed' || algorithm.kind === 'calendar' ? algorithm.reserve : undefined
}

/** The rule by which a counter holds hits: of its reservations, or of requests that all of their counters take. */
export function holdOf(algorithm: Algorithm): ReservationRule | undefined {
  return reserveOf(algorithm) ?? (algorithm.charge === 'all_or_nothing' ? holdRule : undefined)
}

/** An algorithm of windows that follow one another. */
export type WindowAlgorithm = Extract<Algorithm, { kind: 'fixed' | 'calendar' }>

/**
 * Tells whether each hit counts, in windows of a unit or of an algorithm. A counter that is over stays so to the end of
 * its window then, and may be leased and remembered.
 */
export function countsEachHit(algorithm: Algorithm | undefined): algorithm is WindowAlgorithm | undefined {
  if (algorithm?.kind !== 'fixed' && algorithm?.kind !== 'calendar') return algorithm === undefined
  return algorithm.charge === 'all' && algorithm.reserve === undefined
}

/** Finds the most hits that a limit admits at once. A limit of 0 admits none with any algorithm. */
export function capacityOf({ requestsPerUnit, algorithm }: RateLimit): number {
  return algorithm === undefined ? requestsPerUnit : capacityFor(algorithm, requestsPerUnit)
}

/** Finds the most hits that an algorithm admits at once, for a limit of requests per unit. */
export function capacityFor(algorithm: Algorithm, limit: number): number {
  return algorithm.kind === 'token_bucket' && limit > 0 ? algorithm.burst : limit
}

/** Finds the seconds in which a limit admits `capacityOf` hits again: a window, or an empty bucket until it is full. */
export function periodOf({ requestsPerUnit, unit, algorithm }: RateLimit): number {
  if (algorithm === undefined) return unitSeconds[unit]
  return algorithm.kind === 'token_bucket' ? secondsToFill(algorithm, requestsPerUnit) : algorithm.seconds
}

/** Finds the seconds in which an empty bucket is full, 1 at least; a period for a rate of 0, which admits nothing. */
export function secondsToFill(bucket: { readonly seconds: number; readonly burst: number }, rate: number): number {
  const { seconds, burst } = bucket
  return rate === 0 ? seconds : Math.max(1, Math.ceil((burst * seconds) / rate))
}

/** Finds the seconds after the start of a window in which its counter is of use. */
export function lifeOf({ requestsPerUnit, unit, algorithm }: RateLimit): number {
  if (algorithm === undefined) return unitSeconds[unit]
  const { kind, seconds } = algorithm
  // A reservation is remembered for a time to live behind its end.
  const reserved = 2 * (reserveOf(algorithm)?.timeToLive ?? 0)
  if (kind === 'fixed' || kind === 'concurrency') return seconds + reserved
  // Clocks that go back make a window longer, by an hour as a rule.
  if (kind === 'calendar') return seconds + 86_400 + reserved
  return kind === 'sliding' ? 2 * seconds : seconds + secondsToFill(algorithm, requestsPerUnit)
}

/** Finds the shortest unit that lasts so long: stores keep a counter for the length of its unit. */
export function unitThatLasts(seconds: number): Unit {
  return units.find((unit) => keptSeconds(unit) >= seconds) ?? 'YEAR'
}
