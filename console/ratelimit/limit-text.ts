/** Limits as text: reads the form that the service prints, and writes a shorter one. */

import { duration } from '../frame/time.ts'
import { type AlgorithmShape, parseShape } from './algorithm-shape.ts'

/** A limit as the service prints it. */
export interface PrintedLimit {
  readonly limit: number
  readonly unit: string
  readonly isShadow: boolean
  /** Such as `sliding 60`; empty for windows of the unit. */
  readonly algorithm: string
}

/** `unit=MINUTE requests_per_unit=5, shadow_mode: false, quota_mode: false, sluice: sliding 60`, then anything. */
const form =
  /^unit=(?<unit>\w+) requests_per_unit=(?<limit>\d+), shadow_mode: (?<shadow>\w+), quota_mode: (?<quota>\w+)(?<rest>(?:, sluice: (?<algorithm>[\w +/-]+))?.*)$/

/** Reads what `limitText` of `src/ratelimit/config/dump.ts` prints; null for any other text. */
export function parseLimit(text: string): PrintedLimit | null {
  const groups = form.exec(text)?.groups
  if (groups === undefined) return null
  const { unit = '', limit, shadow, algorithm = '' } = groups
  return { limit: Number(limit), unit, isShadow: shadow === 'true', algorithm }
}

/** Shortens a printed limit: what has its default is left out, so the sample above is `5 / minute, sluice: sliding 60`. */
export function shortenLimit(text: string): string {
  const groups = form.exec(text)?.groups
  if (groups === undefined) return text
  const { unit = '', limit, shadow, quota, rest } = groups
  const rate = unit === 'UNKNOWN' ? 'unlimited' : `${limit} / ${unit.toLowerCase()}`
  return `${rate}${shadow === 'true' ? ', shadow' : ''}${quota === 'true' ? ', quota' : ''}${rest}`
}

type ShownLimit = Pick<PrintedLimit, 'limit' | 'unit'> & Partial<Pick<PrintedLimit, 'algorithm'>>

/** Writes a limit for people, such as `5 / min` or `5 / 15 min, sliding`. */
export function limitText({ limit, unit, algorithm = '' }: ShownLimit): string {
  if (unit === 'UNKNOWN') return 'unlimited'
  const shape = parseShape(algorithm)
  if (shape?.kind === 'concurrency') return `${limit} at once, each for ${duration(shape.seconds)} at most`
  // The period of a calendar is one of the unit, however many seconds it has.
  const isOneUnit = shape === null || shape.kind === 'calendar'
  const count = isOneUnit ? 1 : shape.seconds / (unitSeconds[unit] ?? 1)
  const period = `${count === 1 ? '' : `${count} `}${shortUnits[unit] ?? unit.toLowerCase()}`
  return [`${limit} / ${period}`, ...(shape === null ? [] : describeShape(shape))].join(', ')
}

/** Seconds of each unit; unlike those of a calendar, every month of the reference has 30 days. */
const unitSeconds: Readonly<Record<string, number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3_600,
  DAY: 86_400,
  WEEK: 604_800,
  MONTH: 2_592_000,
  YEAR: 31_536_000,
}
const shortUnits: Readonly<Record<string, string>> = { SECOND: 's', MINUTE: 'min', HOUR: 'h' }

const freeTexts = { admitted: 'refused hits are free', all_or_nothing: 'hits of a refused request are free' } as const

function describeShape({ kind, burst, zone, free, reserve }: AlgorithmShape): readonly string[] {
  return [
    ...(kind === 'sliding' ? ['sliding'] : []),
    ...(kind === 'token_bucket' ? [`bucket of ${burst}`] : []),
    ...(kind === 'calendar' ? [`of the calendar in ${zone}`] : []),
    ...(free === null ? [] : [freeTexts[free]]),
    ...(reserve === null
      ? []
      : [`reserved hits that nothing settles are ${reserve.unsettled} after ${duration(reserve.seconds)}`]),
  ]
}
