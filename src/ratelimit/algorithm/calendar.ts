/**
 * Windows of a calendar: days, weeks and months of a time zone, daylight saving included.
 *
 * A window begins at the first moment of its first date in the zone. Where the clocks of the zone skip midnight, that is
 * the moment of the change; where midnight comes twice, the first time. A day has 23 to 25 hours then.
 */

import { memoBounded } from '../../base/memo.ts'
import type { Span } from '../window.ts'

/** Units of a calendar. A week begins on Monday (ISO 8601). */
export const calendarUnits = ['day', 'week', 'month'] as const

/** A unit of a calendar. */
export type CalendarUnit = (typeof calendarUnits)[number]

/** Seconds that a window of each unit lasts at most, but for the hour that daylight saving may add. */
export const calendarLengths: Readonly<Record<CalendarUnit, number>> = { day: 86_400, week: 604_800, month: 2_678_400 }

const daySeconds = 86_400
/** Spans and clocks that are kept: rules have few. */
const mostKept = 1_000

/** Tells whether the time zone database has a zone of this name. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z0-9_+\-/]{1,64}$/.test(name)) return false
  try {
    openClock(name)
    return true
  } catch {
    return false
  }
}

/** Finds the windows of a unit in a zone. */
export function calendarSpan(unit: CalendarUnit, zone: string): Span {
  return spanNamed(`${unit} ${zone}`)
}

const spanNamed = memoBounded(mostKept, (name: string) => {
  const [unit = 'day', zone = 'UTC'] = name.split(' ')
  return makeSpan(calendarUnits.find((one) => one === unit) ?? 'day', zone)
})

interface CalendarWindow {
  readonly start: number
  readonly end: number
}

function makeSpan(unit: CalendarUnit, zone: string): Span {
  const offsetAt = openClock(zone)
  let latest: CalendarWindow = { start: 0, end: 0 }

  function windowAt(now: number): CalendarWindow {
    if (latest.start <= now && now < latest.end) return latest
    let first = firstDay(unit, Math.floor((now + offsetAt(now)) / daySeconds))
    let next = nextDay(unit, first)
    // Clocks that go back over midnight show a date again that has ended.
    while (startOfDay(next, offsetAt) <= now) [first, next] = [next, nextDay(unit, next)]
    latest = { start: startOfDay(first, offsetAt), end: startOfDay(next, offsetAt) }
    return latest
  }

  return { length: calendarLengths[unit], startOf: (now) => windowAt(now).start, endOf: (now) => windowAt(now).end }
}

/** The first day of the window that has a day; days are counted from 1 January 1970, a Thursday. */
function firstDay(unit: CalendarUnit, day: number): number {
  if (unit === 'day') return day
  if (unit === 'week') return Math.floor((day + 3) / 7) * 7 - 3
  const date = new Date(day * daySeconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000 / daySeconds
}

function nextDay(unit: CalendarUnit, first: number): number {
  if (unit === 'day') return first + 1
  if (unit === 'week') return first + 7
  const date = new Date(first * daySeconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000 / daySeconds
}

/** The first moment of a date in the zone: Unix time in seconds. */
function startOfDay(day: number, offsetAt: ZoneClock): number {
  const midnight = day * daySeconds
  const [before, after] = [offsetAt(midnight - daySeconds), offsetAt(midnight + daySeconds)]
  const [early, late] = [midnight - Math.max(before, after), midnight - Math.min(before, after)]
  for (const at of [early, late]) if (at + offsetAt(at) === midnight) return at
  // Neither is a midnight: the clocks have skipped it, at a moment between them.
  let [from, to] = [early - 1, late + 1]
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (middle + offsetAt(middle) < midnight) from = middle
    else to = middle
  }
  return to
}

/** Tells the seconds that the local time of a zone is ahead of UTC at a moment. */
type ZoneClock = (now: number) => number

/**
 * Finds the clock of a zone; making one costs fifty times as much as asking it.
 *
 * @throws RangeError when there is no such zone.
 */
const openClock = memoBounded(mostKept, (zone: string): ZoneClock => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (now) => {
    const parts = new Map(format.formatToParts(now * 1000).map(({ type, value }) => [type, Number(value)]))
    const read = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const local = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'))
    return local / 1000 - Math.floor(now)
  }
})
