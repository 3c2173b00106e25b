/** The decision path's edges: methods, unknown paths, bodies beyond the bounds, counters that fail. */

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { oneLimit, question } from '../../support/ratelimit-servers.ts'

/** Counters that always fail, that never answer, and whose object dies under the first call for every key. */
const brokenCounters = `
import { DurableObject } from 'cloudflare:workers'
const failing = async () => { throw new Error('out of order') }
export class Failing extends DurableObject { async hit() { return failing() } async hitOne() { return failing() } }
const hanging = () => scheduler.wait(3_600_000)
export class Hanging extends DurableObject { async hit() { await hanging() } async hitOne() { await hanging() } }
const died = new Set()
export class Dying extends DurableObject {
  async hit(id, hits) {
    await this.die(hits[0][0])
    return hits.flatMap(() => [1, 60])
  }
  async hitOne(id, key) {
    await this.die(key)
    return '1 60'
  }
  async die(name) {
    if (died.has(name)) return
    died.add(name)
    this.ctx.abort('moved')
    await new Promise(() => {})
  }
}
export default { fetch: () => new Response('none') }
`
const broken = { name: 'broken', script: brokenCounters, classes: ['Failing', 'Hanging', 'Dying'] }
const failing = { COUNTER: { className: 'Failing', worker: 'broken' } }
const hanging = { COUNTER: { className: 'Hanging', worker: 'broken' } }
const dying = { COUNTER: { className: 'Dying', worker: 'broken' } }

const { client, clients } = hostServices(
  [
    { REQUEST_MAX_BODY_BYTES: '2000', REQUEST_MAX_DESCRIPTORS: '3', REQUEST_MAX_VALUE_LENGTH: '100' },
    { FAILURE_POLICY: 'error,shop=open,bank=closed' },
    {},
    { COUNTER_DURABILITY: 'relaxed' },
    { LOCAL_CACHE_SIZE_IN_BYTES: '100000' },
    { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '4' },
    { COUNTER_TIMEOUT: '200ms', FAILURE_POLICY: 'error,shop=open,bank=closed' },
    { LIMIT_IETF_HEADERS_ENABLED: 'true', LIMIT_RETRY_AFTER_ENABLED: 'true' },
  ],
  { objects: [{}, failing, dying, {}, {}, {}, hanging], others: [broken] },
)

beforeAll(async () => {
  const files = ['shop', 'bank', 'else'].map((domain) => oneLimit(domain, 'day', 3))
  for (const { load } of clients()) expect(await load(files)).toBeNull()
})

const ask = async (place: number, domain: string, value = 'v') =>
  (await client(place).decide(question(domain, ['k', value]))).status

describe('/json', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('decides with %s, as long as there is a body', async (method) => {
    const body = question('shop', ['k', method])
    expect((await fetch(`${client().url}/json`, { method, body })).status).toBe(200)
  })

  it('answers 400 Bad Request without a body, in the form of the reference', async () => {
    const response = await fetch(`${client().url}/json`)
    expect([response.status, await response.text()]).toEqual([400, 'Bad Request\n'])
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    ['a body beyond REQUEST_MAX_BODY_BYTES', question('shop', ['k', 'x'.repeat(3_000)])],
    ['more descriptors than REQUEST_MAX_DESCRIPTORS', question('shop', ['k', '1'], ['k', '2'], ['k', '3'], ['k', '4'])],
    ['a value beyond REQUEST_MAX_VALUE_LENGTH', question('shop', ['k', 'x'.repeat(101)])],
    ['a body that is not UTF-8', Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('answers 400 to %s', async (_, body) => {
    expect((await client().decide(body)).status).toBe(400)
  })

  it('answers 400 to a body beyond the bound that does not declare its length', async () => {
    const chunks = [question('shop', ['k', 'v']), ' '.repeat(1_500), ' '.repeat(1_500)]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    expect((await fetch(`${client().url}/json`, init)).status).toBe(400)
  })

  it('answers any other path 404 as Go does', async () => {
    const response = await fetch(`${client().url}/nothing`)
    expect([response.status, await response.text()]).toEqual([404, '404 page not found\n'])
  })
})

describe('a counter that fails', () => {
  it('fails the request, lets it pass or refuses it, by the FAILURE_POLICY of its domain', async () => {
    expect(await ask(1, 'else')).toBe(400)
    expect(await ask(1, 'shop')).toBe(200)
    expect(await ask(1, 'bank')).toBe(429)
    expect(await client(1).stats()).toMatchObject({
      'ratelimit.service.call.should_rate_limit.redis_error': 3,
      'ratelimit.service.call.should_rate_limit.failed_open': 1,
      'ratelimit.service.call.should_rate_limit.failed_closed': 1,
    })
  })

  it('is given up after COUNTER_TIMEOUT when it never answers', async () => {
    const codes = await Promise.all(['else', 'shop', 'bank'].map((domain) => ask(6, domain)))
    expect(codes).toEqual([400, 200, 429])
    expect(await client(6).stats()).toMatchObject({ 'ratelimit.service.call.should_rate_limit.redis_error': 3 })
  })

  it('is given up for all callers, also when the client whose request looks after the deadlines has left', async () => {
    const leaving = new AbortController()
    const body = question('else', ['k', 'v'])
    const first = fetch(`${client(6).url}/json`, { method: 'POST', body, signal: leaving.signal })
    const others = Promise.all(Array.from({ length: 20 }, () => ask(6, 'else')))
    await sleep(50)
    leaving.abort()
    await expect(first).rejects.toThrow('aborted')
    expect(new Set(await others)).toEqual(new Set([400]))
  })

  it('is called once more when its object died under the call', async () => {
    expect(await ask(2, 'shop')).toBe(200)
    expect((await client(2).stats())['ratelimit.service.call.should_rate_limit.redis_error'] ?? 0).toBe(0)
  })
})

describe('the fields of the IETF draft and Retry-After', () => {
  const fieldsOf = async (place: number, value: string) => {
    const { status, headers } = await client(place).decide(question('shop', ['k', value], ['none', 'x']))
    const names = ['ratelimit-policy', 'ratelimit', 'retry-after']
    return [status, ...names.map((name) => headers.get(name))]
  }

  it('are HTTP fields of /json when their settings are on', async () => {
    expect(await fieldsOf(7, 'ietf')).toEqual([
      200,
      '"limit-1";q=3;w=86400',
      expect.stringMatching(/^"limit-1";r=2;t=\d+$/),
      null,
    ])
    for (let turn = 0; turn < 2; turn++) await fieldsOf(7, 'ietf')
    const [status, , limit, retryAfter] = await fieldsOf(7, 'ietf')
    expect([status, limit]).toEqual([429, `"limit-1";r=0;t=${retryAfter}`])
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
  })

  it('are not there otherwise', async () => {
    expect(await fieldsOf(0, 'ietf')).toEqual([200, null, null, null])
  })
})

describe('every way of keeping counters', () => {
  it.each([
    ['durable, per key', 0],
    ['relaxed', 3],
    ['with an over-limit cache', 4],
    ['in shards', 5],
  ])('admits exactly the limit: %s', async (name, place) => {
    const codes = []
    for (let turn = 0; turn < 6; turn++) codes.push(await ask(place, 'shop', name))
    expect(codes).toEqual([200, 200, 200, 429, 429, 429])
  })

  it('decides four descriptors of one request in shards as one by one', async () => {
    const body = question('shop', ['k', 's1'], ['k', 's2'], ['k', 's1'], ['none', 'x'])
    const response = await client(5).decide(body)
    const { statuses } = (await response.json()) as { statuses: readonly { limitRemaining?: number }[] }
    expect(statuses.map(({ limitRemaining }) => limitRemaining)).toEqual([2, 2, 1, undefined])
  })
})
