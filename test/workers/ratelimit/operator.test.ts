/** The operator plane, row by row: who may, what each path answers, and what a bad request gets. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit, question } from '../../support/ratelimit-servers.ts'

const { client } = hostServices([
  { EXTRA_TAGS: 'place:test' },
  { ADMIN_TOKEN: '' },
  { NEAR_LIMIT_RATIO: 'most' },
  { LOCAL_CACHE_SIZE_IN_BYTES: '100000' },
  { PROMETHEUS_PATH: '/prometheus' },
])

beforeAll(async () => {
  await client().load([oneLimit('shop', 'day', 2)])
})

const paths = ['/rlconfig', '/stats', '/metrics', '/config', '/counters?key=k', '/ratelimit/', '/ratelimit/stats']

describe('GET / of the service only', () => {
  it('says what is here to visitors, as HTML to browsers, and refuses a wrong token', async () => {
    const page = await fetch(client().url)
    expect([page.status, await page.json()]).toMatchObject([200, { name: 'Sluice rate limit service' }])
    const html = await fetch(client().url, { headers: { accept: 'text/html,*/*' } })
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const links = [...(await html.text()).matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
    for (const path of links) {
      expect([path, (await fetch(`${client().url}${path}`)).status]).not.toEqual([path, 404])
    }
    const wrong = await fetch(client().url, { headers: { authorization: 'Bearer wrong' } })
    expect(wrong.status).toBe(401)
  })
})

describe('the operator plane', () => {
  it.each(paths)('refuses strangers at %s with 401 and says how to ask', async (path) => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${adminToken}`, `Bearer ${adminToken}x`]) {
      const response = await fetch(`${client().url}${path}`, { headers: { authorization } })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(await response.text()).not.toContain(adminToken)
    }
  })

  it.each(paths)('answers the operator at %s with 200', async (path) => {
    expect((await client().operate(path)).status).toBe(200)
  })

  it('shows the metrics at PROMETHEUS_PATH as well, to the operator only', async () => {
    for (const path of ['/prometheus', '/ratelimit/prometheus', '/metrics']) {
      const response = await client(4).operate(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      expect((await fetch(`${client(4).url}${path}`)).status).toBe(401)
    }
    expect((await client().operate('/prometheus')).status).toBe(404)
  })

  it('is off, not open, without ADMIN_TOKEN', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer undefined', 'Bearer ']) {
      const response = await fetch(`${client(1).url}/stats`, { headers: { authorization } })
      expect([response.status, await response.text()]).toEqual([
        503,
        'The operator plane is off: set the secret ADMIN_TOKEN\n',
      ])
    }
  })

  it('lists its paths at /, sorted', async () => {
    const lines = (await (await client().operate('/')).text()).trimEnd().split('\n')
    expect(lines).toEqual([...lines].sort())
    expect(lines.map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['/debug/pprof/', '/rlconfig', '/stats', '/metrics']),
    )
  })

  it("prints rules in the reference's line format at /rlconfig", async () => {
    expect(await (await client().operate('/rlconfig')).text()).toBe(
      'shop.k: unit=DAY requests_per_unit=2, shadow_mode: false, quota_mode: false\n',
    )
  })

  it('prints name: value lines at /stats and Prometheus text at /metrics, with the extra tags', async () => {
    await client().decide(question('shop', ['k', 'stats']))
    const stats = await (await client().operate('/stats')).text()
    expect(stats).toContain('ratelimit.service.rate_limit.shop.k.total_hits.__place=test: ')
    expect(stats.split('\n').filter((line) => line !== '' && !/^\S+: -?\d+$/.test(line))).toEqual([])
    const metrics = await client().operate('/metrics')
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await metrics.text()).toMatch(
      /^ratelimit_service_rate_limit_total_hits\{domain="shop",key1="k",place="test"\} \d+$/m,
    )
  })
})

describe('/metrics after a gRPC call', () => {
  it('has the call and the time it took, under the names of the reference', async () => {
    const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
    const headers = { 'content-type': 'application/json' }
    const body = question('shop', ['k', 'timed'])
    expect((await fetch(`${client(3).url}${path}`, { method: 'POST', headers, body })).status).toBe(500)
    await client(3).load([oneLimit('shop', 'day', 2)])
    expect((await fetch(`${client(3).url}${path}`, { method: 'POST', headers, body })).status).toBe(200)
    const metrics = await (await client(3).operate('/metrics')).text()
    expect(metrics).toContain('ratelimit_service_total_requests{grpc_method="ShouldRateLimit"} 2\n')
    expect(metrics).toContain('ratelimit_service_response_time_seconds_count{grpc_method="ShouldRateLimit"} 2\n')
    expect(metrics).toMatch(/^ratelimit_localcache_hitCount \d+$/m)
  })
})

describe('/config', () => {
  const put = (path: string, body: string, more: Record<string, string> = {}) =>
    client().operate(path, { method: 'PUT', body, headers: more })
  const set = (...texts: string[]) =>
    JSON.stringify({ files: Object.fromEntries(texts.map((text, at) => [`config.file${at}.yaml`, text])) })

  it('keeps who changed what, serves files back, checks without changing, and rolls back', async () => {
    const first = (await (
      await put('/config/files', set(oneLimit('shop', 'day', 2)), { from: 'ann@example' })
    ).json()) as { revision: number }
    const second = (await (await put('/config/files/config.more.yaml', oneLimit('more', 'hour', 3))).json()) as {
      revision: number
      changes: { files: unknown }
    }
    expect(second.revision).toBe(first.revision + 1)
    expect(second.changes.files).toEqual({ added: ['config.more.yaml'], changed: [], removed: [] })
    expect(await (await client().operate('/config/files/config.more.yaml')).text()).toBe(oneLimit('more', 'hour', 3))
    const check = await client().operate('/config/check', { method: 'POST', body: set(oneLimit('else', 'day', 1)) })
    expect(await check.json()).toMatchObject({ revision: second.revision })
    const back = await client().operate('/config/rollback', {
      method: 'POST',
      body: JSON.stringify({ revision: first.revision }),
    })
    expect(await back.json()).toMatchObject({ revision: second.revision + 1 })
    const status = (await (await client().operate('/config')).json()) as { revisions: readonly unknown[] }
    expect(status).toMatchObject({ revision: second.revision + 1, isolate: { revision: second.revision + 1 } })
    expect(status.revisions).toContainEqual(expect.objectContaining({ revision: first.revision, who: 'ann@example' }))
    expect((await client().operate('/config/files/config.more.yaml')).status).toBe(404)
  })

  it('answers 422 with every mistake, remembers the refusal, and goes on with what ran', async () => {
    const bad = set(
      'domain: a\ndescriptors: [{value: v}]\n',
      'domain: b\ndescriptors: [{key: k, rate_limit: {unit: fortnight}}]\n',
    )
    const response = await put('/config/files', bad)
    expect(response.status).toBe(422)
    const { error } = (await response.json()) as { error: { message: string; mistakes: readonly unknown[] } }
    expect(error.message).toBe('config.file0.yaml: descriptor has empty key')
    expect(error.mistakes).toHaveLength(2)
    expect(await (await client().operate('/config')).json()).toMatchObject({ lastError: { mistakes: error.mistakes } })
    expect((await client().decide(question('shop', ['k', 'after refusal']))).status).toBe(200)
  })

  it('seeds nothing over a configuration', async () => {
    const response = await put('/config/files', set(oneLimit('seed', 'day', 1)), { 'if-none-match': '*' })
    expect(response.status).toBe(412)
    expect(await (await client().operate('/rlconfig')).text()).not.toContain('seed')
  })

  it.each([
    ['PUT', '/config/files', 'not json', 400],
    ['PUT', '/config/files', '{}', 400],
    ['PUT', '/config/files', '{"files":{"a/b":"x"}}', 400],
    ['PUT', '/config/files', '{"files":{"a":1}}', 400],
    ['PUT', '/config/files/%ff', 'x', 400],
    ['PUT', '/config/files/big', 'x'.repeat(1_000_001), 413],
    ['DELETE', '/config/files/config.none.yaml', undefined, 404],
    ['GET', '/config/revisions/999999', undefined, 404],
    ['GET', '/config/revisions/newest', undefined, 400],
    ['POST', '/config/rollback', '{"revision":"1"}', 400],
    ['POST', '/config/rollback', '{"revision":999999}', 404],
    ['GET', '/counters', undefined, 400],
    ['PUT', '/counters?key=k&seconds=-1', undefined, 400],
    ['POST', '/explain', '{', 400],
    ['PATCH', '/config', undefined, 405],
    ['GET', '/config/unknown', undefined, 404],
  ])('answers %s %s with its status and a sentence', async (method, path, body, status) => {
    const response = await client().operate(path, body === undefined ? { method } : { method, body })
    expect(response.status).toBe(status)
    expect((await response.text()).length).toBeGreaterThan(20)
  })
})

describe('/counters and /explain', () => {
  it('read, block, lift and forget a counter', async () => {
    const ask = async () => (await client().decide(question('shop', ['k', 'c1']))).status
    const counters = (init: RequestInit, more = '') => client().operate(`/counters?key=shop_k_c1_${more}`, init)
    expect(await ask()).toBe(200)
    expect(await (await counters({})).json()).toMatchObject({
      counters: [{ unit: 'DAY', hits: 1 }],
      blockedUntil: null,
    })
    expect((await counters({ method: 'PUT' }, '&seconds=60')).status).toBe(200)
    expect(await ask()).toBe(429)
    expect((await counters({ method: 'PUT' }, '&seconds=0')).status).toBe(200)
    expect(await (await counters({ method: 'DELETE' })).json()).toMatchObject({
      forgotten: { counters: [{ hits: 2 }] },
    })
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  })

  it('are not asked about a value on a list, from the answer to the change on', async () => {
    await client().load([oneLimit('shop', 'day', 2)])
    const ask = async () => (await client().decide(question('shop', ['k', 'listed']))).status
    const change = (list: string, seconds: number) =>
      client().operate('/v1/lists', {
        method: 'PUT',
        body: JSON.stringify({ listings: [{ list, domain: 'shop', key: 'k', value: 'listed', seconds }] }),
      })
    expect(await ask()).toBe(200)
    expect(await (await change('deny', 60)).json()).toMatchObject({ listings: [{ list: 'deny', value: 'listed' }] })
    expect(await ask()).toBe(429)
    await change('deny', 0)
    await change('allow', 60)
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200])
    await change('allow', 0)
    expect([await ask(), await ask()]).toEqual([200, 429])
    expect(await (await client().operate('/v1/lists')).json()).toMatchObject({ listings: [] })
  })

  it('name a counter by its descriptor as well, through the rules', async () => {
    const path = '/counters?domain=shop&entry=k=c3'
    expect(await client().load([oneLimit('shop', 'day', 2)])).toBeNull()
    expect((await client().decide(question('shop', ['k', 'c3']))).status).toBe(200)
    expect(await (await client().operate(path)).json()).toMatchObject({
      key: 'shop_k_c3_',
      counters: [{ unit: 'DAY', hits: 1 }],
    })
    expect((await client().operate(`${path}&seconds=60`, { method: 'PUT' })).status).toBe(200)
    expect((await client().decide(question('shop', ['k', 'c3']))).status).toBe(429)
    expect((await client().operate(path, { method: 'DELETE' })).status).toBe(200)
    expect((await client().decide(question('shop', ['k', 'c3']))).status).toBe(200)
    const unknown = await client().operate('/counters?domain=shop&entry=other=x')
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: 'counter_not_found' } }])
  })

  it('refuse until a block ends, and no longer, with an over-limit cache', async () => {
    await client(3).load([oneLimit('shop', 'year', 5)])
    const ask = async () => (await client(3).decide(question('shop', ['k', 'c4']))).status
    await client(3).operate('/counters?key=shop_k_c4_&seconds=2', { method: 'PUT' })
    expect(await ask()).toBe(429)
    await vi.waitFor(async () => expect(await ask()).toBe(200), { timeout: 120_000, interval: 200 })
    await client(3).operate('/counters?key=shop_k_c4_&seconds=600', { method: 'PUT' })
    expect(await ask()).toBe(429)
    const refused = await client(3).decide(question('shop', ['k', 'c4']))
    const { statuses } = (await refused.json()) as { statuses: readonly { durationUntilReset: string }[] }
    const wait = Number.parseInt(statuses[0]?.durationUntilReset ?? '', 10)
    expect(wait).toBeGreaterThan(400)
    expect(wait).toBeLessThanOrEqual(600)
    await client(3).operate('/counters?key=shop_k_c4_&seconds=0', { method: 'PUT' })
    await client(3).operate('/counters?key=shop_k_c4_', { method: 'DELETE' })
    expect(await ask()).toBe(200)
  })

  it('explain a request and count nothing', async () => {
    const body = question('shop', ['k', 'c2'])
    for (let turn = 0; turn < 3; turn++) {
      const explained = await client().operate('/explain', { method: 'POST', body })
      expect(await explained.json()).toMatchObject({
        descriptors: [{ rule: 'shop.k', counter: { key: 'shop_k_c2_', hits: 0, addend: 1 } }],
        response: { overallCode: 'OK' },
      })
    }
  })
})

describe('settings that make no sense', () => {
  it('answer 500 without detail on every path, and are unhealthy', async () => {
    const { url } = client(2)
    expect((await fetch(`${url}/healthcheck`)).status).toBe(500)
    const response = await client(2).decide(question('shop', ['k', 'v']))
    expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error\n'])
  })
})
