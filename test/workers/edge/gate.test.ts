/** The gate before the services: what closes it, for whom, in which form, and that no failure of it locks anyone out. */

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { operatorToken, startBundle } from '../../support/bundle.ts'
import { fullToken, gatewayVars } from '../../support/gateway-bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'
import { listen } from '../../support/listen.ts'
import { adminToken } from '../../support/ratelimit-bundle.ts'

const operator = 'token-of-an-operator'
const callerToken = 'token-of-the-gate'
const shipped = readFileSync(join(projectRoot, 'examples/ratelimit/config/sluice.yaml'), 'utf8')

const vars = {
  ...gatewayVars,
  ADMIN_TOKEN: adminToken,
  GRID_TOKEN: gridToken,
  STREAMNET_ADMIN_TOKEN: operatorToken,
  STREAMNET_NODE: 'read',
  STREAMNET_NODE_TOKEN: 'token-of-node-callers',
  GATE_ENABLED: 'true',
  // The gate is a caller like any other: it needs a token where the rate limiter asks for one.
  CALLER_TOKENS: `gate=${callerToken}`,
  GATE_CALLER_TOKEN: callerToken,
  SLUICE_TOKENS: JSON.stringify([{ name: 'ops', token: operator, scopes: ['*'] }]),
}

const bundle = host(() => startBundle({ worker: 'index', rebuild: true, vars }))

function ask(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
  return fetch(`${bundle.url}${path}`, { ...init, headers })
}

const status = async (path: string, token?: string, init: RequestInit = {}) => {
  const response = await ask(path, token, init)
  await response.body?.cancel()
  return response.status
}

/** Replaces the rules, which also begins new counters of the same rules only once their windows end. */
async function configure(text: string): Promise<void> {
  const body = JSON.stringify({ files: { 'config.sluice.yaml': text } })
  expect(await status('/config/files', adminToken, { method: 'PUT', body })).toBe(200)
}

const rule = (key: string, value: string, limit: number) => `domain: sluice
descriptors:
  - key: ${key}
    descriptors:
      - key: operation
        value: ${value}
        rate_limit: {unit: day, requests_per_unit: ${limit}}
`

/** Asks until the gate closes, as often as given at most; the number of requests that passed. */
async function passes(most: number, path: string, token: string, init: RequestInit = {}): Promise<number> {
  for (let passed = 0; passed < most; passed++) if ((await status(path, token, init)) === 429) return passed
  return most
}

const surfaces = [
  ['the grid', '/api/v1/simulation', gridToken],
  ['the operator plane', '/stats', 'wrong-token-of-the-plane'],
  ['the gateway', '/streamnet/v1/list_streams', fullToken],
  ['the node', '/streamnet/node/spec/v1', 'token-of-node-callers'],
] as const

describe('the gate', () => {
  it('lets everything pass while there are no rules', async () => {
    for (const [, path, token] of surfaces) expect(await passes(5, path, token)).toBe(5)
    // A rate limiter without rules is one that failed, which is asked again a second later.
    await configure(rule('token', 'read', 0))
    await expect.poll(() => status('/stats', 'any-token'), { timeout: 120_000 }).toBe(429)
  })

  it.each(surfaces)(
    'counts reads of one token, and closes %s to it with 429 and Retry-After',
    async (_, path, token) => {
      await configure(rule('token', 'read', 3))
      expect(await passes(10, path, token)).toBe(3)
      const refused = await ask(path, token)
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(86_400)
      expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      const words = `Cannot answer: too many requests, try again in ${seconds} second`
      const body = await refused.text()
      if (path.startsWith('/api')) expect(JSON.parse(body).error).toContain(words)
      else if (path.startsWith('/streamnet/v1')) {
        expect(JSON.parse(body)).toMatchObject({
          code: 'too_many',
          status: 429,
          detail: expect.stringContaining(words),
        })
        expect(refused.headers.get('content-type')).toContain('application/problem+json')
      } else if (path.startsWith('/streamnet/node')) {
        expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining(words) } })
      } else expect(body).toContain(words)
      // The operator's token is not counted.
      if (!path.startsWith('/streamnet/node')) expect(await passes(5, path, operator)).toBe(5)
    },
  )

  it.each([
    '/streamnet/v1/api/v1/health',
    '/streamnet/v1/jobs/api/v1/health',
    '/streamnet/node/api/v1/health',
    '/streamnet/admin/api/v1/health',
  ])('counts wrong tokens at %s too, and leaves the health of the node open to those without one', async (path) => {
    await configure(rule('address', 'failed_token', 4))
    await expect.poll(() => status(path, 'a-wrong-token'), { timeout: 120_000 }).toBe(429)
    expect(await status('/streamnet/node/api/v1/health')).not.toBe(429)
  })

  it('closes an address after its wrong tokens, to right ones too, and not to operators', async () => {
    await configure(rule('address', 'failed_token', 4))
    const path = '/api/v1/simulation'
    const wrong = () => status(path, 'a-wrong-token')
    // The count follows the answer, so that the gate may close one or two requests later.
    await expect.poll(wrong, { timeout: 120_000 }).toBe(429)
    expect(await status(path, gridToken)).toBe(429)
    expect([await status(path, operator), await status('/stats', adminToken)]).toEqual([200, 200])
    expect(await status('/streamnet/admin/spec/v1', operatorToken)).toBe(200)
    // A request without a token guesses none.
    expect(await status('/api/v1/status')).toBe(200)
  })

  it('counts writes and streams of one token, each by its own limit', async () => {
    await configure(rule('token', 'write', 2))
    const write = { method: 'POST' }
    expect(await passes(5, '/api/v1/sim/stop', gridToken, write)).toBe(2)
    expect(await status('/api/v1/simulation', gridToken)).toBe(200)
    await configure(rule('token', 'stream', 2))
    expect(await passes(5, '/api/v1/events', gridToken)).toBe(2)
    expect(await status('/api/v1/simulation', gridToken)).toBe(200)
  })

  it('never closes decisions and health', async () => {
    await configure(
      `domain: sluice\ndescriptors: [{key: address, descriptors: [{key: operation, rate_limit: {unit: day, requests_per_unit: 0}}]}]\n`,
    )
    expect(await status('/api/v1/simulation', gridToken)).toBe(429)
    const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'a', value: 'b' }] }] })
    const paths = ['/healthz', '/readyz', '/healthcheck', '/streamnet/node/api/v1/health'] as const
    for (const path of paths) expect(await status(path)).not.toBe(429)
    expect(await status('/json', callerToken, { method: 'POST', body })).toBe(200)
    // And it can be opened again.
    await configure(shipped)
    expect(await status('/api/v1/simulation', gridToken)).toBe(200)
  })

  it('is off without GATE_ENABLED', async () => {
    await configure(rule('token', 'read', 0))
    expect(await status('/streamnet/v1/list_streams', fullToken)).toBe(429)
    await bundle.restart({ ...vars, GATE_ENABLED: 'false' })
    expect(await status('/streamnet/v1/list_streams', fullToken)).toBe(200)
  })
})

describe('a gate whose rate limiter fails', () => {
  let limiter: Server | undefined
  afterAll(() => limiter?.close())

  it('lets everything pass where the rate limiter refuses the gate itself', async () => {
    await bundle.restart({ ...vars, GATE_CALLER_TOKEN: 'not-a-caller' })
    expect(await passes(5, '/streamnet/v1/list_streams', fullToken)).toBe(5)
  })

  it('lets requests pass within its patience where a bound rate limiter never answers', async () => {
    const { url } = await startSilent()
    const single = await startBundle({
      worker: 'grid',
      rebuild: true,
      vars: { GRID_TOKEN: gridToken, GATE_ENABLED: 'true' },
      services: { RATELIMIT: url.host },
    })
    try {
      const headers = { authorization: `Bearer ${gridToken}` }
      const response = await fetch(`${single.url}/api/v1/simulation`, { headers })
      expect(response.status).toBe(200)
    } finally {
      await single.stop()
    }
  })

  /** A server that takes requests and answers none. */
  async function startSilent(): Promise<{ readonly url: URL }> {
    const server = createServer(() => undefined)
    limiter = server
    return { url: new URL(`http://127.0.0.1:${await listen(server)}`) }
  }
})

describe('a grid that is bound to a rate limit service', () => {
  it('asks that service before it answers', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      request.on('data', (chunk) => requests.push(String(chunk)))
      request.on('end', () => {
        response.writeHead(429, { 'content-type': 'application/json' })
        response.end('{"overallCode":"OVER_LIMIT","statuses":[{"code":"OVER_LIMIT","durationUntilReset":"7s"}]}')
      })
    })
    const port = await listen(server)
    const single = await startBundle({
      worker: 'grid',
      vars: { GRID_TOKEN: gridToken, GATE_ENABLED: 'true' },
      services: { RATELIMIT: `127.0.0.1:${port}` },
    })
    try {
      const headers = { authorization: `Bearer ${gridToken}` }
      const response = await fetch(`${single.url}/api/v1/simulation`, { headers })
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
      expect(requests.join('')).toContain('"domain":"sluice"')
      // What leaves is the beginning of a hash.
      expect(requests.join('')).not.toContain(gridToken)
    } finally {
      await single.stop()
      server.close()
    }
  })
})
