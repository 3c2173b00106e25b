import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

let time: typeof import('#console/frame/time.ts')

beforeEach(async () => {
  stubPage()
  time = await import('#console/frame/time.ts')
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const [usual, far, before] = [Date.UTC(2026, 11, 24, 18, 5), Date.UTC(12_345, 5, 7), Date.UTC(-44, 2, 15)]

describe('onDay()', () => {
  it('writes the day of any year, and the time where it is not midnight', () => {
    expect(time.onDay(usual)).toBe('on 24 December 2026 at 18:05')
    expect(time.onDay(far)).toBe('on 7 June 12345')
    expect(time.onDay(before)).toBe('on 15 March -44')
    expect(time.onDay(Number.NaN)).toBe('at an unknown date')
  })
})

describe('dateTime(), day() and time()', () => {
  it('write moments of any year', () => {
    expect([usual, far, before].map(time.dateTime)).toEqual([
      '2026-12-24 18:05:00',
      '+012345-06-07 00:00:00',
      '-000044-03-15 00:00:00',
    ])
    expect([usual, far].map(time.day)).toEqual(['2026-12-24', '+012345-06-07'])
    expect([usual, far].map(time.time)).toEqual(['18:05:00', '00:00:00'])
    expect([time.dateTime(9e15), time.day(9e15), time.time(9e15)]).toEqual(['-', '-', '-'])
  })
})
