/** Algorithms of limits that the reference does not have, and the text that names one in the key of its counter. */

import { memoBounded } from '../../base/memo.ts'
import { type ReservationRule, unsettledEnds } from '../reservation/reservations.ts'
import type { RateLimit, Unit } from '../types.ts'
import { keptSeconds, unitSeconds, units } from '../window.ts'
import { type CalendarUnit, calendarLengths, calendarUnits, isTimeZone } from './calendar.ts'

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
type Charge = (typeof charges)[number]

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

/**
 * Names an algorithm in a key, for example `sliding 60`, `token_bucket 60 100`, `calendar month Europe/Berlin` or
 * `fixed 3600 unsettled charged 600`.
 */
export function algorithmText(algorithm: Algorithm): string {
  const { kind, seconds, charge } = algorithm
  if (kind === 'concurrency') return `${kind} ${seconds}`
  const end = (charge === 'all' ? '' : ` ${charge}`) + reserveText(reserveOf(algorithm))
  if (kind === 'calendar') return `${kind} ${algorithm.period} ${algorithm.zone}${end}`
  return `${kind} ${seconds}${kind === 'token_bucket' ? ` ${algorithm.burst}` : ''}${end}`
}

function reserveText(rule: ReservationRule | undefined): string {
  return rule === undefined ? '' : ` unsettled ${rule.unsettled} ${rule.timeToLive}`
}

/** The rule of an algorithm for reservations, of which holders of concurrency are a kind; undefined where it takes none. */
export function reserveOf(algorithm: Algorithm): ReservationRule | undefined {
  if (algorithm.kind === 'concurrency') return { unsettled: 'refunded', timeToLive: algorithm.seconds }
  return algorithm.kind === 'fixed' || algorithm.kind === 'calendar' ? algorithm.reserve : undefined
}

/** The rule by which a counter holds hits: of its reservations, or of requests that all of their counters take. */
export function holdOf(algorithm: Algorithm): ReservationRule | undefined {
  return reserveOf(algorithm) ?? (algorithm.charge === 'all_or_nothing' ? holdRule : undefined)
}

const windowForm = /^(fixed|sliding) (\d{1,10})(?: (admitted|all_or_nothing))?$/
const concurrencyForm = /^concurrency (\d{1,8})$/
const bucketForm = /^token_bucket (\d{1,10}) (\d{1,10})$/
const calendarForm = /^calendar (day|week|month) ([^ ]+)(?: (admitted|all_or_nothing))?$/
const reserveForm = /^((?:fixed|calendar) .*) unsettled (charged|refunded) (\d{1,8})$/

/** Reads what `algorithmText` writes; null for any other text. */
export function parseAlgorithm(text: string): Algorithm | null {
  const [, plain, end, seconds = ''] = reserveForm.exec(text) ?? []
  const unsettled = unsettledEnds.find((name) => name === end)
  if (plain === undefined || unsettled === undefined) return parsePlain(text)
  const algorithm = isLength(seconds) ? parsePlain(plain) : null
  if (algorithm?.kind !== 'fixed' && algorithm?.kind !== 'calendar') return null
  return { ...algorithm, reserve: { unsettled, timeToLive: Number(seconds) } }
}

function parsePlain(text: string): Algorithm | null {
  const [, kind, seconds = '', charge] = windowForm.exec(text) ?? []
  if (kind === 'fixed' || kind === 'sliding') {
    return isLength(seconds) ? { kind, seconds: Number(seconds), charge: readCharge(charge) } : null
  }
  const [, held = ''] = concurrencyForm.exec(text) ?? []
  if (isLength(held)) return { kind: 'concurrency', seconds: Number(held), charge: 'admitted' }
  const [, bucketSeconds = '', burst = ''] = bucketForm.exec(text) ?? []
  if (isLength(bucketSeconds) && Number(burst) > 0) {
    return { kind: 'token_bucket', seconds: Number(bucketSeconds), burst: Number(burst), charge: 'all' }
  }
  const [, name, zone = '', calendarCharge] = calendarForm.exec(text) ?? []
  const period = calendarUnits.find((unit) => unit === name)
  if (period === undefined || !isTimeZone(zone)) return null
  return { kind: 'calendar', seconds: calendarLengths[period], period, zone, charge: readCharge(calendarCharge) }
}

function readCharge(word: string | undefined): Charge {
  return charges.find((charge) => charge === word) ?? 'all'
}

function isLength(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= longestPeriod
}

/** A counter of an algorithm: the key of its descriptor, and the algorithm. */
export interface AlgorithmCounter {
  readonly key: string
  readonly algorithm: Algorithm
}

/**
 * Joins the key of a counter: that of its descriptor, a line break, and the algorithm's text. Keys of windows of the
 * reference end with `_`, so that neither is ever taken for the other.
 */
export function algorithmKey({ key, algorithm }: AlgorithmCounter): string {
  return `${key}\n${algorithmText(algorithm)}`
}

/** Reads what `algorithmKey` joins; null for the key of windows of the reference. */
export function readAlgorithmKey(text: string): AlgorithmCounter | null {
  if (text.endsWith('_')) return null
  const at = text.lastIndexOf('\n')
  if (at < 0) return null
  const { algorithm } = readName(text.slice(at + 1))
  return algorithm === null ? null : { key: text.slice(0, at), algorithm }
}

/** Every hit reads the name of its algorithm, and rules have few. */
const readName = memoBounded(1_000, (text: string) => ({ algorithm: parseAlgorithm(text) }))

/** The key of the descriptor that a counter is of: all counters of one descriptor are in one object. */
export function descriptorKey(text: string): string {
  return readAlgorithmKey(text)?.key ?? text
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
