import { describe, expect, it } from 'vitest'
import { createMemoryLimiter } from '#limiter/testing.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 0, 30)
const now = () => nowMs

describe('createMemoryLimiter()', () => {
  it('holds the limit of its options, and says when it ends', async () => {
    const limiter = createMemoryLimiter({ limit: 2, period: 60, now })
    const reset = nowMs + 30_000
    const full = { success: true, limit: 2, remaining: 1, period: 60, reset, retryAfter: null, reason: null }
    expect(await limiter.limit({ key: 'ada' })).toEqual(full)
    await limiter.limit({ key: 'ada' })
    const refused = { ...full, success: false, remaining: 0, retryAfter: 30, reason: 'over_limit' }
    expect(await limiter.limit({ key: 'ada' })).toEqual(refused)
    expect(await limiter.limit({ key: 'bob' })).toEqual(full)
    expect(await limiter.refund({ key: 'bob' })).toMatchObject({ remaining: 2 })
    expect(await limiter.peek({ key: 'bob' })).toMatchObject({ remaining: 2 })
  })

  it('takes rules of several domains, settings, and whole messages', async () => {
    const rules = ['shop', 'mail'].map(
      (domain) => `domain: ${domain}\ndescriptors: [{key: to, rate_limit: {unit: day, requests_per_unit: 1}}]`,
    )
    const limiter = createMemoryLimiter({ rules, settings: { CALLER_OVERRIDES: 'refuse' }, domain: 'mail', now })
    expect(await limiter.limit({ entries: { to: 'a' } })).toMatchObject({ success: true, remaining: 0 })
    expect(await limiter.limit({ domain: 'shop', entries: { to: 'a' } })).toMatchObject({ success: true })
    expect(await limiter.limit({ domain: 'shpo', key: 'a' })).toMatchObject({
      success: false,
      reason: 'unknown_domain',
    })
    expect(await limiter.limit({ key: 'a', limit: 9, period: 60 })).toMatchObject({ reason: 'not_allowed' })
    const message = { domain: 'mail', descriptors: [{ entries: [{ key: 'to', value: 'a' }] }] }
    expect(await limiter.decide(message)).toMatchObject({ overallCode: 'OVER_LIMIT' })
  })

  it('reserves by an estimate, and settles with the cost', async () => {
    const rules = `domain: default
descriptors: [{key: key, rate_limit: {unit: day, requests_per_unit: 10, sluice: {unsettled: refunded}}}]`
    const limiter = createMemoryLimiter({ rules, now })
    expect(await limiter.limit({ key: 'a', hits: 9, reservation: 'r' })).toMatchObject({ remaining: 1 })
    expect(await limiter.settle({ key: 'a', hits: 2, reservation: 'r' })).toMatchObject({ success: true, remaining: 8 })
    const fault = { success: false, reason: 'reservation_settled' }
    expect(await limiter.settle({ key: 'a', hits: 2, reservation: 'r' })).toMatchObject(fault)
    const plain = createMemoryLimiter({ limit: 10, period: 60, now })
    expect(await plain.limit({ key: 'a', reservation: 'r' })).toMatchObject({ success: true, remaining: 9 })
    expect(await plain.settle({ key: 'a', reservation: 'r' })).toMatchObject({ reason: 'reservation_not_found' })
    expect(await plain.peek({ key: 'a' })).toMatchObject({ remaining: 9 })
  })

  it('refuses rules and settings with a mistake, as the service does', () => {
    expect(() => createMemoryLimiter({ rules: 'domain: a\ndescriptors: [{key: b, rate_limit: {unit: dya}}]' })).toThrow(
      "invalid rate limit unit 'dya'",
    )
    expect(() => createMemoryLimiter({ settings: { CALLER_REFUNDS: 'no' } })).toThrow('CALLER_REFUNDS')
  })
})
