/** The settings of the simulation. */

import { expect, test } from 'vitest'
import { readGridSettings } from '../../src/grid/settings.ts'

test('readGridSettings() asks for a token and has no relays unless told otherwise', () => {
  expect(readGridSettings({})).toEqual({
    GRID_TOKEN: '',
    GRID_AUTH: true,
    GRID_RELAYS: 0,
    LEGACY_PROTO_FILTER: false,
  })
  expect(readGridSettings({ GRID_AUTH: 'off', GRID_RELAYS: '4', LEGACY_PROTO_FILTER: 'on' })).toMatchObject({
    GRID_AUTH: false,
    GRID_RELAYS: 4,
    LEGACY_PROTO_FILTER: true,
  })
})

test.each([
  ['GRID_AUTH', 'of', 'perhaps off'],
  ['GRID_RELAYS', 'abc', 'a whole number from 0 to 1000'],
  ['GRID_RELAYS', '-1', 'a whole number from 0 to 1000'],
])('readGridSettings() refuses %s="%s" by its name', (name, value, expected) => {
  const read = () => readGridSettings({ [name]: value })
  expect(read).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
  expect(read).toThrow(`Cannot read settings: ${name} is "${value}"`)
  expect(read).toThrow(expected)
})
