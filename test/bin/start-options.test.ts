/** The command line of `npm start`: where it listens, by option, by setting, by default. */

import { describe, expect, it } from 'vitest'
import { parseStartOptions } from '#bin/start/options.ts'

const settings = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).flatMap(([name, value]) => ['--var', `${name}=${value}`])

const moved = {
  HOST: '127.0.0.2',
  PORT: '9080',
  GRPC_HOST: '127.0.0.3',
  GRPC_PORT: '9081',
  DEBUG_HOST: '127.0.0.4',
  DEBUG_PORT: '9070',
}

describe('parseStartOptions()', () => {
  it('has the ports of the contract, on this machine only', () => {
    expect(parseStartOptions([])).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      grpcHost: '127.0.0.1',
      grpcPort: 8081,
      debugHost: '127.0.0.1',
      debugPort: 6070,
    })
  })

  it('listens where the settings say', () => {
    expect(parseStartOptions(settings(moved))).toMatchObject({
      host: '127.0.0.2',
      port: 9080,
      grpcHost: '127.0.0.3',
      grpcPort: 9081,
      debugHost: '127.0.0.4',
      debugPort: 9070,
    })
    expect(parseStartOptions(settings({ HOST: '::1' }))).toMatchObject({ grpcHost: '::1', debugHost: '::1' })
    expect(parseStartOptions(settings({ PORT: '', DEBUG_HOST: '' }))).toMatchObject({
      port: 8080,
      debugHost: '127.0.0.1',
    })
  })

  it('takes an option before a setting', () => {
    const options = ['--host', '127.0.0.9', '--port', '1', '--grpc-port', '2', '--debug-port', '3']
    expect(parseStartOptions([...settings(moved), ...options])).toMatchObject({
      host: '127.0.0.9',
      port: 1,
      grpcHost: '127.0.0.9',
      grpcPort: 2,
      debugHost: '127.0.0.9',
      debugPort: 3,
    })
  })

  it.each(['persist', 'config', 'host', 'port', 'grpc-port', 'allowed-host', 'var'])(
    'refuses --%s without a value, as a shell gives for a variable that is not set',
    (name) => {
      expect(() => parseStartOptions([`--${name}`, ''])).toThrow(`Cannot start: --${name} is "", expected a value`)
    },
  )

  it('takes an empty variable of the environment as one that is not set', () => {
    const names = ['SLUICE_STATE', 'SLUICE_CONFIG', 'HOST', 'PORT', 'SLUICE_NODE_PORT', 'SLUICE_ALLOWED_HOSTS']
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    const { vars: _, ...options } = parseStartOptions([], empty) ?? {}
    expect(options).toEqual({ ...parseStartOptions([]), vars: undefined })
  })

  it('refuses what is not a port', () => {
    expect(() => parseStartOptions(settings({ PORT: 'eighty' }))).toThrow(
      'PORT is "eighty", expected a whole number from 0 to 65535',
    )
  })
  it('refuses a word that belongs to no option', () => {
    expect(() => parseStartOptions(['extra'])).toThrow('Cannot start: "extra" is not an option, see --help')
  })
})
