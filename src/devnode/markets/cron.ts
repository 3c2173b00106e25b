/** Schedules in five fields of cron, read in UTC. */

/** Smallest and largest number of each field: minute, hour, day of the month, month, day of the week. */
const fields = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

/** Characters of the longest schedule that is read. */
const mostCharacters = 1_000

const minuteMs = 60_000
const dayMs = 86_400_000
/** Days to search: a schedule of 29 February comes once in eight years where a century is not a leap year. */
const searchedDays = 8 * 366

type Fields = Readonly<Record<'minutes' | 'hours' | 'days' | 'months' | 'weekdays', ReadonlySet<number>>>

interface Schedule extends Fields {
  /** True when neither the day of the month nor the day of the week allows all: then either is enough. */
  readonly eitherDay: boolean
}

/**
 * The next minute after a time that a schedule matches, both in UNIX milliseconds. A schedule has five fields of
 * numbers, ranges, lists and steps, such as `0,30 8-18 * * 1-5`; undefined for other text, or one that never matches.
 */
export function nextTick(schedule: string, afterMs: number): number | undefined {
  const parsed = parseSchedule(schedule)
  if (parsed === undefined) return undefined
  const firstMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs
  const firstDayMs = Math.floor(firstMs / dayMs) * dayMs
  for (let day = 0; day < searchedDays; day++) {
    const dayStartMs = firstDayMs + day * dayMs
    if (!matchesDay(parsed, new Date(dayStartMs))) continue
    const found = firstMinute(parsed, dayStartMs, Math.max(0, firstMs - dayStartMs))
    if (found !== undefined) return found
  }
  return undefined
}

function firstMinute({ hours, minutes }: Schedule, dayStartMs: number, fromMs: number): number | undefined {
  for (let minute = fromMs / minuteMs; minute < 1440; minute++) {
    if (hours.has(Math.floor(minute / 60)) && minutes.has(minute % 60)) return dayStartMs + minute * minuteMs
  }
  return undefined
}

function matchesDay({ days, months, weekdays, eitherDay }: Schedule, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false
  const isDay = days.has(day.getUTCDate())
  const isWeekday = weekdays.has(day.getUTCDay())
  return eitherDay ? isDay || isWeekday : isDay && isWeekday
}

function parseSchedule(text: string): Schedule | undefined {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length || text.length > mostCharacters) return undefined
  const [minutes, hours, days, months, weekdays] = parts.map((part, index) => parseField(part, index))
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  // Both 0 and 7 are Sunday.
  if (weekdays.has(7)) weekdays.add(0)
  const eitherDay = ![parts[2], parts[4]].some(allowsAll)
  return { minutes, hours, days, months, weekdays, eitherDay }
}

// The rule of robfig/cron 3.0.1, by which the network's nodes settle: `*/2` limits a field, `*/1` does not.
function allowsAll(text = ''): boolean {
  return text.split(',').some((item) => /^\*(\/0?1)?$/.test(item))
}

// Reads one field, such as `*`, `*/15` or `0,30-45/5`.
function parseField(text: string, index: number): Set<number> | undefined {
  const [least, most] = fields[index] ?? [0, 0]
  const numbers = new Set<number>()
  for (const item of text.split(',')) {
    const [, star, from, to, step] = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(item) ?? []
    if (star === undefined && from === undefined) return undefined
    const first = star === undefined ? Number(from) : least
    // A step after one number runs to the end of the field.
    const last = star !== undefined || (to === undefined && step !== undefined) ? most : Number(to ?? from)
    if (first < least || last > most || first > last || Number(step) === 0) return undefined
    for (let number = first; number <= last; number += Number(step ?? 1)) numbers.add(number)
  }
  return numbers
}
