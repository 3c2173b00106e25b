/** Moments and durations as the console writes them, in UTC or in the person's own time. */

import { signal } from '@preact/signals'

/** The time zone of moments on the page. */
export const zone = signal<'utc' | 'local'>(localStorage.getItem('sluice-zone') === 'local' ? 'local' : 'utc')

/** Unix time in milliseconds, once a second. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1000)

/** Changes the time that moments are written in, for this browser. */
export function toggleZone(): void {
  zone.value = zone.peek() === 'utc' ? 'local' : 'utc'
  localStorage.setItem('sluice-zone', zone.peek())
}

/** The hour of a moment, such as `09:41:07`. @param ms - Unix time in milliseconds. */
export function time(ms: number): string {
  return shift(ms)?.toISOString().slice(-13, -5) ?? '-'
}

/** The day of a moment, such as `2026-04-20`. @param ms - Unix time in milliseconds. */
export function day(ms: number): string {
  return shift(ms)?.toISOString().slice(0, -14) ?? '-'
}

/** A moment, such as `2026-04-20 09:41:07`. @param ms - Unix time in milliseconds. */
export function dateTime(ms: number): string {
  return shift(ms)?.toISOString().slice(0, -5).replace('T', ' ') ?? '-'
}

/** A moment in words, such as `on 24 December 2026`, with its time where that is not midnight. */
export function onDay(ms: number): string {
  const date = shift(ms)
  if (date === null) return 'at an unknown date'
  const month = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(date)
  const text = `on ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`
  const clock = time(ms).replace(/:00$/, '')
  return clock === '00:00' ? text : `${text} at ${clock}`
}

/** A duration in its two largest units, such as `2 h 5 min`. @param seconds - Rounded to whole ones. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, length] of [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ') || '0 s'
}

/** The date whose parts in UTC are those of the chosen zone; null beyond the calendar, where dates of the network may be. */
function shift(ms: number): Date | null {
  if (!(Math.abs(ms) < 8.63e15)) return null
  const offset = zone.value === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offset)
}
