/** The rate of callers without a token: each address, all together, and memory for a bounded number. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRequestRate } from '#workers/streamnet/request-rate.ts'

test('no address passes its rate in a minute, and all together not fifty times it (property)', () => {
  const asked = fc.array(fc.record({ address: fc.nat(60), waitMs: fc.nat(300) }), { maxLength: 600 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), asked, (perMinute, requests) => {
      const rate = createRequestRate(perMinute)
      const passed = new Map<string, number>()
      let nowMs = 1_000_000
      for (const { address, waitMs } of requests) {
        nowMs += waitMs
        const minute = Math.floor(nowMs / 60_000)
        const [own, all] = [`${minute} ${address}`, `${minute}`]
        const mayPass = (passed.get(own) ?? 0) < perMinute && (passed.get(all) ?? 0) < 50 * perMinute
        const wait = rate.take(`${address}`, nowMs)
        expect(wait === 0).toBe(mayPass)
        // The wait reaches the next minute, and no second further.
        if (wait > 0) expect(Math.floor((nowMs + wait * 1000) / 60_000)).toBe(minute + 1)
        if (wait > 0) expect(wait).toBeLessThanOrEqual(60)
        if (mayPass) for (const key of [own, all]) passed.set(key, (passed.get(key) ?? 0) + 1)
      }
    }),
    { seed: 3 },
  )
})

test.each([
  [0, 60],
  [1, 60],
  [59_000, 1],
  [59_999, 1],
])('take() says at %d ms of a minute to wait for %d s', (atMs, expected) => {
  const rate = createRequestRate(1)
  rate.take('a', atMs)
  expect(rate.take('a', atMs)).toBe(expected)
  expect(rate.take('a', 60_000)).toBe(0)
})

test('all addresses together have fifty times the rate of one', () => {
  const rate = createRequestRate(2)
  for (let at = 0; at < 100; at++) expect(rate.take(`${at}`, 0)).toBe(0)
  expect([rate.take('0', 0), rate.take('another', 0), rate.take('0', 60_000)]).toEqual([60, 60, 0])
})

test('addresses beyond 10 000 share one count', () => {
  const rate = createRequestRate(1_000)
  for (let at = 0; at < 10_000; at++) expect(rate.take(`${at}`, 0)).toBe(0)
  for (let at = 0; at < 1_000; at++) expect(rate.take(`further ${at}`, 0)).toBe(0)
  expect(rate.take('one more', 0)).toBe(60)
  expect(rate.take('0', 0)).toBe(0)
})
