import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { formatTimeout, parseConnectTimeout, parseTimeout } from '#proto-json/grpc-web/timeout.ts'
import vectors from '../../vectors/grpc-web.json' with { type: 'json' }

describe('parseTimeout()', () => {
  for (const { text, ms } of vectors.timeouts) {
    it(`reads ${text}`, () => expect(parseTimeout(text)).toBeCloseTo(ms, 9))
  }

  for (const text of vectors.malformedTimeouts) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(() => parseTimeout(text)).toThrow(ProtoJsonError))
  }

  it('is null without a header', () => expect(parseTimeout(null)).toBeNull())
})

describe('parseConnectTimeout()', () => {
  it('reads one to ten digits and nothing else', () => {
    expect([parseConnectTimeout(null), parseConnectTimeout('0'), parseConnectTimeout('9999999999')]).toEqual([
      null,
      0,
      9_999_999_999,
    ])
    for (const text of ['', '1s', '-1', '10000000000']) expect(() => parseConnectTimeout(text)).toThrow(ProtoJsonError)
  })
})

describe('formatTimeout()', () => {
  it('writes what parseTimeout() reads, never more than is left', () => {
    fc.assert(
      fc.property(fc.double({ min: -10, max: 1e13, noNaN: true }), (ms) => {
        const back = parseTimeout(formatTimeout(ms)) ?? Number.NaN
        expect(back).toBeLessThanOrEqual(Math.max(0, ms))
        expect(back).toBeGreaterThanOrEqual(Math.max(0, ms) * 0.99 - 1)
      }),
      { seed: 12 },
    )
  })
})
