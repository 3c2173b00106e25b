/** Windows of a calendar beside a brute-force scan of dates, and on the days on which clocks change. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type CalendarUnit, calendarSpan, calendarUnits, isTimeZone } from '#ratelimit/algorithm/calendar.ts'
import { sweep } from '../../support/sweep.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Chatham',
]

const seconds = (text: string) => Date.parse(text) / 1000

/** The date of a moment in a zone, as the database prints it. */
function dateOf(now: number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now * 1000)
}

/** Names the window of a date: the date, the Monday before it, or its month. */
function nameOf(date: string, unit: CalendarUnit): string {
  if (unit === 'day') return date
  if (unit === 'month') return date.slice(0, 7)
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000
  return String(Math.floor((day + 3) / 7))
}

describe('calendarSpan()', () => {
  const moments = sweep(3_000, 150)

  it(`holds every moment of its dates and no other, at ${moments} random moments of twelve zones`, () => {
    for (let seed = 0; seed < moments; seed++) {
      const random = createRandom(seed, 'calendar')
      const zone = zones[random.integer(0, zones.length - 1)] ?? 'UTC'
      const unit = calendarUnits[random.integer(0, 2)] ?? 'day'
      const span = calendarSpan(unit, zone)
      const now = random.integer(seconds('2000-01-01T00:00:00Z'), seconds('2037-01-01T00:00:00Z'))
      const [start, end] = [span.startOf(now), span.endOf(now)]
      const nameAt = (at: number) => nameOf(dateOf(at, zone), unit)
      const inside = [start, Math.floor((start + end) / 2), end - 1].map(nameAt)
      const place = `seed ${seed}: ${unit} of ${zone} at ${now}`
      expect([place, ...inside]).toEqual([place, nameAt(now), nameAt(now), nameAt(now)])
      expect([place, nameAt(start - 1) < nameAt(now), nameAt(end) > nameAt(now)]).toEqual([place, true, true])
      expect([place, start <= now && now < end, span.startOf(end)]).toEqual([place, true, end])
    }
  })

  it.each([
    ['a day of 23 hours', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', 23],
    ['a day of 25 hours', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', 25],
    ['a day without midnight', 'America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00Z', 23],
    ['a day whose midnight comes twice', 'America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z', 25],
    ['a day before one that does not exist', 'Pacific/Apia', '2011-12-30T09:00:00Z', '2011-12-29T10:00:00Z', 24],
    ['a change by half an hour', 'Australia/Lord_Howe', '2026-04-05T03:00:00Z', '2026-04-04T13:00:00Z', 24.5],
  ])('has %s', (_, zone, now, start, hours) => {
    const span = calendarSpan('day', zone)
    expect(new Date(span.startOf(seconds(now)) * 1000).toISOString()).toBe(new Date(start).toISOString())
    expect((span.endOf(seconds(now)) - span.startOf(seconds(now))) / 3_600).toBe(hours)
  })

  it('has weeks from Monday and months of their length', () => {
    const [week, month] = [calendarSpan('week', 'UTC'), calendarSpan('month', 'UTC')]
    const now = seconds('2028-02-29T12:00:00Z')
    expect([week.startOf(now), week.endOf(now)]).toEqual(['2028-02-28T00:00:00Z', '2028-03-06T00:00:00Z'].map(seconds))
    expect([month.startOf(now), month.endOf(now)]).toEqual(
      ['2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'].map(seconds),
    )
  })
})

describe('isTimeZone()', () => {
  it('takes names of the database and nothing else', () => {
    for (const zone of zones) expect([zone, isTimeZone(zone)]).toEqual([zone, true])
    for (const text of ['', 'Mars/Olympus', 'Europe/Berlin ', 'Europe\n', 'a'.repeat(65)])
      expect(isTimeZone(text)).toBe(false)
  })
})
