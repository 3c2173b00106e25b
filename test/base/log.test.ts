/** Log lines: one line each, in both forms, for any text. */

import { expect, test } from 'vitest'
import { isLogged, logJson, logText } from '#base/log.ts'

const entry = { timeMs: Date.UTC(2026, 10, 20, 10, 0, 0, 123), level: 'warning', message: 'two words' } as const

test('logText() writes time, level and msg, then the fields, quoting what needs it', () => {
  expect(logText({ ...entry, fields: { key: 'a_b', text: 'x y', revision: 3 } })).toBe(
    'time="2026-11-20T10:00:00Z" level=warning msg="two words" key=a_b text="x y" revision=3',
  )
})

test('logText() and logJson() keep an entry on one line', () => {
  const fields = { text: 'a\nb "c" \u2028', empty: '' }
  expect(logText({ ...entry, message: 'one\ntwo', fields })).toBe(
    'time="2026-11-20T10:00:00Z" level=warning msg="one\\ntwo" text="a\\nb \\"c\\" \u2028" empty=""',
  )
  expect(logJson({ ...entry, message: 'one\ntwo', fields })).not.toContain('\n')
})

test('logJson() writes @timestamp, @message and level, which no field replaces', () => {
  expect(JSON.parse(logJson({ ...entry, fields: { level: 'no', '@message': 'no', key: 'k' } }))).toEqual({
    key: 'k',
    '@message': 'two words',
    '@timestamp': '2026-11-20T10:00:00.123Z',
    level: 'warning',
  })
})

test('isLogged() lets a level through with all graver ones', () => {
  expect(isLogged('error', 'warning')).toBe(true)
  expect(isLogged('warning', 'warning')).toBe(true)
  expect(isLogged('info', 'warning')).toBe(false)
  expect(isLogged('trace', 'trace')).toBe(true)
})
