import { describe, expect, it } from 'vitest'
import { createLimiter, type LimiterBinding } from '#limiter/client.ts'
import type { LimiterPlatform } from '#limiter/platform.ts'
import { createMemoryLimiter } from '#limiter/testing.ts'

const memory = createMemoryLimiter({ limit: 1, period: 60 })
const now = () => 0
/** A timer that has come when it is set; `never` one that does not come. */
const at = (isNow: boolean) => (_: number, callback: () => void) => {
  if (isNow) queueMicrotask(callback)
  return { cancel: () => undefined }
}
function platformOf(answer: (url: string, init: RequestInit) => Response | Promise<Response>): LimiterPlatform {
  return { fetch: async (url, init) => answer(url, init), now, after: at(false) }
}

describe('createLimiter()', () => {
  it('asks a binding, with its own defaults', async () => {
    const limiter = createLimiter({ binding: memory, limit: 5, period: 3600 })
    expect(await limiter.limit({ key: 'a' })).toMatchObject({ success: true, limit: 5, period: 3600 })
    expect(await limiter.limit({ key: 'a', limit: 7 })).toMatchObject({ limit: 7, remaining: 5 })
    expect(
      await limiter.decide({ domain: 'default', descriptors: [{ entries: [{ key: 'key', value: 'a' }] }] }),
    ).toEqual({ overallCode: 'OK', statuses: [{ code: 'OK' }] })
  })

  it("takes the platform's own binding: what it does not say is null", async () => {
    const binding: LimiterBinding = { limit: async ({ key }) => ({ success: key === 'a' }) }
    const limiter = createLimiter({ binding })
    expect(await limiter.limit({ key: 'a' })).toMatchObject({ success: true, remaining: null, reason: null })
    expect(await limiter.limit({ key: 'b' })).toMatchObject({ success: false, remaining: null, reason: 'over_limit' })
    expect(await limiter.peek({ key: 'b' })).toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(/no method peek, expected entrypoint = "RateLimiter"/),
    })
  })

  it('names the entrypoint when a service of another version lacks the method', async () => {
    const missing = async () => {
      throw new TypeError('The RPC receiver does not implement the method "refund".')
    }
    const binding = { limit: async () => ({ success: true }), refund: missing }
    expect(await createLimiter({ binding }).refund({ key: 'a' })).toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(/method "refund"\., expected entrypoint = "RateLimiter" of a Sluice that has it/),
    })
  })

  it('asks an address with the token', async () => {
    const asked: [string, RequestInit][] = []
    const platform = platformOf((url, init) => {
      asked.push([url, init])
      return Response.json({
        success: true,
        limit: 1,
        remaining: 0,
        period: 60,
        reset: 60_000,
        retryAfter: null,
        reason: null,
      })
    })
    const limiter = createLimiter({ url: 'https://limits.example/', token: 't', domain: 'shop', platform })
    expect(await limiter.limit({ key: 'a' })).toMatchObject({ success: true, remaining: 0 })
    expect(asked).toEqual([
      [
        'https://limits.example/limiter/limit',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
          body: '{"domain":"shop","key":"a"}',
          signal: expect.any(AbortSignal),
        },
      ],
    ])
  })

  it.each([
    ['open', true],
    ['closed', false],
    [undefined, false],
  ] as const)(
    'with failure %s gives success %s when the service does not answer, or not in time',
    async (failure, success) => {
      const options = { url: 'https://limits.example', ...(failure !== undefined && { failure }) }
      const broken = platformOf(() => Promise.reject(new Error('connection refused')))
      const result = await createLimiter({ ...options, platform: broken }).limit({ key: 'a' })
      expect(result).toMatchObject({
        success,
        reason: 'unreachable',
        message: 'Cannot reach the limiter: connection refused',
      })
      const silent = { ...platformOf(() => new Promise<Response>(() => undefined)), after: at(true) }
      const late = await createLimiter({ ...options, timeout: 20, platform: silent }).limit({ key: 'a' })
      expect(late).toMatchObject({
        success,
        reason: 'timeout',
        message: 'Cannot reach the limiter: no answer within 20 ms',
      })
      const foreign = platformOf(() => new Response('<html>', { status: 404 }))
      const strange = await createLimiter({ ...options, platform: foreign }).limit({ key: 'a' })
      expect(strange).toMatchObject({ success, message: expect.stringMatching(/answered 404, expected a limiter/) })
    },
  )

  it('ends a request over HTTP that is late, so that none is left behind', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const send = (_: string, { signal }: RequestInit) => {
      signals.push(signal)
      return new Promise<Response>(() => undefined)
    }
    const platform = { ...platformOf(send), after: at(true) }
    await createLimiter({ url: 'https://limits.example', platform }).limit({ key: 'a' })
    expect(signals).toMatchObject([{ aborted: true }])
  })

  it('waits for an answer with a timeout of any length', async () => {
    const slow = { limit: () => new Promise<{ success: boolean }>((done) => setTimeout(done, 20, { success: true })) }
    for (const timeout of [2 ** 31, Number.POSITIVE_INFINITY]) {
      expect(await createLimiter({ binding: slow, timeout }).limit({ key: 'a' })).toMatchObject({ success: true })
    }
  })

  it.each([[{}], [null], [[]], ['text'], [{ success: 1 }]])('takes %j for no answer of a limiter', async (answer) => {
    const limiter = createLimiter({ url: 'https://limits.example', platform: platformOf(() => Response.json(answer)) })
    expect(await limiter.limit({ key: 'a' })).toMatchObject({ success: false, reason: 'unreachable' })
    expect(await limiter.decide({ domain: 'a', descriptors: [] })).toMatchObject({ error: { code: 'unreachable' } })
  })

  it('refuses mistakes of a request also with failure open: a client could choose a key that is too long', async () => {
    const limiter = createLimiter({ binding: memory, failure: 'open' })
    const result = await limiter.limit({ key: 'x'.repeat(10_000) })
    expect(result).toMatchObject({ success: false, reason: 'request_too_large' })
  })

  it('throws at once without a binding or with two ways', () => {
    // A binding that is missing is undefined, though its type says otherwise.
    expect(() => createLimiter({ binding: undefined as unknown as LimiterBinding })).toThrow(
      /binding and url are undefined/,
    )
    expect(() => createLimiter({ binding: memory, url: 'https://limits.example' })).toThrow(/both binding and url/)
  })
})
