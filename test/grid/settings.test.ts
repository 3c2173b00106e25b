/** The settings of the simulation. */

import { expect, test } from 'vitest'
import { gridVariables, readGridSettings } from '#grid/settings.ts'

test('readGridSettings() requires a token and has no relays by default', () => {
  expect(readGridSettings({})).toEqual({
    FIELD_TOKEN: '',
    GRID_TOKEN: '',
    GRID_AUTH: true,
    GRID_ROLES: [],
    GRID_RELAYS: 0,
    LEGACY_PROTO_FILTER: false,
    GRID_SYSLOG_ADDRESS: null,
    GRID_SYSLOG_FORMAT: 'rfc5424',
    GRID_SYSLOG_RECORDS: 'all',
    GRID_SYSLOG_FACILITY: 'local0',
    GRID_SYSLOG_HOSTNAME: 'sluice',
  })
  expect(readGridSettings({ GRID_AUTH: 'off', GRID_RELAYS: '4', LEGACY_PROTO_FILTER: 'on' })).toMatchObject({
    GRID_AUTH: false,
    GRID_RELAYS: 4,
    LEGACY_PROTO_FILTER: true,
  })
})

test('readGridSettings() takes 0 to 1000 relays', () => {
  const { parse } = gridVariables.GRID_RELAYS
  expect(['0', '1000', '1001'].map(parse)).toEqual([0, 1000, null])
})

test.each([
  ['GRID_AUTH', 'of', 'perhaps off'],
  ['GRID_RELAYS', 'abc', 'a whole number from 0 to 1000'],
  ['GRID_RELAYS', '-1', 'a whole number from 0 to 1000'],
  ['GRID_SYSLOG_ADDRESS', 'udp://logs:514', 'tcp://HOST:PORT or tls://HOST:PORT'],
  ['GRID_SYSLOG_ADDRESS', 'logs.example:6514', 'tcp://HOST:PORT or tls://HOST:PORT'],
  ['GRID_SYSLOG_ADDRESS', 'tls://logs.example', 'tcp://HOST:PORT or tls://HOST:PORT'],
  ['GRID_SYSLOG_ADDRESS', 'tls://logs.example:65536', 'tcp://HOST:PORT or tls://HOST:PORT'],
  ['GRID_SYSLOG_FORMAT', 'CFE', 'perhaps cef'],
  ['GRID_SYSLOG_FACILITY', 'local8', 'perhaps local'],
  ['GRID_SYSLOG_HOSTNAME', 'two words', 'printable ASCII'],
])('readGridSettings() refuses %s="%s" by its name', (name, value, expected) => {
  const read = () => readGridSettings({ [name]: value })
  expect(read).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
  expect(read).toThrow(`Cannot read settings: ${name} is "${value}"`)
  expect(read).toThrow(expected)
})

const role = { name: 'anna', token: 'a-token-of-a-trainee', simulation: 'drill', right: 'trainee' }

test('readGridSettings() reads roles, and refuses them where tokens are not asked for', () => {
  const read = (more: object, roles: readonly object[]) =>
    readGridSettings({ ...more, GRID_ROLES: JSON.stringify(roles) }).GRID_ROLES
  expect(read({}, [role])).toEqual([
    { name: 'anna', secret: { token: role.token }, simulation: 'drill', right: 'trainee' },
  ])
  expect(() => read({ GRID_AUTH: 'off' }, [role])).toThrow('Cannot use GRID_ROLES: GRID_AUTH is off')
  expect(() => read({}, [{ ...role, right: 'operator' }])).toThrow('[0].right is "operator"')
  expect(() => read({}, [{ ...role, right: 'trainr' }])).toThrow('perhaps trainer')
  expect(() => read({}, [{ ...role, simulation: 'Drill!' }])).toThrow('[0].simulation is missing')
  const many = Array.from({ length: 101 }, (_, at) => ({ ...role, name: `n${at}`, token: `${role.token}-${at}` }))
  expect(() => read({}, many)).toThrow('101 entries')
})

test.each([
  ['tcp://127.0.0.1:601', { host: '127.0.0.1', port: 601, tls: false }],
  ['TLS://logs.example:6514/', { host: 'logs.example', port: 6514, tls: true }],
  ['tcp://[::1]:601', { host: '::1', port: 601, tls: false }],
])('readGridSettings() reads the collector %s', (address, collector) => {
  expect(readGridSettings({ GRID_SYSLOG_ADDRESS: address }).GRID_SYSLOG_ADDRESS).toEqual(collector)
})
