/** The limiter of the service, called by another Worker over a binding and by a client over HTTP: the same results. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { createLimiter } from '#limiter/client.ts'
import type { LimiterMethod } from '#limiter/types.ts'
import { type LimiterCaller, startLimiterCaller } from '../../support/limiter-caller.ts'

const rules = `domain: default
descriptors:
  - key: key
    rate_limit: { unit: day, requests_per_unit: 3 }
  - key: free
    rate_limit: { unlimited: true }
---
domain: shop
descriptors:
  - key: tenant
    descriptors:
      - key: path
        rate_limit: { unit: hour, requests_per_unit: 5 }
`
const token = 'a-token-of-the-web-0123456789'
const lines: string[] = []
let caller: LimiterCaller

beforeAll(async () => {
  await bundleWorkers(['ratelimit'])
  const vars = {
    RATELIMIT_RULES: rules,
    CALLER_TOKENS: `web=${token}`,
    CALLER_REFUNDS: 'allow',
    CALLER_MAX_HITS: '100',
  }
  caller = await startLimiterCaller(vars, { domain: 'shop', limit: 2, period: 3600 }, (line) => lines.push(line))
})
afterAll(() => caller?.stop())

async function post(method: string, body: string, sent = token): Promise<{ status: number; answer: unknown }> {
  const headers = { authorization: `Bearer ${sent}` }
  const response = await fetch(`${caller.url}/limiter/${method}`, { method: 'POST', headers, body })
  return { status: response.status, answer: await response.json() }
}

const nothing = { limit: null, remaining: null, period: null, reset: null, retryAfter: null }
const within = (limit: number, remaining: number, period: number) => ({
  success: true,
  limit,
  remaining,
  period,
  retryAfter: null,
  reason: null,
  reset: expect.any(Number),
})

describe('RateLimiter', () => {
  it("takes the request of the platform's own binding, and says what is left", async () => {
    const results = []
    for (let hit = 1; hit <= 4; hit++) results.push(await caller.call('limit', { key: 'ada' }))
    expect(results.slice(0, 3)).toEqual([within(3, 2, 86_400), within(3, 1, 86_400), within(3, 0, 86_400)])
    const refused = results[3] as { readonly reset: number; readonly retryAfter: number }
    expect(refused).toMatchObject({ success: false, remaining: 0, reason: 'over_limit' })
    expect(refused.reset % 86_400_000).toBe(0)
    expect(Math.abs(refused.reset - refused.retryAfter * 1000 - Date.now())).toBeLessThan(60_000)
  })

  it('counts hits, looks at them and takes them back', async () => {
    expect(await caller.call('limit', { key: 'bob', hits: 2 })).toEqual(within(3, 1, 86_400))
    expect(await caller.call('peek', { key: 'bob' })).toEqual(within(3, 1, 86_400))
    expect(await caller.call('refund', { key: 'bob', hits: 2 })).toEqual(within(3, 3, 86_400))
    expect(await caller.call('limit', { key: 'bob', hits: 0 })).toEqual(within(3, 3, 86_400))
  })

  it('takes entries in either form, a limit in the request, and the defaults of the binding', async () => {
    const entries = { tenant: 't1', path: '/' }
    expect(await caller.call('limit', { domain: 'shop', entries })).toEqual(within(5, 4, 3_600))
    const listed = Object.entries(entries).map(([key, value]) => ({ key, value }))
    expect(await caller.call('limit', { domain: 'shop', entries: listed })).toEqual(within(5, 3, 3_600))
    expect(await caller.call('limit', { key: 'cy', limit: 10, period: 60 })).toEqual(within(10, 9, 60))
    const bound = { binding: 'BOUND' }
    expect(await caller.call('limit', { key: 'di' }, bound)).toEqual(within(2, 1, 3_600))
    expect(await caller.call('limit', { key: 'di', limit: 8 }, bound)).toEqual(within(8, 6, 3_600))
  })

  it('says that no rule matches, or that there is no limit', async () => {
    const passed = { success: true, ...nothing }
    expect(await caller.call('limit', { entries: { other: 'x' } })).toEqual({ ...passed, reason: 'no_rule' })
    expect(await caller.call('limit', { entries: { free: 'x' } })).toEqual({ ...passed, reason: 'unlimited' })
  })

  it('decides a whole message as /json does', async () => {
    const message = {
      domain: 'shop',
      descriptors: [
        {
          entries: [
            { key: 'tenant', value: 't2' },
            { key: 'path', value: '/' },
          ],
        },
      ],
    }
    const status = { code: 'OK', currentLimit: { requestsPerUnit: 5, unit: 'HOUR' }, limitRemaining: 4 }
    const decision = {
      overallCode: 'OK',
      statuses: [{ ...status, durationUntilReset: expect.stringMatching(/^\d+s$/) }],
    }
    expect(await caller.call('decide', message)).toEqual(decision)
    const unreadable = { code: 'malformed_request', message: expect.stringContaining('"descriptors"') }
    expect(await caller.call('decide', { domain: 'shop', descriptor: [] })).toEqual({ error: unreadable })
    expect(await caller.call('decide', 7)).toEqual({
      error: { code: 'malformed_request', message: expect.any(String) },
    })
  })
})

/** Calls that have a mistake: method, argument, code and what the message says. */
const mistakes: readonly (readonly [method: LimiterMethod, asked: unknown, code: string, message: RegExp])[] = [
  ['limit', 'ada', 'malformed_request', /it is "ada", expected \{ key: 'TEXT' \}/],
  ['limit', null, 'malformed_request', /it is null/],
  ['limit', [], 'malformed_request', /it is a list/],
  ['limit', {}, 'malformed_request', /it has no key/],
  ['limit', { kye: 'ada' }, 'malformed_request', /unknown member "kye", did you mean key\?/],
  ['limit', { key: 7 }, 'malformed_request', /key is 7, expected a string/],
  ['limit', { key: 'a', entries: {} }, 'malformed_request', /key and entries/],
  ['limit', { entries: 'a' }, 'malformed_request', /entries is "a"/],
  ['limit', { entries: [7] }, 'malformed_request', /entries\[0\] is 7/],
  ['limit', { entries: { a: 1 } }, 'malformed_request', /entries\.a is 1/],
  ['limit', { key: 'a', hits: 1.5 }, 'malformed_request', /hits is 1.5, expected an integer from 0/],
  ['limit', { key: 'a', hits: -1 }, 'malformed_request', /hits is -1/],
  ['limit', { key: 'a', limit: 5 }, 'malformed_request', /a limit and no period/],
  ['limit', { key: 'a', period: 60 }, 'malformed_request', /a period and no limit/],
  ['limit', { key: 'a', limit: 5, period: 10 }, 'malformed_request', /period is 10, expected one of 1, 60, 3600/],
  ['limit', { key: 'a', limit: 2 ** 32, period: 60 }, 'malformed_request', /limit is 4294967296/],
  ['peek', { key: 'a', hits: 2 }, 'malformed_request', /unknown member "hits"/],
  ['refund', { key: 'a', reservation: 'r' }, 'malformed_request', /unknown member "reservation"/],
  ['settle', { key: 'a', hits: 2 }, 'malformed_request', /reservation is undefined, expected a string/],
  ['settle', { key: 'a', hits: 2, reservation: '' }, 'malformed_request', /reservation is empty/],
  ['settle', { key: 'a', hits: 2, reservation: 'r' }, 'reservation_not_found', /reservation "r" is not known here/],
  ['limit', { key: 'a', domain: 'shpo' }, 'unknown_domain', /no domain "shpo", did you mean "shop"\?/],
  ['limit', { key: 'a', domain: '' }, 'empty_domain', /domain must not be empty/],
  ['limit', { entries: [] }, 'malformed_request', /entries is empty/],
]

describe('a mistake is a result of the binding, and the same over HTTP', () => {
  it.each(mistakes)('%s(%j): %s', async (method, asked, code, message) => {
    const result = await caller.call(method, asked)
    expect(result).toEqual({ success: false, ...nothing, reason: code, message: expect.stringMatching(message) })
    const { status, answer } = await post(method, JSON.stringify(asked))
    expect(answer).toEqual(result)
    expect(status).toBe(code === 'unknown_domain' || code === 'reservation_not_found' ? 404 : 400)
  })

  it('a key of a megabyte, within a message of 500 characters', async () => {
    const asked = { key: '' }
    const result = (await caller.call('limit', asked, { fill: 1_000_000 })) as { reason: string; message: string }
    expect(result).toMatchObject({ success: false, reason: 'request_too_large' })
    expect(result.message).toMatch(/1000000 characters in a value, expected at most 8192 \(REQUEST_MAX_VALUE_LENGTH\)/)
    const named = { [`k${'x'.repeat(100_000)}`]: 1 }
    expect(((await caller.call('limit', named)) as { message: string }).message.length).toBeLessThanOrEqual(500)
  })

  it('wrong props, a binding without the entrypoint, and a method of another version', async () => {
    const wrong = await caller.call('limit', { key: 'a' }, { binding: 'WRONG' })
    expect(wrong).toMatchObject({
      reason: 'invalid_settings',
      message: expect.stringMatching(/"perod", did you mean period/),
    })
    expect(await caller.call('limit', { key: 'a' }, { binding: 'DEFAULT' })).toMatch(/does not implement/)
    expect(await caller.call('other', {})).toMatch(/does not implement/)
  })
})

describe('/limiter', () => {
  it('asks for a token of CALLER_TOKENS, which a binding needs not', async () => {
    const { status, answer } = await post('limit', '{"key":"a"}', 'another-token-0123456789')
    expect(status).toBe(401)
    expect(answer).toMatchObject({ success: false, reason: 'unauthenticated' })
  })

  it('refuses other methods, bodies that are not JSON, and answers 429 over the limit', async () => {
    expect((await fetch(`${caller.url}/limiter/limit`)).status).toBe(405)
    expect(await post('limit', '{')).toMatchObject({ status: 400, answer: { reason: 'malformed_request' } })
    expect(await post('limit', '{"key":"eve","hits":4}')).toMatchObject({
      status: 429,
      answer: { reason: 'over_limit' },
    })
    expect(await post('decide', '{"domain":""}')).toMatchObject({
      status: 400,
      answer: { error: { code: 'empty_domain' } },
    })
  })

  it('is what createLimiter() asks', async () => {
    const limiter = createLimiter({ url: `${caller.url}/`, token })
    expect(await limiter.limit({ key: 'flo' })).toEqual(within(3, 2, 86_400))
    expect(await limiter.peek({ key: 'flo' })).toEqual(within(3, 2, 86_400))
    expect(await limiter.refund({ key: 'flo' })).toEqual(within(3, 3, 86_400))
    const message = { domain: 'default', descriptors: [{ entries: [{ key: 'key', value: 'flo' }], hitsAddend: 4n }] }
    // A client of JavaScript may give 64 bits as a bigint.
    const decision = await limiter.decide(message as unknown as Parameters<typeof limiter.decide>[0])
    expect(decision).toMatchObject({ overallCode: 'OVER_LIMIT' })
    const stranger = createLimiter({ url: caller.url, token: 'another-token-0123456789', failure: 'open' })
    expect(await stranger.limit({ key: 'flo' })).toMatchObject({ success: true, reason: 'unauthenticated' })
  })
})

it('mistakes of callers are logged with the method', () => {
  expect(lines.filter((line) => line.includes('Request refused') && line.includes('RateLimiter.limit'))).not.toEqual([])
})
