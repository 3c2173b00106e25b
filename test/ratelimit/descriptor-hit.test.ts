/** Hits of a request: which descriptors have a counter, what each adds, and which may be leased. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxHits } from '#ratelimit/counter.ts'
import { listDescriptorHits, readAddend, refusesRequest } from '#ratelimit/descriptor-hit.ts'
import type { LeasePolicy } from '#ratelimit/lease/lease-policy.ts'
import { matchAll } from '#ratelimit/match.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'
import { compileShop, enoughWork, named } from '../support/compile-rules.ts'

const rules = compileShop(
  '  - key: small',
  '    rate_limit: {unit: minute, requests_per_unit: 2}',
  '  - key: big',
  '    rate_limit: {unit: day, requests_per_unit: 10}',
  '  - key: free',
  '    rate_limit: {unlimited: true}',
)

function hitsOf(
  descriptors: readonly Descriptor[],
  { hitsAddend = 0, leases }: { readonly hitsAddend?: number; readonly leases?: LeasePolicy } = {},
) {
  const request: RateLimitRequest = { domain: 'shop', descriptors, hitsAddend }
  return listDescriptorHits(matchAll(rules, request, '', enoughWork()), request, leases)
}

describe('listDescriptorHits()', () => {
  it('lists the descriptors with a counter, with their places', () => {
    const listed = hitsOf([named('none'), named('small'), named('free'), named('big')])
    expect(listed.map(({ at, hit, rateLimit }) => [at, hit, rateLimit])).toEqual([
      [1, { key: 'shop_small_v_', unit: 'MINUTE', addend: 1, limit: 2 }, { unit: 'MINUTE', requestsPerUnit: 2 }],
      [3, { key: 'shop_big_v_', unit: 'DAY', addend: 1, limit: 10 }, { unit: 'DAY', requestsPerUnit: 10 }],
    ])
    expect(listed.map(({ limit }) => limit.statKey)).toEqual(['shop.small', 'shop.big'])
  })

  it('marks hits that are given back', () => {
    const [refund] = hitsOf([named('small', { hitsAddend: 3n, isNegativeHits: true })])
    expect(refund?.hit).toEqual({ key: 'shop_small_v_', unit: 'MINUTE', addend: 3, limit: 2, isRefund: true })
  })

  const onlyBig: LeasePolicy = new Map([['shop.big', true]])

  it.each([
    ['no policy', undefined, [undefined, undefined]],
    ['nothing leased', new Map(), [undefined, undefined]],
    ['one limit leased', onlyBig, [undefined, true]],
    ['all leased', new Map([['', true]]), [true, true]],
  ] satisfies readonly (readonly [string, LeasePolicy | undefined, readonly (boolean | undefined)[]])[])(
    'under %s',
    (_policy, leases, expected) => {
      const listed = hitsOf([named('small'), named('big')], leases === undefined ? {} : { leases })
      expect(listed.map(({ hit }) => hit.isLeased)).toEqual(expected)
    },
  )

  it('leases neither looks nor hits that are given back', () => {
    const listed = hitsOf([named('big', { hitsAddend: 0n }), named('big', { hitsAddend: 1n, isNegativeHits: true })], {
      leases: onlyBig,
    })
    expect(listed.map(({ hit }) => hit.isLeased)).toEqual([undefined, undefined])
  })
})

describe('refusesRequest()', () => {
  it.each([
    ['plain', false, true],
    ['plain', true, false],
    ['shadowed', false, false],
    ['quota', false, false],
  ])('of a %s limit where all are lenient: %s is %s', (key, isLenient, expected) => {
    const modes = compileShop(
      '  - {key: plain, rate_limit: {unit: day, requests_per_unit: 2}}',
      '  - {key: shadowed, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 2}}',
      '  - {key: quota, quota_mode: true, rate_limit: {unit: day, requests_per_unit: 2}}',
    )
    const request: RateLimitRequest = { domain: 'shop', descriptors: [named(key)], hitsAddend: 0 }
    const listed = listDescriptorHits(matchAll(modes, request, '', enoughWork()), request)
    expect(listed.map((one) => refusesRequest(one, isLenient))).toEqual([expected])
  })
})

describe('readAddend()', () => {
  it.each([
    [undefined, 0, 1],
    [undefined, 5, 5],
    [0n, 5, 0],
    [7n, 5, 7],
    [BigInt(maxHits), 0, maxHits],
    [BigInt(maxHits) + 1n, 0, maxHits],
    [2n ** 64n - 1n, 0, maxHits],
  ])("of a descriptor's %s and a request's %i is %i", (hitsAddend, requested, addend) => {
    const descriptor = named('small', hitsAddend === undefined ? {} : { hitsAddend })
    expect(readAddend(descriptor, { domain: 'shop', descriptors: [], hitsAddend: requested })).toBe(addend)
  })

  it('is always a safe whole number, and the own addend wherever it is one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (hitsAddend) => {
        const request: RateLimitRequest = { domain: 'shop', descriptors: [], hitsAddend: 9 }
        const addend = readAddend(named('small', { hitsAddend }), request)
        expect(Number.isSafeInteger(addend)).toBe(true)
        expect(BigInt(addend)).toBe(hitsAddend > BigInt(maxHits) ? BigInt(maxHits) : hitsAddend)
      }),
      { seed: 4 },
    )
  })
})
