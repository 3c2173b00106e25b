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

describe('parseStartOptions(), beside an environment', () => {
  it('listens at the address of the environment, unless an option has another', () => {
    const environment = { HOST: '127.0.0.2', PORT: '9080', GRPC_PORT: '9081', DEBUG_HOST: '127.0.0.4' }
    expect(parseStartOptions([], environment)).toMatchObject({
      host: '127.0.0.2',
      port: 9080,
      grpcHost: '127.0.0.2',
      grpcPort: 9081,
      debugHost: '127.0.0.4',
    })
    expect(parseStartOptions(['--port', '1', '--var', 'HOST=127.0.0.9'], environment)).toMatchObject({
      host: '127.0.0.9',
      port: 1,
    })
  })

  it('opens the port of metrics where USE_PROMETHEUS asks for it, on the host of the services', () => {
    const metrics = (environment: NodeJS.ProcessEnv) => {
      const { metricsHost, metricsPort } = parseStartOptions([], environment) ?? {}
      return `${metricsHost} ${metricsPort}`
    }
    expect(metrics({ PROMETHEUS_ADDR: ':19001' })).toBe('127.0.0.1 0')
    expect(metrics({ USE_PROMETHEUS: 'true' })).toBe('127.0.0.1 9090')
    expect(metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: ':19001', HOST: '0.0.0.0' })).toBe('0.0.0.0 19001')
    expect(metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: '[::1]:1' })).toBe('::1 1')
    expect(() => metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: ':70000' })).toThrow('expected a port')
    expect(() => metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: '19001' })).toThrow('expected HOST:PORT or :PORT')
  })

  it.each([
    [['--prot', '1'], 'Cannot start: there is no option --prot, perhaps --port'],
    [['--zzzzzz'], 'Cannot start: there is no option --zzzzzz, see --help'],
    [['--port'], 'Cannot start: Option'],
  ])('says what is wrong with %j', (args, message) => {
    expect(() => parseStartOptions(args)).toThrow(message)
  })
})
