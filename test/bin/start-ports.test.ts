/** The ports of a start: what is said of those that are taken or shared. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { greeting } from '#bin/start/greeting.ts'
import { parseStartOptions, type StartOptions } from '#bin/start/options.ts'
import { assertPortsFree, listPlaces } from '#bin/start/ports.ts'
import { loadSecrets } from '#bin/start/secrets.ts'
import { choosePlacement } from '#bin/start/state-record.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { freePort } from '../support/process.ts'

const optionsOf = (...args: readonly string[]): StartOptions => {
  const options = parseStartOptions(args)
  if (options === null) throw new Error('no options')
  return options
}

function messageOf(act: () => unknown): string {
  try {
    act()
    return ''
  } catch (error) {
    return String(error)
  }
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

describe('loadSecrets()', () => {
  it.each(['{"ADMIN_TOKEN":"secret-of-a-person', 'null', '["secret-of-a-person"]', '{"ADMIN_TOKEN":5}'])(
    'names a file that it cannot read, and shows nothing of it: %s',
    (text) => {
      const folder = makeFolder(onTestFinished)
      writeFileSync(join(folder, 'secrets.json'), text)
      const message = messageOf(() => loadSecrets(folder))
      expect(message).toContain(`${join(folder, 'secrets.json')} is not a JSON object of texts`)
      expect(message).not.toContain('secret-of')
    },
  )
})

describe('loadSecrets(), of a file that a person wrote', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
  const file = join(folder, 'secrets.json')
  afterEach(() => rmSync(file, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('names a folder of that name', () => {
    mkdirSync(file)
    expect(messageOf(() => loadSecrets(folder))).toBe(
      `Error: Cannot read secrets: ${file} is not readable (EISDIR), expected a file of this user`,
    )
  })

  it.each(['', 'x', 'fifteen-charact', 'with spaces in the token'])('refuses the token "%s"', (token) => {
    writeFileSync(file, JSON.stringify({ GRID_TOKEN: token }))
    const message = messageOf(() => loadSecrets(folder))
    expect(message).toContain(`Cannot use secrets of ${file}: GRID_TOKEN can be guessed`)
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ GRID_TOKEN: token }))
  })

  it('refuses a private key that is not one, without showing it', () => {
    writeFileSync(file, '{"STREAMNET_PRIVATE_KEY":"abc123"}')
    const message = messageOf(() => loadSecrets(folder))
    expect(message).toContain('STREAMNET_PRIVATE_KEY is not a private key, expected 64 hex digits')
    expect(message).not.toContain('abc123')
  })
})

describe('choosePlacement()', () => {
  it('names a file that it cannot read, and starts no counter anew', () => {
    const folder = makeFolder(onTestFinished)
    writeFileSync(join(folder, 'state.json'), '{"placement":"per-')
    const message = messageOf(() => choosePlacement(folder, undefined))
    expect(message).toContain(`${join(folder, 'state.json')} is not JSON`)
  })
})

describe('greeting()', () => {
  it('shows tokens at the first start, and later the commands that read them', () => {
    const folder = makeFolder(onTestFinished)
    const placement = { placement: 'shard', reason: 'new' } as const
    const first = loadSecrets(folder)
    expect(greeting(optionsOf(), first, placement, 'code')).toContain(`export GRID_TOKEN=${first.values.GRID_TOKEN}\n`)
    const later = greeting(optionsOf(), loadSecrets(folder), placement, 'code')
    for (const name of ['ADMIN_TOKEN', 'GRID_TOKEN', 'STREAMNET_TOKEN'] as const) {
      expect(later).not.toContain(first.values[name])
      const command = new RegExp(`^ {2}(export ${name}=.*)$`, 'm').exec(later)?.[1]
      const { stdout } = spawnSync('sh', ['-c', `${command}; echo "$${name}"`], { encoding: 'utf8' })
      expect(stdout.trim()).toBe(first.values[name])
    }
  })

  it('shows no token that is not in force, because another one was given', () => {
    const folder = makeFolder(onTestFinished)
    const placement = { placement: 'shard', reason: 'new' } as const
    const given = optionsOf('--var', 'GRID_TOKEN=a-token-of-a-person', '--var', 'ADMIN_TOKEN=another-of-a-person')
    const first = loadSecrets(folder)
    const texts = [first, loadSecrets(folder)].map((secrets) => greeting(given, secrets, placement, 'code'))
    for (const text of texts) {
      expect(text).not.toContain(first.values.GRID_TOKEN)
      expect(text).not.toMatch(/export (GRID|ADMIN)_TOKEN/)
      expect(text).toContain('Bearer $GRID_TOKEN')
      expect(text).toContain('GRID_TOKEN is given by --var or the environment.\n')
      expect(text).toContain('export STREAMNET_TOKEN=')
      expect(text).not.toContain('of-a-person')
    }
  })

  it('gives addresses that can be asked', () => {
    const folder = makeFolder(onTestFinished)
    const placement = { placement: 'shard', reason: 'new' } as const
    const secrets = loadSecrets(folder)
    const base = (host: string) =>
      /runs on (\S+)/.exec(greeting(optionsOf('--host', host), secrets, placement, 'code'))?.[1]
    expect(['0.0.0.0', '::1', '127.0.0.2'].map(base)).toEqual([
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
      'http://127.0.0.2:8080',
    ])
  })
})
