/** Health of all surfaces in one Worker, and of each that is deployed without the others. */

import { describe, expect, it } from 'vitest'
import { version } from '#base/version.ts'
import { operatorToken, startBundle } from '../../support/bundle.ts'
import { gatewayVars } from '../../support/gateway-bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { operatedDeployment, rules } from '../../support/operated-deployment.ts'
import { adminToken } from '../../support/ratelimit-bundle.ts'

const { ask } = operatedDeployment()

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
