import { afterEach, expect, it, vi } from 'vitest'
import { parseSeconds } from '#console/streamnet/dates.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  ['2026-04-20', Date.UTC(2026, 3, 20)],
  [' 2026-04-20 ', Date.UTC(2026, 3, 20)],
  ['2026-12-24T18:00Z', Date.UTC(2026, 11, 24, 18)],
  ['2026-12-24T18:00:30+01:00', Date.UTC(2026, 11, 24, 17, 0, 30)],
  // In UTC as a day is, wherever the browser may be.
  ['2026-12-24T18:00', Date.UTC(2026, 11, 24, 18)],
  ['2026-12-24 18:00', Date.UTC(2026, 11, 24, 18)],
])('parseSeconds() reads %j', (text, ms) => {
  vi.stubEnv('TZ', 'Asia/Kathmandu')
  expect(parseSeconds(text)).toBe(String(ms / 1000))
})

it.each(['86400', 'soon', '2026-02-30', '2026-02-29T12:00Z', '2026-13-01', '2026-04-20T25:00', '2026-04-20x'])(
  'parseSeconds() leaves %j as it is, for the service to read',
  (text) => {
    expect(parseSeconds(text)).toBe(text)
  },
)
