/** Metrics and log lines of the simulation, the gateway and the node in one Worker: who may read them, what they say. */

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { operatorToken, startBundle } from '../support/bundle.ts'
import { fullToken, gatewayCaller, gatewayVars } from '../support/gateway-bundle.ts'
import { createSimulations, gridClient, gridToken } from '../support/grid-service.ts'
import { host } from '../support/host.ts'
import { findProgram } from '../support/process.ts'

const promtool = findProgram('promtool')
const scoped = 'scoped-token-of-the-tests'
const lines: string[] = []

const bundle = host(() =>
  startBundle({
    worker: 'index',
    rebuild: true,
    onLine: (line) => lines.push(line),
    vars: {
      ...gatewayVars,
      GRID_TOKEN: gridToken,
      STREAMNET_ADMIN_TOKEN: operatorToken,
      STREAMNET_NODE: 'read',
      STREAMNET_TOKENS: JSON.stringify([{ name: 'scoped', token: scoped, scopes: [`read:0x${'1'.repeat(40)}`] }]),
      LOG_FORMAT: 'json',
    },
  }),
)

const paths = {
  grid: ['/api/v1/metrics', gridToken],
  gateway: ['/streamnet/v1/metrics', fullToken],
  node: ['/streamnet/admin/metrics', operatorToken],
} as const

async function metricsOf(surface: keyof typeof paths): Promise<string> {
  const [path, token] = paths[surface]
  const response = await fetch(`${bundle.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return response.text()
}

/** The value of a series; undefined where there is none. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

describe('metrics', () => {
  it.each(Object.values(paths))('%s are for the token only', async (path, token) => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${scoped}` }]) {
      const response = await fetch(`${bundle.url}${path}`, { headers: headers as Record<string, string> })
      expect([401, 403]).toContain(response.status)
      expect(await response.text()).not.toContain('sluice_')
    }
    const posted = await fetch(`${bundle.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(posted.status).toBe(405)
  })

  it('of the simulation count steps, incidents, alarms and downloads of each', async () => {
    await createSimulations(bundle.url, ['drill'])
    const client = gridClient(bundle.url, 'drill')
    await client.standAt(60)
    await client.enable('GOOSE_TRIP_SPOOF')
    await client.step(40)
    await client.download('/export/csv')
    const text = await metricsOf('grid')
    expect(seriesValue(text, 'sluice_grid_simulations{run="stopped"}')).toBe(1)
    expect(seriesValue(text, 'sluice_grid_simulations{run="new"}')).toBe(1)
    expect(seriesValue(text, 'sluice_grid_steps_total{simulation="drill"}')).toBe(100)
    expect(seriesValue(text, 'sluice_grid_lag_seconds{simulation="drill"}')).toBe(0)
    expect(seriesValue(text, 'sluice_grid_active_attacks{simulation="drill"}')).toBe(1)
    expect(seriesValue(text, 'sluice_grid_exports_total{simulation="drill",kind="csv"}')).toBe(1)
    const counted = (await client.incidents()).filter(({ severity }) => severity === 'CRITICAL')
    expect(counted.length).toBeGreaterThan(0)
    expect(seriesValue(text, 'sluice_grid_incidents_total{simulation="drill",severity="CRITICAL"}')).toBe(
      counted.length,
    )
    expect(seriesValue(text, 'sluice_grid_alarms_total{simulation="drill",detector="breaker"}')).toBeGreaterThan(0)
    // Asking starts nothing.
    expect(seriesValue(await metricsOf('grid'), 'sluice_grid_simulations{run="new"}')).toBe(1)
  })

  it('of the gateway count requests by operation and status, and the answers of the node', async () => {
    const call = gatewayCaller(bundle.url)
    expect((await call('/list_streams')).status).toBe(200)
    expect((await call('/list_streams')).status).toBe(200)
    expect((await call('/list_streams?limit=many')).status).toBe(400)
    expect((await call('/list_steams')).status).toBe(404)
    expect((await call('/list_streams', undefined, { token: 'wrong' })).status).toBe(401)
    const text = await metricsOf('gateway')
    const requests = (operation: string, status: number) =>
      seriesValue(text, `sluice_gateway_requests_total{operation="${operation}",status="${status}"}`)
    expect([requests('list_streams', 200), requests('list_streams', 400)]).toEqual([2, 1])
    expect([requests('unknown', 404), requests('list_streams', 401)]).toEqual([1, undefined])
    const asked = seriesValue(text, 'sluice_gateway_upstream_duration_seconds_count')
    expect(asked).toBeGreaterThan(0)
    expect(seriesValue(text, 'sluice_gateway_upstream_duration_seconds_bucket{le="+Inf"}')).toBe(asked)
    expect(seriesValue(text, 'sluice_gateway_upstream_failures_total')).toBe(0)
  })

  it('of the node have its height, and transactions by the code of their result', async () => {
    const call = gatewayCaller(bundle.url)
    const stream = { stream_id: 'st0123456789abcdef0123456789abcd', stream_type: 'primitive' }
    const before = seriesValue(await metricsOf('node'), 'sluice_node_block_height') ?? 0
    expect((await call('/deploy_stream', stream)).status).toBe(200)
    const text = await metricsOf('node')
    expect(seriesValue(text, 'sluice_node_block_height')).toBeGreaterThan(before)
    expect(seriesValue(text, 'sluice_node_blocks_total')).toBeGreaterThan(0)
    expect(seriesValue(text, 'sluice_node_transactions_total{code="0"}')).toBe(1)
    expect(seriesValue(text, 'sluice_node_mempool_transactions')).toBe(0)
  })

  it.skipIf(promtool === null).each(['grid', 'gateway', 'node'] as const)(
    'of the %s pass promtool check metrics (skipped without promtool)',
    async (surface) => {
      const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', ['check', 'metrics'], {
        input: await metricsOf(surface),
        encoding: 'utf8',
      })
      expect([status, stdout, stderr]).toEqual([0, '', ''])
    },
  )
})

describe('the log', () => {
  it('has one line for each refused request, as LOG_FORMAT asks for, and no token', async () => {
    const begin = lines.length
    const secret = 'a-token-that-nobody-should-see'
    const headers = { authorization: `Bearer ${gridToken}` }
    const sent = { method: 'POST', headers, body: '{"steps": "many"}' }
    await fetch(`${bundle.url}/api/v1/sim/step?token=${secret}`, sent)
    await fetch(`${bundle.url}/streamnet/v1/list_streams?limit=${secret}`, {
      headers: { authorization: `Bearer ${fullToken}` },
    })
    await fetch(`${bundle.url}/streamnet/node/nowhere?token=${secret}`)
    const refused = () =>
      lines
        .slice(begin)
        .filter((line) => line.includes('Request refused'))
        .map((line) => JSON.parse(line))
    await expect.poll(() => refused().length).toBe(3)
    const [step, list, nowhere] = refused()
    expect(step).toMatchObject({ level: 'warning', method: 'POST', path: '/api/v1/sim/step', status: 400 })
    expect(step.reason).toBe('Unknown parameter "token"')
    expect(list).toMatchObject({ method: 'GET', path: '/streamnet/v1/list_streams', status: 400 })
    expect(nowhere).toMatchObject({ path: '/streamnet/node/nowhere', status: 404 })
    expect(lines.filter((line) => line.includes(gridToken) || line.includes(fullToken))).toEqual([])
    expect(lines.filter((line) => line.includes(`token=${secret}`))).toEqual([])
  })
})
