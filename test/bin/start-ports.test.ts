/** The ports of a start: what is said of those that are taken or shared. */

import { createServer, type Server } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseStartOptions, type StartOptions } from '#bin/start/options.ts'
import { assertPortsFree, listPlaces } from '#bin/start/ports.ts'
import { listen } from '../support/listen.ts'
import { freePort } from '../support/process.ts'

const optionsOf = (...args: readonly string[]): StartOptions => {
  const options = parseStartOptions(args)
  if (options === null) throw new Error('no options')
  return options
}

async function occupy(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer()
  return { server, port: await listen(server) }
}

describe('listPlaces()', () => {
  it('has every port that is listened on, with the option that chooses it', () => {
    expect(listPlaces(optionsOf('--host', '127.0.0.2', '--bare-port', '9'))).toEqual([
      { host: '127.0.0.2', port: 8080, option: '--port' },
      { host: '127.0.0.2', port: 8081, option: '--grpc-port' },
      { host: '127.0.0.2', port: 6070, option: '--debug-port' },
      { host: '127.0.0.2', port: 8484, option: '--node-port' },
      { host: '127.0.0.1', port: 8485, option: '--admin-port' },
      { host: '127.0.0.1', port: 9, option: '--bare-port' },
    ])
    const fewer = ['--grpc-port', '0', '--debug-port', '0', '--node-port', '0']
    expect(listPlaces(optionsOf(...fewer)).map(({ option }) => option)).toEqual(['--port'])
    expect(listPlaces(optionsOf('--var', 'GRPC_UDS=/run/grpc.sock')).map(({ option }) => option)).not.toContain(
      '--grpc-port',
    )
  })
})

describe('assertPortsFree()', () => {
  const place = (port: number, option: string, host = '127.0.0.1') => ({ host, port, option })

  it('names every port that is taken, at once', async () => {
    const [one, two] = [await occupy(), await occupy()]
    const places = [place(one.port, '--port'), place(await freePort(), '--debug-port'), place(two.port, '--node-port')]
    await expect(assertPortsFree(places)).rejects.toThrow(
      `Cannot start: port ${one.port} of 127.0.0.1 is taken, choose another with --port\n` +
        `Cannot start: port ${two.port} of 127.0.0.1 is taken, choose another with --node-port`,
    )
    one.server.close()
    two.server.close()
  })

  it('names two options that chose the same port, and does not call it taken', async () => {
    const port = await freePort()
    const line = `Cannot start: --port and --debug-port are both ${port}, expected different ports`
    const refusal = (first: string, second: string) =>
      assertPortsFree([place(port, '--port', first), place(port, '--debug-port', second)]).then(
        () => null,
        (error: Error) => error.message,
      )
    expect(await refusal('127.0.0.1', '127.0.0.1')).toBe(line)
    expect(await refusal('0.0.0.0', '127.0.0.1')).toBe(line)
  })

  it('reports an address of another machine once, however many ports are on it', async () => {
    const places = [place(8080, '--port', '192.0.2.1'), place(8081, '--grpc-port', '192.0.2.1')]
    await expect(assertPortsFree(places)).rejects.toThrow(
      /^Cannot start: 192\.0\.2\.1 is not an address of this machine \(EADDRNOTAVAIL\), choose another with --host$/,
    )
  })
})
