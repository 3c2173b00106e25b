/** The middlewares over a limiter in memory: fields, refusals, keys, costs and failures. */

import { createServer } from 'node:http'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { rateLimit as expressLimit } from '#limiter/express.ts'
import { rateLimit as fetchLimit } from '#limiter/fetch.ts'
import { rateLimit as honoLimit } from '#limiter/hono.ts'
import { createMemoryLimiter } from '#limiter/testing.ts'
import type { LimitResult } from '#limiter/types.ts'
import { listen } from '../support/listen.ts'

const now = () => Date.UTC(2026, 0, 1, 0, 0, 18)
const limiterOf = (limit: number) => createMemoryLimiter({ limit, period: 60, now })

/** Sends requests for paths, one after another, and notes status and fields. */
async function send(answer: (path: string) => Response | Promise<Response>, paths: readonly string[]) {
  const seen = []
  for (const path of paths) {
    const { status, headers } = await answer(path)
    seen.push([status, headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')])
  }
  return seen
}

interface Limited {
  readonly Bindings: { readonly LIMITER: ReturnType<typeof limiterOf> }
}

const policy = '"default";q=2;w=60'
const sequence = [
  [200, policy, '"default";r=1;t=42', null],
  [200, policy, '"default";r=0;t=42', null],
  [429, policy, '"default";r=0;t=42', '42'],
  [200, policy, '"default";r=1;t=42', null],
]
const paths = ['/a', '/a', '/a', '/b']

describe('rateLimit()', () => {
  it('for Hono: context in key and limiter, fields on answers of handlers', async () => {
    const app = new Hono<Limited>()
    app.use('*', honoLimit<Limited>({ limiter: (c) => c.env.LIMITER, key: (c) => c.req.path, now }))
    app.get('*', () => new Response('from a handler'))
    const env = { LIMITER: limiterOf(2) }
    expect(await send((path) => app.request(path, {}, env), paths)).toEqual(sequence)
    const refused = await app.request('/a', {}, env)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too Many Requests',
      status: 429,
      'violated-policies': ['default'],
    })
  })

  it('for Express: the three arguments of a server of Node', async () => {
    const limit = expressLimit({
      limiter: limiterOf(2),
      key: (request: { readonly url?: string | undefined }) => request.url ?? '',
      now,
    })
    const server = createServer((request, response) => void limit(request, response, () => response.end('ok')))
    const port = await listen(server)
    try {
      expect(await send((path) => fetch(`http://127.0.0.1:${port}${path}`), paths)).toEqual(sequence)
    } finally {
      server.close()
    }
  })

  it('for Express: an error of the key function goes to the next handler', async () => {
    const failure = new Error('no key')
    const limit = expressLimit({ limiter: limiterOf(1), key: () => Promise.reject(failure) })
    const seen: unknown[] = []
    await limit({}, { statusCode: 200, setHeader: () => undefined, end: () => undefined }, (error) => seen.push(error))
    expect(seen).toEqual([failure])
  })

  it('for Express: what the next handler throws does not call it again', async () => {
    const limit = expressLimit({ limiter: limiterOf(1), key: () => 'a' })
    const seen: unknown[] = []
    const next = (error?: unknown) => {
      seen.push(error)
      throw new Error('of a handler')
    }
    const response = { statusCode: 200, setHeader: () => undefined, end: () => undefined }
    await expect(limit({}, response, next)).rejects.toThrow('of a handler')
    expect(seen).toEqual([undefined])
  })

  it('for a handler of fetch: skip, cost, name, and a redirect whose headers cannot change', async () => {
    const limited = fetchLimit(() => Response.redirect('https://example.com/'), {
      limiter: limiterOf(10),
      key: (request) => new URL(request.url).host,
      cost: (request) => (request.method === 'POST' ? 4 : 1),
      skip: (request) => request.url.endsWith('/health'),
      name: 'of "all"',
      now,
    })
    const get = async (path: string, method = 'GET') =>
      (await limited(new Request(`https://a.example${path}`, { method }))).headers.get('ratelimit')
    expect(await get('/')).toBe('"of \\"all\\"";r=9;t=42')
    expect(await get('/', 'POST')).toBe('"of \\"all\\"";r=5;t=42')
    expect(await get('/health')).toBeNull()
    expect(await get('/')).toBe('"of \\"all\\"";r=4;t=42')
  })

  it('answers 503 without a decision and 400 to a key that is too long, and reports both', async () => {
    const failures: LimitResult[] = []
    const limited = fetchLimit(() => new Response('ok'), {
      limiter: createMemoryLimiter({ limit: 1, period: 60 }),
      key: (request) => (request.url.endsWith('/long') ? 'x'.repeat(9_000) : { key: 'a', domain: 'unknown' }),
      onFailure: (result) => failures.push(result),
    })
    const unknown = await limited(new Request('https://a.example/'))
    expect([unknown.status, await unknown.json()]).toEqual([503, { title: 'Service Unavailable', status: 503 }])
    const long = await limited(new Request('https://a.example/long'))
    expect([long.status, await long.json()]).toEqual([
      400,
      { title: 'Bad Request', status: 400, detail: expect.stringContaining('expected at most 8192') },
    ])
    expect(failures.map(({ reason }) => reason)).toEqual(['unknown_domain', 'request_too_large'])
  })
})
