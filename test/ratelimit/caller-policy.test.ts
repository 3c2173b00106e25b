/** The policy for what callers ask: overrides, refunds and many hits. */

import { describe, expect, it } from 'vitest'
import { applyCallerPolicy, type CallerPolicy } from '#ratelimit/caller-policy.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'

const entries = [{ key: 'login', value: 'victim' }]
const request = (descriptor: Partial<Descriptor>, hitsAddend = 0): RateLimitRequest => ({
  domain: 'shop',
  descriptors: [{ entries, ...descriptor }],
  hitsAddend,
})
const override = { limit: { requestsPerUnit: 4_294_967_295, unit: 'SECOND' } } as const
const refund = { isNegativeHits: true, hitsAddend: 5n } as const

const open: CallerPolicy = { overrides: 'allow', refunds: 'allow', maxHits: 0 }
const prefix = 'ratelimit.service.call.should_rate_limit.'

describe('applyCallerPolicy()', () => {
  it('changes nothing that it allows', () => {
    for (const asked of [request(override), request(refund), request({}, 4_294_967_295)]) {
      expect(applyCallerPolicy(asked, open)).toEqual({ request: asked, stats: [] })
    }
  })

  it('ignores an override: the configured limit applies', () => {
    expect(applyCallerPolicy(request(override), { ...open, overrides: 'ignore' })).toEqual({
      request: request({}),
      stats: [{ name: `${prefix}override_ignored`, delta: 1 }],
    })
  })

  it('ignores a refund: the descriptor looks and counts nothing', () => {
    expect(applyCallerPolicy(request(refund, 9), { ...open, refunds: 'ignore' })).toEqual({
      request: request({ hitsAddend: 0n }, 9),
      stats: [{ name: `${prefix}refund_ignored`, delta: 1 }],
    })
  })

  it('refuses by its settings, and names the place and the setting', () => {
    expect(() => applyCallerPolicy(request(override), { ...open, overrides: 'refuse' })).toThrow(
      expect.objectContaining({
        code: 'not_allowed',
        message:
          'Cannot decide: descriptors[0].limit is not taken from callers, expected a request without it (CALLER_OVERRIDES)',
      }),
    )
    expect(() => applyCallerPolicy(request(refund), { ...open, refunds: 'refuse' })).toThrow(
      /isNegativeHits.*CALLER_REFUNDS/,
    )
  })

  it("caps the request's addend and a descriptor's own, and no smaller one", () => {
    const policy = { ...open, maxHits: 10 }
    const capped = [{ name: `${prefix}hits_capped`, delta: 1 }]
    expect(applyCallerPolicy(request({}, 4_294_967_295), policy)).toEqual({
      request: request({ hitsAddend: 10n }, 4_294_967_295),
      stats: capped,
    })
    expect(applyCallerPolicy(request({ hitsAddend: 2n ** 64n - 1n }), policy).stats).toEqual(capped)
    expect(applyCallerPolicy(request({ hitsAddend: 10n }), policy).stats).toEqual([])
    expect(applyCallerPolicy(request({ hitsAddend: 0n }, 99), policy).stats).toEqual([])
    expect(applyCallerPolicy(request({}), policy).stats).toEqual([])
  })

  it('caps what is given back, too', () => {
    expect(applyCallerPolicy(request({ ...refund, hitsAddend: 11n }), { ...open, maxHits: 10 }).request).toEqual(
      request({ ...refund, hitsAddend: 10n }),
    )
  })
})
