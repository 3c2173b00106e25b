import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeResponse, encodeAnyResponse } from '#proto-json/binary.ts'
import { writeWireResponse } from '#proto-json/fast-binary-response.ts'
import type { RateLimitResponse } from '#ratelimit/types.ts'
import { sweep } from '../support/sweep.ts'
import vectors from '../vectors/ratelimit-v3-messages.json' with { type: 'json' }
import { anyResponse } from './messages.ts'

const hexOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'))

const textsOf = ({ statuses, responseHeadersToAdd, requestHeadersToAdd = [] }: RateLimitResponse) =>
  [
    ...statuses.map(({ currentLimit }) => currentLimit?.name ?? ''),
    ...[...responseHeadersToAdd, ...requestHeadersToAdd].flatMap(({ key, value }) => [key, value]),
  ].join('')

const isAscii = (text: string) => [...text].every((character) => character < '\u0080')

describe('writeWireResponse()', () => {
  it('writes every vector without dynamic metadata as it is recorded', () => {
    const written = vectors.responses.filter(({ hex }) => {
      const bytes = writeWireResponse(decodeResponse(new Uint8Array(Buffer.from(hex, 'hex'))))
      if (bytes !== null) expect(hexOf(bytes)).toBe(hex)
      return bytes !== null
    })
    expect(written.length).toBeGreaterThan(0)
  })

  it('writes what the library writes, and leaves to it what is beyond ASCII', () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        const expected = isAscii(textsOf(response)) ? hexOf(encodeAnyResponse(response)) : null
        expect(hexOf(writeWireResponse(response))).toBe(expected)
      }),
      { seed: 36, numRuns: sweep(5000) },
    )
  })

  it('writes lengths and numbers of every size', () => {
    const sizes = [0, 1, 127, 128, 16_383, 16_384, 2 ** 21 - 1, 2 ** 21, 2 ** 28, 2 ** 31, 2 ** 32 - 1]
    for (const size of sizes) {
      const name = 'n'.repeat(size % 70_000)
      const response: RateLimitResponse = {
        overallCode: 'OVER_LIMIT',
        statuses: [
          {
            code: 'OK',
            currentLimit: { requestsPerUnit: size, unit: 'YEAR', name },
            limitRemaining: size,
            secondsUntilReset: size,
          },
        ],
        responseHeadersToAdd: [{ key: name, value: String(size) }],
      }
      expect(hexOf(writeWireResponse(response))).toBe(hexOf(encodeAnyResponse(response)))
    }
  })

  it('leaves dynamic metadata to the library', () => {
    const response: RateLimitResponse = {
      overallCode: 'OK',
      statuses: [],
      responseHeadersToAdd: [],
      dynamicMetadata: { a: 1 },
    }
    expect(writeWireResponse(response)).toBeNull()
  })
})
