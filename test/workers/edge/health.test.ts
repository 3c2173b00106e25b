/** Health, metrics and request ids of all surfaces in one Worker, and of each that is deployed without the others. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { version } from '#base/version.ts'
import { operatorToken, startBundle } from '../../support/bundle.ts'
import { fullToken, gatewayVars } from '../../support/gateway-bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'
import { findProgram } from '../../support/process.ts'
import { adminToken } from '../../support/ratelimit-bundle.ts'

const promtool = findProgram('promtool')
const lines: string[] = []
const tokens = {
  all: 'token-for-everything',
  reader: 'token-for-reading-all',
  grid: 'token-for-grid-writes',
  scrape: 'token-for-one-scrape',
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const rules = 'domain: shop'
const vars = {
  ...gatewayVars,
  RATELIMIT_RULES: rules,
  ADMIN_TOKEN: adminToken,
  GRID_TOKEN: gridToken,
  STREAMNET_ADMIN_TOKEN: operatorToken,
  STREAMNET_NODE: 'read',
  LOG_FORMAT: 'json',
  SLUICE_TOKENS: JSON.stringify([
    { name: 'all', token: tokens.all, scopes: ['*'] },
    { name: 'reader', sha256: sha256(tokens.reader), scopes: ['*:read'] },
    { name: 'grid', sha256: sha256(tokens.grid), scopes: ['grid'] },
    { name: 'scrape', token: tokens.scrape, scopes: ['metrics'] },
  ]),
}

const bundle = host(() => startBundle({ worker: 'index', rebuild: true, vars, onLine: (line) => lines.push(line) }))

function ask(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
  return fetch(`${bundle.url}${path}`, { ...init, headers })
}

describe('/healthz', () => {
  it('names the surfaces of the deployment and asks for nothing', async () => {
    const response = await ask('/healthz')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ok', version, surfaces: ['ratelimit', 'grid', 'streamnet'] },
    ])
  })
})

describe('/readyz', () => {
  it('is 200 with every part once all can answer', async () => {
    const response = await ask('/readyz')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ready', version, parts: { settings: true, ratelimit: true, grid: true, gateway: true, node: true } },
    ])
  })
})

describe.each([
  ['grid', { GRID_TOKEN: gridToken }, { GRID_RELAYS: 'many' }, ['settings', 'grid']],
  [
    'ratelimit',
    { ADMIN_TOKEN: adminToken, RATELIMIT_RULES: rules },
    { NEAR_LIMIT_RATIO: '7' },
    ['settings', 'ratelimit'],
  ],
  ['streamnet', gatewayVars, { STREAMNET_ENDPOINT: 'http://127.0.0.1:1' }, ['settings', 'gateway', 'node']],
] as const)('the %s deployed without the others', (worker, own, broken, parts) => {
  it('is ready with its parts, and not with one that is broken: 503 names it', async () => {
    const single = await startBundle({ worker, rebuild: true, vars: own })
    try {
      expect(await (await fetch(`${single.url}/healthz`)).json()).toEqual({ status: 'ok', version, surfaces: [worker] })
      const ready = await fetch(`${single.url}/readyz`)
      expect([ready.status, Object.keys((await ready.json()).parts)]).toEqual([200, parts])
      const url = await single.restart({ ...own, ...broken })
      const unready = await fetch(`${url}/readyz`)
      const answer = await unready.json()
      expect([unready.status, answer.status]).toEqual([503, 'not_ready'])
      expect(Object.values(answer.parts)).toContain(false)
    } finally {
      await single.stop()
    }
  })
})

describe('the rate limiter without rules', () => {
  it('is not ready, because it refuses every decision, and healthy, as the reference is', async () => {
    const single = await startBundle({ worker: 'ratelimit', rebuild: true, vars: {} })
    try {
      const ready = async (url: string) => {
        const response = await fetch(`${url}/readyz`)
        return [response.status, (await response.json()).parts.ratelimit]
      }
      expect(await ready(single.url)).toEqual([503, false])
      expect((await fetch(`${single.url}/healthcheck`)).status).toBe(200)
      expect(await ready(await single.restart({ RATELIMIT_RULES: rules }))).toEqual([200, true])
    } finally {
      await single.stop()
    }
  })
})

describe('the readiness of the stream network', () => {
  const readiness = async (vars: Readonly<Record<string, string>>, prepare?: (url: string) => unknown) => {
    const single = await startBundle({ worker: 'streamnet', rebuild: true, vars })
    try {
      await prepare?.(single.url)
      const response = await fetch(`${single.url}/readyz`)
      return [response.status, ((await response.json()) as { parts: unknown }).parts]
    } finally {
      await single.stop()
    }
  }

  it('is not there while the ledger takes no transaction, for the gateway and the open node', async () => {
    const vars = {
      ...gatewayVars,
      STREAMNET_DEVELOPMENT: 'true',
      STREAMNET_ADMIN_TOKEN: operatorToken,
      STREAMNET_MAX_STORE_MB: '1',
    }
    const stream = `st${'0'.repeat(30)}`
    const times = Array.from({ length: 12_000 }, (_, at) => at)
    const fill = async (url: string) => {
      const operate = async (method: string, params: object) => {
        const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        await (await fetch(`${url}/streamnet/admin/rpc/v1`, { method: 'POST', headers, body })).text()
      }
      await operate('local.create_stream', { stream_id: stream, stream_type: 'primitive' })
      for (let at = 0; at < times.length; at += 4_000) {
        const event_time = times.slice(at, at + 4_000)
        const [stream_id, value] = [event_time.map(() => stream), event_time.map(() => '1')]
        await operate('local.insert_records', { stream_id, event_time, value })
      }
    }
    expect(await readiness(vars)).toEqual([200, { settings: true, gateway: true, node: true }])
    expect(await readiness(vars, fill)).toEqual([503, { settings: true, gateway: false, node: false }])
  })

  it('asks the network where operators of SLUICE_TOKENS are the only callers of the gateway', async () => {
    const operators = (scope: string) => ({
      STREAMNET_ENDPOINT: 'http://127.0.0.1:1',
      SLUICE_TOKENS: JSON.stringify([{ name: 'ops', token: 'token-of-an-operator', scopes: [scope] }]),
    })
    const parts = { settings: true, gateway: true, node: true }
    expect(await readiness(operators('gateway:read'))).toEqual([503, { ...parts, gateway: false }])
    expect(await readiness(operators('grid'))).toEqual([200, parts])
  })
})

describe('/metrics', () => {
  const samples = [
    'ratelimit_service_config_load_success',
    'sluice_grid_simulations',
    'sluice_gateway_upstream_failures_total',
    'sluice_node_block_height',
  ]

  it.each([
    ['ADMIN_TOKEN', adminToken],
    ['the scope metrics', tokens.scrape],
    ['the scope *:read', tokens.reader],
  ])('has every surface in one scrape, with %s', async (_, token) => {
    const config = { files: { 'config.shop.yaml': 'domain: shop\n' } }
    await ask('/config/files', adminToken, { method: 'PUT', body: JSON.stringify(config) })
    const response = await ask('/metrics', token)
    expect(response.status).toBe(200)
    const text = await response.text()
    for (const name of samples) expect(text).toMatch(new RegExp(`^${name}[ {]`, 'm'))
    for (const name of ['ratelimit', 'grid', 'streamnet']) {
      expect(text).toContain(`sluice_surface_up{surface="${name}"} 1`)
    }
  })

  it('refuses a stranger and a token of another scope', async () => {
    for (const token of [undefined, 'wrong', tokens.grid, gridToken, fullToken]) {
      const response = await ask('/metrics', token)
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain('sluice_')
    }
  })

  it.skipIf(promtool === null)('pass promtool check metrics (skipped without promtool)', async () => {
    const input = await (await ask('/metrics', tokens.scrape)).text()
    const { stdout, stderr } = spawnSync(promtool ?? 'promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    // The names of the reference rate limiter are not what promtool recommends; it must parse all of them.
    expect(`${stdout}${stderr}`).not.toMatch(/error|sluice_/)
  })
})

describe('the request id', () => {
  const paths = ['/api/v1/status', '/stats', '/streamnet/v1', '/streamnet/node/api/v1/health', '/json'] as const

  it.each(paths)('of %s is the one that was sent, or a new one', async (path) => {
    const sent = await ask(path, undefined, { headers: { 'x-request-id': 'from-the-proxy.1' } })
    expect(sent.headers.get('x-request-id')).toBe('from-the-proxy.1')
    const made = await ask(path, undefined, { headers: { 'x-request-id': 'a b' } })
    // A decision says no id that its caller does not know.
    if (path === '/json') expect(made.headers.has('x-request-id')).toBe(false)
    else expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is in the log line of every surface, with its name', async () => {
    const refused = ['/api/v1/simulation', '/streamnet/v1/list_streams', '/json'] as const
    for (const [at, path] of refused.entries()) {
      await (await ask(path, 'wrong', { headers: { 'x-request-id': `line-${at}` } })).text()
    }
    const found = () => {
      const objects = lines.filter((line) => line.includes('"line-')).map((line) => JSON.parse(line))
      return objects.map(({ surface, request_id, level }) => [surface, request_id, level])
    }
    await expect.poll(found, { timeout: 120_000 }).toEqual([
      ['grid', 'line-0', 'warning'],
      ['streamnet', 'line-1', 'warning'],
      ['ratelimit', 'line-2', 'warning'],
    ])
  })
})

describe('SLUICE_TOKENS', () => {
  const reads = [
    ['/api/v1/simulation', 'grid'],
    ['/stats', 'ratelimit'],
    ['/streamnet/v1/list_streams', 'gateway'],
    ['/streamnet/admin/spec/v1', 'node'],
  ] as const

  it.each(reads)('GET %s is open to an operator of everything, of reading, and not to others', async (path, area) => {
    const status = async (token: string) => (await ask(path, token)).status
    expect([await status(tokens.all), await status(tokens.reader)]).toEqual([200, 200])
    expect(await status(tokens.grid)).toBe(area === 'grid' ? 200 : 401)
    expect([await status(tokens.scrape), await status(`${tokens.all}x`)]).toEqual([401, 401])
  })

  it('lets the tokens of each surface in as before', async () => {
    const statuses = await Promise.all([
      ask('/api/v1/simulation', gridToken),
      ask('/stats', adminToken),
      ask('/streamnet/v1/list_streams', fullToken),
      ask('/streamnet/admin/spec/v1', operatorToken),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('keeps a reader from writing on each surface', async () => {
    const json = { 'content-type': 'application/json' }
    const write = async (path: string, token: string, body: string) =>
      (await ask(path, token, { method: 'POST', body, headers: json })).status
    const stream = JSON.stringify({ stream_id: `st${'1'.repeat(30)}`, stream_type: 'primitive' })
    const status = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.status', params: {} })
    for (const [path, body] of [
      ['/api/v1/sim/stop', ''],
      ['/config/check', '{"files": {}}'],
      ['/streamnet/admin/rpc/v1', status],
    ] as const) {
      expect(await write(path, tokens.reader, body)).toBe(401)
      expect(await write(path, tokens.all, body)).toBeLessThan(400)
    }
    expect(await write('/streamnet/v1/deploy_stream', tokens.reader, stream)).toBe(403)
    expect(await write('/streamnet/v1/deploy_stream', tokens.all, stream)).toBe(200)
  })

  it('keeps a reader from profiles, which hold secrets', async () => {
    const status = async (path: string, token: string) => (await ask(path, token)).status
    for (const path of ['/debug/pprof/heap', '/ratelimit/debug/pprof/profile', '/debug/pprof/heap?seconds=1']) {
      // There is no profiler beside this deployment.
      expect([await status(path, tokens.reader), await status(path, tokens.all)]).toEqual([401, 501])
      expect([await status(path, tokens.grid), await status(path, adminToken)]).toEqual([401, 501])
    }
  })

  it('is never in the log', () => {
    for (const token of Object.values(tokens)) expect(lines.join('\n')).not.toContain(token)
  })
})
