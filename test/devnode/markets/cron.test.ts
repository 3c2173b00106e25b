import { describe, expect, it } from 'vitest'
import { nextTick } from '#devnode/markets/cron.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const next = (schedule: string, after: string) => {
  const tick = nextTick(schedule, at(after))
  return tick === undefined ? undefined : new Date(tick).toISOString().slice(0, 16)
}

describe('nextTick()', () => {
  it.each([
    ['*/5 * * * *', '2026-11-22T10:00:00', '2026-11-22T10:05'],
    ['*/5 * * * *', '2026-11-22T10:04:59.999', '2026-11-22T10:05'],
    ['*/5 * * * *', '2026-11-22T23:57', '2026-11-23T00:00'],
    ['0 0 * * *', '2026-12-31T00:00', '2027-01-01T00:00'],
    ['30 8-10 * * *', '2026-11-22T10:30', '2026-11-23T08:30'],
    ['5,10 1 * * *', '2026-11-22T01:05', '2026-11-22T01:10'],
    ['10/25 * * * *', '2026-11-22T01:36', '2026-11-22T02:10'],
    ['0 12 29 2 *', '2026-11-22T00:00', '2028-02-29T12:00'],
    // A Sunday by both of its numbers, and either day where both are limited.
    ['0 0 * * 7', '2026-11-22T00:00', '2026-11-29T00:00'],
    ['0 0 * * 0', '2026-11-22T00:00', '2026-11-29T00:00'],
    ['0 0 13 * 5', '2026-11-22T00:00', '2026-11-27T00:00'],
    // A star with a step limits a field, as in the network's library; a step of one does not, nor does a star in a list.
    ['0 0 */10 * 5', '2026-11-28T00:00', '2026-12-01T00:00'],
    ['0 0 13 * */3', '2026-11-22T00:00', '2026-11-25T00:00'],
    ['0 0 */1 * 5', '2026-11-22T00:00', '2026-11-27T00:00'],
    ['0 0 1,* * 5', '2026-11-22T00:00', '2026-11-27T00:00'],
    ['0 0 * * 5', '2026-11-22T00:00', '2026-11-27T00:00'],
  ])('"%s" after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected)
  })

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '*/0 * * * *',
    '*/00 * * * *',
    '5-1 * * * *',
    '* * 0 * *',
    '0 0 31 2 *',
    '@hourly',
  ])('"%s" has no next minute', (schedule) => {
    expect(next(schedule, '2026-11-22T00:00')).toBeUndefined()
  })
})
