/** Keys of the counters of algorithms: each names its algorithm in a text that is read back from it. */

import { memoBounded } from '../../base/memo.ts'
import { type ReservationRule, unsettledEnds } from '../reservation/reservations.ts'
import { type Algorithm, type Charge, charges, longestPeriod, reserveOf } from './algorithm.ts'
import { calendarLengths, calendarUnits, isTimeZone } from './calendar.ts'

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
