import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { pushFiles } from '#bin/ratelimit/push.ts'
import { LocalClient } from '#streamnet/index.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

const folder = makeFolder()

const portsOf = (port: number, debugPort: number) =>
  ['--port', `${port}`, '--debug-port', `${debugPort}`, '--grpc-port', '0', '--node-port', '0'] as const

/** Starts on free ports and waits for the greeting. */
async function start(...args: readonly string[]) {
  const [port, debugPort] = [await freePort(), await freePort()]
  const program = startSluice([...portsOf(port, debugPort), ...args])
  await greeting(program)
  return { program, url: `http://127.0.0.1:${port}`, debugUrl: `http://127.0.0.1:${debugPort}` }
}

/** Asks the example rules for a marketing message, of which a number gets five a day. */
const message = (url: string, number: string) => {
  const entries = [
    { key: 'message_type', value: 'marketing' },
    { key: 'to_number', value: number },
  ]
  const body = JSON.stringify({ domain: 'messaging', descriptors: [{ entries }] })
  return fetch(`${url}/json`, { method: 'POST', body })
}

describe('npm start', () => {
  it('runs with the example configuration, keeps state and secrets, and stops in order', async () => {
    const persist = join(folder, 'first')
    const { program, url, debugUrl } = await start('--persist', persist)
    for (let hit = 0; hit < 5; hit++) expect((await message(url, '2065550100')).status).toBe(200)
    expect((await message(url, '2065550100')).status).toBe(429)
    const { ADMIN_TOKEN, STREAMNET_PRIVATE_KEY } = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8'))
    expect(program.output()).toContain(ADMIN_TOKEN)
    expect(program.output()).not.toContain(STREAMNET_PRIVATE_KEY)
    expect(statSync(join(persist, 'secrets.json')).mode & 0o077).toBe(0)
    expect((await fetch(`${debugUrl}/rlconfig`)).status).toBe(401)
    const rules = await fetch(`${debugUrl}/rlconfig`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    expect(await rules.text()).toContain('shop.login: unit=MINUTE requests_per_unit=5')
    const service = { url: debugUrl, token: ADMIN_TOKEN, who: 'test' }
    const file = { key: 'config.shop.yaml', text: 'domain: pushed\n', path: 'shop.yaml' }
    expect(await pushFiles(service, [file])).toMatchObject({ kind: 'accepted' })
    program.child.kill('SIGINT')
    expect(await program.ended()).toBe(0)
    const again = await start('--persist', persist)
    expect(again.program.output()).not.toContain(ADMIN_TOKEN)
    await again.program.stop()
  })

  it('prints a link, and another one while it runs; each opens a session of all services', async () => {
    const persist = join(folder, 'signed-in')
    const { program, url } = await start('--persist', persist)
    const printed = /another link, while it runs: npx sluice (console .*)/.exec(program.output())?.[1]
    expect(printed).toBe(`console --persist ${JSON.stringify(persist)}`)
    const command = [join(projectRoot, 'bin/sluice.mjs'), 'console', '--persist', persist]
    const link = execFileSync(process.execPath, command, { encoding: 'utf8' })
    for (const text of [program.output(), link]) {
      const code = new RegExp(`${url}/console#signin=(\\S+)`).exec(text)?.[1]
      const headers = { 'content-type': 'application/json', origin: url }
      const body = JSON.stringify({ code })
      const response = await fetch(`${url}/console/session`, { method: 'POST', headers, body })
      const { key }: { key: string } = JSON.parse(await response.text())
      const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
      const session = { ...headers, cookie, 'x-sluice-session': key }
      for (const path of ['/ratelimit/config', '/api/v1/simulation', '/streamnet/v1/list_streams?limit=1'])
        expect([path, (await fetch(url + path, { headers: session })).status]).toEqual([path, 200])
      const mined = await fetch(`${url}/streamnet/admin/rpc/v1`, {
        method: 'POST',
        headers: session,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.mine', params: {} }),
      })
      expect(JSON.parse(await mined.text())).toMatchObject({ result: { height: expect.any(Number) } })
    }
    await program.stop()
  })

  it('brings up a stream network to read from, on which the gateway may write', async () => {
    const persist = join(folder, 'streams')
    const { program, url } = await start('--persist', persist)
    const { STREAMNET_TOKEN } = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8'))
    const call = async (operation: string, params: Record<string, unknown>) => {
      const headers = { authorization: `Bearer ${STREAMNET_TOKEN}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(params) }
      const response = await fetch(`${url}/streamnet/v1/${operation}`, init)
      expect(response.status).toBe(200)
      const { result }: { result: unknown } = JSON.parse(await response.text())
      return result
    }
    expect(await call('list_streams', { limit: 3 })).toHaveLength(3)
    const stream_id = await call('generate_stream_id', { name: 'mine' })
    await call('deploy_stream', { stream_id })
    await call('insert_record', { stream_id, record: { date: 1_700_000_000, value: '1.5' } })
    expect(await call('get_records', { stream_id, date_from: 0 })).toEqual([
      { date: 1_700_000_000, value: '1.500000000000000000' },
    ])
    await program.stop()
  })

  it("opens the operator's port of the node on this machine only, with local.* and dev.* and nothing else", async () => {
    const [nodePort, adminPort] = [await freePort(), await freePort()]
    const { program } = await start(
      ...['--persist', join(folder, 'operator'), '--host', '0.0.0.0'],
      ...['--node-port', `${nodePort}`, '--admin-port', `${adminPort}`],
    )
    const call = async (method: string) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })
      const response = await fetch(`http://127.0.0.1:${adminPort}/rpc/v1`, { method: 'POST', headers, body })
      return JSON.parse(await response.text())
    }
    expect((await call('dev.status')).result.height).toBeGreaterThan(1)
    expect((await call('local.list_streams')).result).toEqual({ streams: [] })
    expect((await call('user.ping')).error.code).toBe(-32601)
    const client = new LocalClient(`http://127.0.0.1:${adminPort}`)
    expect(await client.listStreams()).toEqual([])
    expect(program.output()).toContain(`127.0.0.1:${adminPort}`)
    expect(program.output()).toContain(`0.0.0.0:${nodePort}`)
    // Linux answers for all of 127.0.0.0/8; where only 127.0.0.1 is there, this has nothing to tell.
    const isReached = (port: number) =>
      fetch(`http://127.0.0.2:${port}/api/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    if (await isReached(nodePort)) expect(await isReached(adminPort)).toBe(false)
    await program.stop()
  })

  it('listens where the settings say: native gRPC on a UNIX socket, metrics on a port that asks for no token', async () => {
    const [port, debugPort, metricsPort] = [await freePort(), await freePort(), await freePort()]
    const socket = join(folder, 'grpc.sock')
    const metrics = { USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: `:${metricsPort}`, PROMETHEUS_PATH: '/prometheus' }
    const settings = { HOST: '127.0.0.1', PORT: port, DEBUG_PORT: debugPort, GRPC_UDS: socket, ...metrics }
    const program = startSluice([
      ...['--persist', join(folder, 'settings'), '--node-port', '0'],
      ...Object.entries(settings).flatMap(([name, value]) => ['--var', `${name}=${value}`]),
    ])
    await greeting(program)
    expect(program.output()).toContain(`${socket} rate limit, native gRPC`)
    expect((await fetch(`http://127.0.0.1:${port}/healthcheck`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${debugPort}/stats`)).status).toBe(401)
    const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${metricsPort}${path}`, { method })
    expect(await (await ask('/prometheus')).text()).toContain('# TYPE ratelimit_service_config_load_success counter')
    const others = [ask('/rlconfig'), ask('/prometheus/../config/files'), ask('/prometheus', 'POST'), ask('/metrics')]
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
    const client = new Client(`unix:${socket}`, credentials.createInsecure())
    const same = (bytes: Buffer) => bytes
    const health = await new Promise((resolve, reject) => {
      const path = '/grpc.health.v1.Health/Check'
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
    // HealthCheckResponse: field 1, SERVING.
    expect(health).toEqual(Buffer.from([0x08, 0x01]))
    client.close()
    await program.stop()
  })

  it('loads another configuration and settings', async () => {
    const config = mkdtempSync(join(folder, 'config-'))
    writeFileSync(
      join(config, 'one.yaml'),
      'domain: one\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 0 } }]',
    )
    const { program, url } = await start(
      '--persist',
      join(folder, 'second'),
      '--config',
      config,
      '--var',
      'SHADOW_MODE=true',
    )
    const body = '{"domain":"one","descriptors":[{"entries":[{"key":"k","value":"v"}]}]}'
    const response = await fetch(`${url}/json`, { method: 'POST', body })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ overallCode: 'OK', statuses: [{ code: 'OVER_LIMIT' }] })
    await program.stop()
  })

  it('reports a taken port in one line, and ends with 1', async () => {
    const server = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const program = startSluice([...portsOf(port, await freePort()), '--persist', join(folder, 'third')])
    expect(await program.ended()).toBe(1)
    expect(program.output().trim()).toBe(`Cannot start: port ${port} of 127.0.0.1 is taken, choose another with --port`)
    server.close()
  })

  it.each([
    [['--port', 'abc'], 'Cannot start: --port is "abc", expected a port from 1 to 65535'],
    [['--var', 'NEAR_LIMIT_RATIO'], 'Cannot start: --var is "NEAR_LIMIT_RATIO", expected NAME=VALUE'],
    [['--var', 'NEAR_LIMIT_RATIO=7'], 'Cannot read settings: NEAR_LIMIT_RATIO is "7", expected a number from 0 to 1'],
    [['--config', 'no-such-folder'], 'Cannot start: --config is "no-such-folder", expected a folder'],
  ])('says in one line what is wrong with %j, and ends with 1', async (args, message) => {
    const program = startSluice(args)
    expect(await program.ended()).toBe(1)
    expect(program.output().trim()).toBe(message)
  })

  it('names every mistake of a configuration, and ends with 1', async () => {
    const config = mkdtempSync(join(folder, 'config-'))
    writeFileSync(join(config, 'bad.yaml'), 'domain: bad\ndescriptors: [{ key: k, rate_limit: { unit: fortnight } }]')
    const ports = portsOf(await freePort(), await freePort())
    const program = startSluice([...ports, '--persist', join(folder, 'mistaken'), '--config', config])
    expect(await program.ended()).toBe(1)
    expect(program.output()).toContain("/bad.yaml: invalid rate limit unit 'fortnight'")
  })
})
