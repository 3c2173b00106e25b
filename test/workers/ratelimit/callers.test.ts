/** Callers and their bounds: tokens and the caller policy, over every protocol. */

import { beforeAll, describe, expect, it } from 'vitest'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { openChannel } from '#bin/ratelimit-client/grpc-channel.ts'
import { encodeRequest, healthCheckPath, readRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { callUnary } from '../../support/grpc-web-client.ts'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit, question } from '../../support/ratelimit-servers.ts'

const [envoy, web] = ['envoy-token-0123456789', 'web-token-0123456789ab']
const lines: string[] = []

const { client, objects } = hostServices(
  [
    { CALLER_TOKENS: `envoy=${envoy},web=${web}`, CALLER_OVERRIDES: 'refuse' },
    { CALLER_OVERRIDES: 'ignore', CALLER_REFUNDS: 'ignore', CALLER_MAX_HITS: '2' },
    { CALLER_REFUNDS: 'refuse' },
    {},
    { CALLER_TOKENS: '' },
    { ADMIN_TOKEN: '' },
  ],
  { onLine: (line) => lines.push(line) },
)

beforeAll(async () => {
  for (const place of [0, 1, 2, 3]) expect(await client(place).load([oneLimit('shop', 'day', 5)])).toBeNull()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function decide(place: number, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${client(place).url}/json`, { method: 'POST', body, headers })
}

const reasonOf = ({ headers }: Response) => decodeURIComponent(headers.get('x-ratelimit-reason') ?? '')

const asking = (value: string, members: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'k', value }], ...members }] })

const override = { limit: { requestsPerUnit: 4_294_967_295, unit: 'SECOND' } }
const refund = { isNegativeHits: true, hitsAddend: '5' }
const prefix = 'ratelimit.service.call.should_rate_limit.'

describe('CALLER_TOKENS', () => {
  const strangers: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['no token', {}, 'it has no token'],
    ['another token', bearer('x'.repeat(22)), 'its token is none of those known'],
    ['the beginning of a token', bearer(envoy.slice(0, -1)), 'its token is none of those known'],
    ['a longer token', bearer(`${envoy}x`), 'its token is none of those known'],
    ['the name of a token', bearer('envoy'), 'its token is none of those known'],
    ['the token of the operator', bearer(adminToken), 'its token is none of those known'],
    ['another scheme', { authorization: `Basic ${envoy}` }, 'its token is none of those known'],
  ]
  const text = (state: string) =>
    `Cannot take request: ${state}, expected "Authorization: Bearer TOKEN" with a token of CALLER_TOKENS`

  it.each(strangers)('refuses %s over /json with 401', async (_, headers, state) => {
    const response = await decide(0, question('shop', ['k', 'stranger']), headers)
    expect([response.status, await response.text()]).toEqual([401, `${text(state)}\n`])
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="rate limit decisions"')
  })

  it.each(strangers)('refuses %s over gRPC-Web, Connect and the reverse bridge', async (_, headers, state) => {
    const [message, path] = [encodeRequest(readRequest(question('shop', ['k', 'stranger']))), shouldRateLimitPath]
    const { status } = await callUnary(fetch, { baseUrl: client(0).url, path, message, headers })
    expect(status).toEqual({ code: 16, message: text(state) })
    const post = (type: string, body: BodyInit) =>
      fetch(client(0).url + path, { method: 'POST', body, headers: { ...headers, 'content-type': type } })
    const connect = await post('application/json', question('shop', ['k', 'stranger']))
    expect([connect.status, await connect.json()]).toEqual([401, { code: 'unauthenticated', message: text(state) }])
    const bridge = await post('application/x-protobuf', message)
    expect([bridge.status, bridge.headers.get('x-grpc-message')]).toEqual([401, text(state)])
  })

  it('takes any of the tokens, over HTTP and as metadata of native gRPC', async () => {
    for (const token of [envoy, web]) {
      expect((await decide(0, question('shop', ['k', token]), bearer(token))).status).toBe(200)
    }
    expect((await decide(0, question('shop', ['k', 'case']), { authorization: `bearer  ${envoy} ` })).status).toBe(200)
    const front = await startGrpcFront({ upstream: client(0).url, port: 0 })
    const message = encodeRequest(readRequest(question('shop', ['k', 'native'])))
    const codes = []
    for (const metadata of [{}, bearer(envoy)]) {
      const channel = openChannel(`127.0.0.1:${front.port}`, null, metadata)
      codes.push((await channel.call(shouldRateLimitPath, message)).status.code)
      channel.close()
    }
    await front.stop(0)
    expect(codes).toEqual([16, 0])
  })

  it('counts strangers, charges nothing for them, and answers health without a token', async () => {
    const before = (await client(0).stats())[`${prefix}unauthenticated`] ?? 0
    expect((await decide(0, question('shop', ['k', 'uncounted']))).status).toBe(401)
    expect((await client(0).stats())[`${prefix}unauthenticated`]).toBe(before + 1)
    const counter = await client(0).operate('/counters?domain=shop&entry=k=uncounted')
    expect(await counter.json()).toMatchObject({ counters: [] })
    expect((await fetch(`${client(0).url}/healthcheck`)).status).toBe(200)
    const check = { baseUrl: client(0).url, path: healthCheckPath, message: new Uint8Array(0) }
    expect((await callUnary(fetch, check)).status.code).toBe(0)
  })

  it('names the caller of a refused request in the log, and never shows a token', async () => {
    expect((await decide(0, asking('named', override), bearer(web))).status).toBe(403)
    await expect
      .poll(() => lines.filter((line) => line.includes('CALLER_OVERRIDES')))
      .toEqual([
        expect.stringMatching(/level=warning msg="Request refused" path=\/json caller=web error="Cannot decide: /),
      ])
    expect(lines.filter((line) => line.includes(envoy) || line.includes(web))).toEqual([])
  })

  it('that is empty refuses every decision instead of letting every caller in', async () => {
    expect((await decide(4, question('shop', ['k', 'v']))).status).toBe(500)
    expect((await fetch(`${client(4).url}/healthcheck`)).status).toBe(500)
  })
})

describe('CALLER_OVERRIDES, CALLER_REFUNDS and CALLER_MAX_HITS', () => {
  it('unset, take everything from callers, as the reference does', async () => {
    const codes = []
    for (let login = 0; login < 30; login++) codes.push((await decide(3, asking('guess', override))).status)
    expect(new Set(codes)).toEqual(new Set([200]))
    expect((await decide(3, asking('victim', { hitsAddend: '4294967295' }))).status).toBe(429)
    expect((await decide(3, asking('victim', { ...refund, hitsAddend: '4294967295' }))).status).toBe(200)
    expect((await decide(3, asking('victim'))).status).toBe(200)
  })

  it('ignore: an override lets nothing more through', async () => {
    const codes = []
    for (let login = 0; login < 7; login++) codes.push((await decide(1, asking('guess', override))).status)
    expect(codes).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect((await client(1).stats())[`${prefix}override_ignored`]).toBe(7)
  })

  it('ignore: hits given back change nothing, and no call adds more than CALLER_MAX_HITS', async () => {
    const remaining = async (members: Readonly<Record<string, unknown>>) => {
      const response = await decide(1, asking('victim', members))
      return ((await response.json()) as { statuses: { limitRemaining?: number }[] }).statuses[0]?.limitRemaining
    }
    expect(await remaining({ hitsAddend: '4294967295' })).toBe(3)
    expect(await remaining(refund)).toBe(3)
    expect(await remaining({ hitsAddend: '1' })).toBe(2)
    expect(await client(1).stats()).toMatchObject({ [`${prefix}refund_ignored`]: 1, [`${prefix}hits_capped`]: 1 })
  })

  it('refuse: 403 over /json and PERMISSION_DENIED (7) over gRPC, with the place and the setting', async () => {
    const text =
      'Cannot decide: descriptors[0].isNegativeHits is not taken from callers, expected a request without it (CALLER_REFUNDS)'
    const response = await decide(2, asking('victim', refund))
    expect([response.status, await response.text(), reasonOf(response)]).toEqual([403, 'Forbidden\n', text])
    const message = encodeRequest(readRequest(asking('victim', refund)))
    const call = { baseUrl: client(2).url, path: shouldRateLimitPath, message }
    expect((await callUnary(fetch, call)).status).toEqual({ code: 7, message: text })
    expect(await client(2).stats()).toMatchObject({ [`${prefix}not_allowed`]: 2, [`${prefix}service_error`]: 2 })
  })
})

describe('a deployment without secrets and rules', () => {
  it('counts nothing for a caller without a token, and says why', async () => {
    const bodies = [asking('v'), asking('v', override), asking('v', refund), asking('v', { hitsAddend: '9' })]
    for (const body of bodies) {
      const response = await decide(5, body)
      expect([response.status, await response.text()]).toEqual([400, 'Bad Request\n'])
      expect(reasonOf(response)).toBe(
        'no rate limit configuration loaded: load one with "sluice ratelimit push", or PUT /config/files',
      )
    }
    expect((await decide(3, asking('counted'))).status).toBe(200)
    expect(await objects(3)).toContain('CounterObject')
    expect(await objects(5)).not.toContain('CounterObject')
  })

  it('takes no rules from any caller', async () => {
    const body = JSON.stringify({ files: { 'config.a.yaml': oneLimit('shop', 'day', 5) } })
    for (const headers of [{}, bearer(''), bearer(adminToken)]) {
      const response = await fetch(`${client(5).url}/config/files`, { method: 'PUT', body, headers })
      expect(response.status).toBe(503)
    }
  })

  it('stays healthy and says that it has no rules, at most once a minute in the log', async () => {
    for (let look = 0; look < 3; look++) {
      const response = await fetch(`${client(5).url}/healthcheck`)
      expect([response.status, await response.text()]).toEqual([200, 'OK'])
      expect(reasonOf(response)).toMatch(/^no rate limit configuration loaded: load one with /)
    }
    await expect
      .poll(() => lines.filter((line) => line.includes('msg="Cannot decide: no rate limit configuration')).length)
      .toBe(1)
  })
})
