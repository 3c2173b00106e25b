/** The table of `docs/operations.md`, asked from outside: every row, on every address, under every host. */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { routes } from '#workers/grid/routes.ts'
import { startBundle } from '../support/bundle.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, type RunningProgram } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

/** One row of the table; statuses are null where a cell is empty. */
interface Row {
  readonly port: string
  readonly request: string
  readonly token: string
  readonly without: number | null
  readonly with: number | null
  readonly deployed: number | null
}

const numberOf = (cell: string) => (cell === '' ? null : Number(cell))
const rows: readonly Row[] = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d{4} \| `/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, port = '', request = '', token = '', without = '', withToken = '', deployed = '']) => ({
    port,
    request,
    token,
    without: numberOf(without),
    with: numberOf(withToken),
    deployed: numberOf(deployed),
  }))

/** The request of a row: a method of HTTP, or one of JSON-RPC. */
function requestOf({ request }: Pick<Row, 'request'>): { method: string; path: string; body: string } {
  const [verb = '', path = ''] = request.split(' ')
  if (verb === verb.toUpperCase()) return { method: verb, path, body: verb === 'GET' ? '' : '{}' }
  return { method: 'POST', path, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: verb, params: {} }) }
}

/** Asks over a separate connection; 0 when the address does not answer. */
function statusOf(
  address: string,
  port: number,
  row: Pick<Row, 'request'>,
  { host = '', token = '', version = '1.1' },
): Promise<number> {
  const { method, path, body } = requestOf(row)
  const fields = [
    ...(host === '' ? [] : [`host: ${host}`]),
    ...(token === '' ? [] : [`authorization: Bearer ${token}`]),
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
    'connection: close',
  ]
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => resolve(0))
    socket.on('close', () => resolve(Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0)))
    socket.write([`${method} ${path} HTTP/${version}`, ...fields, '', body].join('\r\n'))
  })
}

const folder = makeFolder()

describe('npm start --host 0.0.0.0', () => {
  const ports = new Map<string, number>()
  const secrets: Record<string, string> = { STREAMNET_ADMIN_TOKEN: 'operator-0123456789abcdef' }
  let program: RunningProgram

  beforeAll(async () => {
    for (const port of ['8080', '6070', '8484', '8485', '9090']) ports.set(port, await freePort())
    program = startSluice([
      ...['--host', '0.0.0.0', '--persist', folder],
      ...['--port', `${ports.get('8080')}`, '--debug-port', `${ports.get('6070')}`, '--grpc-port', '0'],
      ...['--node-port', `${ports.get('8484')}`, '--admin-port', `${ports.get('8485')}`],
      ...['--var', 'USE_PROMETHEUS=true', '--var', `PROMETHEUS_ADDR=:${ports.get('9090')}`],
      ...['--var', `STREAMNET_ADMIN_TOKEN=${secrets.STREAMNET_ADMIN_TOKEN}`],
    ])
    await greeting(program)
    Object.assign(secrets, JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')))
  })
  afterAll(() => program?.stop())

  it('has a row for every port', () => {
    expect(new Set(rows.map(({ port }) => port))).toEqual(new Set(ports.keys()))
    expect(rows.length).toBeGreaterThan(20)
  })

  it.each(rows)('$port $request', async (row) => {
    const port = ports.get(row.port) ?? 0
    const token = secrets[row.token] ?? ''
    const ask = (address: string, how: { host?: string; token?: string; version?: string }) =>
      statusOf(address, port, row, how)
    expect(await ask('127.0.0.1', { host: 'localhost' })).toBe(row.without)
    expect(await ask('127.0.0.1', { host: `127.0.0.1:${port}`, token: 'x'.repeat(32) })).toBe(row.without)
    expect(await ask('127.0.0.1', { version: '1.0' })).toBe(row.without)
    expect(await ask('127.0.0.1', {})).toBe(400)
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '10.0.0.1']) {
      expect([host, await ask('127.0.0.1', { host, token })]).toEqual([host, 421])
    }
    if (row.token !== '') {
      expect(await ask('127.0.0.1', { host: 'localhost', token })).toBe(row.with)
      const others = Object.entries(secrets).filter(([name]) => name !== row.token)
      for (const [, other] of others) {
        expect(await ask('127.0.0.1', { host: 'localhost', token: other })).toBe(row.without)
      }
    }
    // Linux has all of 127.0.0.0/8; elsewhere nothing answers there, which is not what this is about.
    const isOpen = process.platform === 'linux' && row.port !== '8485'
    expect(await ask('127.0.0.2', { host: '127.0.0.2' })).toBe(isOpen ? row.without : 0)
    expect(await ask('::1', { host: '[::1]' })).toBe(0)
  })

  it.skipIf(process.platform !== 'linux')('listens nowhere else', () => {
    const listening = listeningPorts(processesBelow(program.child.pid ?? 0)).map(({ port }) => port)
    expect(new Set(listening)).toEqual(new Set(ports.values()))
  })
})

describe('a deployment without secrets', () => {
  it('answers every row as in the table, and refuses every route that writes', async () => {
    const persist = join(folder, 'deployed')
    const bundle = await startBundle({ worker: 'index', rebuild: true, persist })
    const port = Number(new URL(bundle.url).port)
    const status = (request: string) => statusOf('127.0.0.1', port, { request }, { host: 'localhost' })
    try {
      for (const { request, deployed } of rows.filter((row) => row.deployed !== null)) {
        expect([request, await status(request)]).toEqual([request, deployed])
      }
      const made = () =>
        readdirSync(persist, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}\.sqlite$/.test(name))
      // The one list of simulations that there is, which is asked about every name.
      await status('GET /simulations/first/api/v1/status')
      // The one object of statistics, which are written a moment after a decision.
      await status('POST /json')
      await expect.poll(() => made().some((name) => name.includes('StatsObject'))).toBe(true)
      const before = made()
      const writes = [
        ...routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} /api/v1${path}`),
        ...routes.map(({ method, path }) => `${method} /simulations/strangers/api/v1${path}`),
        ...['PUT /config/files', 'PUT /config/files/config.x.yaml', 'DELETE /config/files/config.x.yaml'],
        ...[
          'POST /config/rollback',
          'POST /explain',
          'PUT /counters',
          'DELETE /counters',
          'PUT /ratelimit/config/files',
        ],
        ...['POST /streamnet/v1/deploy_stream', 'POST /streamnet/v1/insert_all', 'DELETE /streamnet/v1/jobs/x'],
        ...['user.broadcast /rpc/v1', 'user.broadcast /streamnet/node/rpc/v1', 'dev.reset /streamnet/admin/rpc/v1'],
        ...['local.create_stream /streamnet/admin/rpc/v1', 'POST /json', 'PUT /', 'DELETE /'],
      ]
      for (const request of writes) {
        const answered = await status(request)
        const isRead = /^GET .*\/status$/.test(request)
        expect([request, isRead || answered >= 400]).toEqual([request, true])
      }
      expect(made()).toEqual(before)
    } finally {
      await bundle.stop()
    }
  })
})

/** A process and all below it. */
function processesBelow(pid: number): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' })
  const children = stdout.split('\n').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(processesBelow)]
}

/** The TCP ports that processes listen on, as /proc tells them. */
function listeningPorts(pids: readonly number[]): readonly { readonly address: string; readonly port: number }[] {
  const inodes = new Set(pids.flatMap(socketsOf))
  const table = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1).filter(Boolean)
  return table
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state = '', , , , , , inode = '']) => state === '0A' && inodes.has(inode))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':')
      const octets =
        address
          .match(/../g)
          ?.reverse()
          .map((octet) => Number.parseInt(octet, 16)) ?? []
      return { address: octets.join('.'), port: Number.parseInt(port, 16) }
    })
}

function socketsOf(pid: number): readonly string[] {
  const { stdout } = spawnSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' })
  return [...stdout.matchAll(/socket:\[(\d+)\]/g)].map((match) => match[1] ?? '')
}
