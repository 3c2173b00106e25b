/** SLUICE_TOKENS on every surface: what each scope opens, and one scrape of all metrics. */

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { operatorToken } from '../../support/bundle.ts'
import { fullToken } from '../../support/gateway-bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { operatedDeployment, tokens } from '../../support/operated-deployment.ts'
import { findProgram } from '../../support/process.ts'
import { adminToken } from '../../support/ratelimit-bundle.ts'

const promtool = findProgram('promtool')
const { ask, lines } = operatedDeployment()

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

  it('is never in the log, in which its refusal is', async () => {
    const { status } = await ask('/api/v1/simulation', tokens.scrape)
    expect(status).toBe(401)
    await expect.poll(() => lines.join('\n')).toContain('"level":"warning"')
    for (const token of Object.values(tokens)) expect(lines.join('\n')).not.toContain(token)
  })
})
