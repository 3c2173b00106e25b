import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '#proto-json/binary.ts'
import { sweep } from '../support/sweep.ts'
import vectors from '../vectors/ratelimit-v3-messages.json' with { type: 'json' }
import { anyRequest, anyResponse, valueOrCode } from './messages.ts'

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

describe('decodeRequest()', () => {
  for (const { name, hex, request } of vectors.requests) {
    it(`reads ${name}`, () => {
      const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
      expect(JSON.parse(JSON.stringify(decodeRequest(bytesOf(hex)), asText))).toEqual(request)
    })
  }

  it('reads back what encodeRequest() writes', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(decodeRequest(encodeRequest(request))).toEqual(request)
      }),
    )
  })

  it('refuses garbage with malformed_message and never crashes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const result = valueOrCode(() => decodeRequest(bytes))
        expect(typeof result === 'object' || result === 'malformed_message').toBe(true)
      }),
      { seed: 6, numRuns: sweep(5000) },
    )
  })

  // Named in docs/choices.md.
  it('drops the upper bits of an integer in ten bytes that takes more than 64', () => {
    const { hitsAddend } = decodeRequest(bytesOf(`18${'81'}${'80'.repeat(8)}7f`))
    expect(hitsAddend).toBe(1)
  })

  it('refuses a message that ends in the middle of a field', () => {
    const bytes = encodeRequest({ domain: 'shop', descriptors: [], hitsAddend: 0 })
    expect(valueOrCode(() => decodeRequest(bytes.subarray(0, 3)))).toBe('malformed_message')
  })
})

describe('encodeResponse()', () => {
  for (const { name, hex, response } of vectors.responses) {
    it(`writes ${name}`, () => {
      expect(Buffer.from(encodeResponse(decodeResponse(bytesOf(hex)))).toString('hex')).toBe(hex)
      expect(decodeResponse(bytesOf(hex))).toEqual(response)
    })
  }

  it('is read back by decodeResponse()', () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        expect(decodeResponse(encodeResponse(response))).toEqual(response)
      }),
    )
  })
})

describe('decodeResponse()', () => {
  it('refuses an unknown code', () => {
    expect(valueOrCode(() => decodeResponse(bytesOf('0803')))).toBe('malformed_message')
    expect(valueOrCode(() => decodeResponse(bytesOf('')))).toBe('malformed_message')
  })

  it('ignores quota, raw_body and request headers, which the service never sets', () => {
    expect(decodeResponse(bytesOf('08012a0161'))).toEqual({ overallCode: 'OK', statuses: [], responseHeadersToAdd: [] })
  })
})
