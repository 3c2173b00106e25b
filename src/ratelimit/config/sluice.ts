/** The block `sluice` of a limit, checked: the algorithm that it asks for, and its rule for reservations. */

import { nearest } from '../../base/nearest.ts'
import { type Algorithm, algorithmKinds, charges, lifeOf, longestPeriod, reserveOf } from '../algorithm/algorithm.ts'
import { calendarLengths, calendarUnits, isTimeZone } from '../algorithm/calendar.ts'
import { type ReservationRule, unsettledEnds } from '../reservation/reservations.ts'
import type { Unit } from '../types.ts'
import { unitSeconds } from '../window.ts'
import type { SluiceBlock } from './grammar.ts'
import type { LimitPlace } from './limit.ts'

/** Seconds after which a reservation ends where its rule does not say. */
const usualTimeToLive = 600

type Wrong = (field: string, message: string, hint: string) => void

/** Compiles a limit's algorithm; undefined for the reference's windows of all hits, null for a mistake. */
export function compileAlgorithm(
  block: SluiceBlock | null,
  { unit, requestsPerUnit }: { readonly unit: Unit; readonly requestsPerUnit: number },
  { path, report }: Pick<LimitPlace, 'path' | 'report'>,
): Algorithm | undefined | null {
  if (block === null) return undefined
  let isRight = true
  const wrong: Wrong = (field, message, hint) => {
    isRight = false
    report({ path: `${path}.sluice.${field}`, line: block.line, message, hint })
  }
  const kind = requireOneOf(algorithmKinds, block.algorithm, 'algorithm', wrong)
  const charge = requireOneOf(charges, block.charge, 'charge', wrong)
  const { unitMultiplier = 1, burst } = block
  checkOptions(block, kind, charge, wrong)
  const reserve = compileReserve(block, kind, wrong)
  if (kind === null || charge === null || !isRight) return null
  const reserving = reserve === undefined ? {} : { reserve }
  if (kind === 'calendar') {
    const algorithm = compileCalendar(block, unit, charge, wrong)
    return algorithm === null ? null : { ...algorithm, ...reserving }
  }
  const seconds = unitSeconds[unit] * unitMultiplier
  const algorithm = { ...createAlgorithm(kind, { seconds, burst: burst ?? requestsPerUnit, charge }), ...reserving }
  const life = lifeOf({ unit, requestsPerUnit, algorithm })
  if (life > longestPeriod) wrong(...tooLong(algorithm, life))
  if (!isRight) return null
  const isReference = kind === 'fixed' && unitMultiplier === 1 && charge === 'all' && reserve === undefined
  return isReference ? undefined : algorithm
}

/** Reports options that are 0, or that have no meaning for the algorithm; a kind of null is one that is not known. */
function checkOptions(
  { unitMultiplier = 1, burst, timeZone, charge: writtenCharge, unsettled }: SluiceBlock,
  kind: Algorithm['kind'] | null,
  charge: Algorithm['charge'] | null,
  wrong: Wrong,
): void {
  if (unitMultiplier < 1) wrong('unit_multiplier', 'unit_multiplier is 0', 'expected a whole number from 1')
  if (burst !== undefined && burst < 1) wrong('burst', 'burst is 0', 'expected a whole number from 1')
  if (burst !== undefined && isOther(kind, 'token_bucket')) {
    wrong('burst', `burst has no meaning for ${kind}`, 'leave out burst, or write algorithm: token_bucket')
  }
  if (timeZone !== '' && isOther(kind, 'calendar')) {
    wrong('time_zone', `time_zone has no meaning for ${kind}`, 'leave out time_zone, or write algorithm: calendar')
  }
  if (kind === 'concurrency' && writtenCharge !== '') {
    wrong('charge', 'charge has no meaning for concurrency', 'leave out charge')
  } else if (charge === 'all_or_nothing' && isOther(kind, 'fixed', 'calendar')) {
    wrong('charge', `all_or_nothing has no meaning for ${kind}`, 'expected algorithm fixed or calendar')
  } else if (charge === 'all_or_nothing' && unsettled !== '') {
    wrong('charge', 'all_or_nothing has no meaning with unsettled', 'leave out one of them')
  }
}

/** Tells whether an algorithm is known and none of these. */
function isOther(kind: Algorithm['kind'] | null, ...kinds: readonly Algorithm['kind'][]): boolean {
  return kind !== null && !kinds.includes(kind)
}

/** The rule for reservations; undefined where a limit takes none, and after a mistake. */
function compileReserve(
  { unsettled: text, timeToLive }: SluiceBlock,
  kind: Algorithm['kind'] | null,
  wrong: Wrong,
): ReservationRule | undefined {
  const seconds = timeToLive ?? usualTimeToLive
  if (text === '' && timeToLive !== undefined) {
    wrong('time_to_live', 'time_to_live has no reservation', 'write unsettled, or leave it out')
  }
  if (text === '') return undefined
  const unsettled = requireOneOf(unsettledEnds, text, 'unsettled', wrong)
  if (isOther(kind, 'fixed', 'calendar')) {
    wrong('unsettled', `unsettled has no meaning for ${kind}`, 'expected algorithm fixed or calendar')
  }
  const most = longestPeriod / 4
  if (seconds < 1 || seconds > most) {
    wrong('time_to_live', `a reservation lasts ${seconds} seconds`, `expected 1 to ${most} seconds`)
  }
  return unsettled === null ? undefined : { unsettled, timeToLive: seconds }
}

function compileCalendar(
  { unitMultiplier = 1, timeZone }: SluiceBlock,
  unit: Unit,
  charge: Algorithm['charge'],
  wrong: Wrong,
): Algorithm | null {
  const period = calendarUnits.find((name) => name === unit.toLowerCase())
  const zone = timeZone === '' ? 'UTC' : timeZone
  const isZone = isTimeZone(zone)
  if (period === undefined) {
    wrong('algorithm', `a calendar has no unit ${unit.toLowerCase()}`, `expected one of ${calendarUnits.join(', ')}`)
  }
  if (unitMultiplier !== 1)
    wrong('unit_multiplier', 'a calendar counts one unit at a time', 'leave out unit_multiplier')
  if (!isZone) {
    wrong('time_zone', `invalid time zone '${zone.slice(0, 64)}'`, 'expected a name such as Europe/Berlin, or UTC')
  }
  if (period === undefined || unitMultiplier !== 1 || !isZone) return null
  return { kind: 'calendar', seconds: calendarLengths[period], period, zone, charge }
}

function requireOneOf<T extends string>(
  known: readonly [T, ...T[]],
  text: string,
  field: string,
  wrong: Wrong,
): T | null {
  if (text === '') return known[0]
  const found = known.find((name) => name === text)
  if (found !== undefined) return found
  const near = nearest(text, known)
  const all = `expected one of ${known.join(', ')}`
  wrong(field, `invalid ${field} '${text.slice(0, 40)}'`, near === undefined ? all : `did you mean "${near}"? ${all}`)
  return null
}

function createAlgorithm(
  kind: Exclude<Algorithm['kind'], 'calendar'>,
  { seconds, burst, charge }: Pick<Extract<Algorithm, { kind: 'token_bucket' }>, 'seconds' | 'burst' | 'charge'>,
): Algorithm {
  if (kind === 'concurrency') return { kind, seconds, charge: 'admitted' }
  return kind === 'token_bucket'
    ? { kind, seconds, burst: Math.max(1, burst), charge: 'all' }
    : { kind, seconds, charge }
}

function tooLong(algorithm: Algorithm, life: number): Parameters<Wrong> {
  const { kind } = algorithm
  const hint = `expected at most ${longestPeriod} seconds`
  const windows = reserveOf(algorithm) === undefined ? 'a window lasts' : 'a window and its reservations last'
  if (kind === 'fixed') return ['unit_multiplier', `${windows} ${life} seconds`, hint]
  if (kind === 'concurrency') return ['unit_multiplier', `holders are remembered for ${life} seconds`, hint]
  if (kind === 'sliding') return ['unit_multiplier', `two windows last ${life} seconds`, hint]
  return ['burst', `a period and the filling of an empty bucket last ${life} seconds`, hint]
}
