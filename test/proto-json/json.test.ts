import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import {
  readAnyRequest,
  readRequest,
  readRequestBytes,
  readResponse,
  writeRequest,
  writeResponse,
} from '#proto-json/json.ts'
import { refusal } from '../support/refusal.ts'
import { sweep } from '../support/sweep.ts'
import vectors from '../vectors/proto3-json.json' with { type: 'json' }
import { anyRequest, anyResponse } from './messages.ts'

/** 64-bit integers as text, so that a message compares with what a JSON file can hold. */
const asVector = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)))

const codeOf = (read: () => unknown) => refusal(ProtoJsonError, read)?.code ?? null

describe('readRequest()', () => {
  for (const { rule, text, request } of vectors.cases) {
    it(`${request === null ? 'refuses' : 'reads'} ${rule}`, () => {
      if (request === null) expect(codeOf(() => readRequest(text))).toBe('malformed_json')
      else expect(asVector(readRequest(text))).toEqual(request)
    })
  }

  it('reads back what writeRequest() writes', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(readRequest(writeRequest(request))).toEqual(request)
      }),
    )
  })

  it('refuses any other text with malformed_json', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json())
    fc.assert(
      fc.property(text, (body) => {
        expect([null, 'malformed_json']).toContain(codeOf(() => readRequest(body)))
      }),
      { seed: 2, numRuns: sweep(2000) },
    )
  })

  it('refuses or reads mutated requests, and never anything else', () => {
    const mutation = fc.record({ request: anyRequest, at: fc.nat(), remove: fc.nat(4), insert: fc.string() })
    fc.assert(
      fc.property(mutation, ({ request, at, remove, insert }) => {
        const text = writeRequest(request)
        const start = at % (text.length + 1)
        const body = text.slice(0, start) + insert + text.slice(start + remove)
        expect([null, 'malformed_json']).toContain(codeOf(() => readRequest(body)))
      }),
      { seed: 3, numRuns: sweep(5000) },
    )
  })

  it('takes time in proportion to a hostile text', () => {
    const zeros = `{"hitsAddend":"${'0'.repeat(200_000)}"}`
    const quotes = `{"domain":"${'\\"'.repeat(200_000)}"}`
    expect(codeOf(() => readRequest(zeros))).toBe('malformed_json')
    expect(readRequest(quotes).domain.length).toBe(200_000)
  })
})

describe('readRequestBytes()', () => {
  it('refuses a byte-order mark', () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('{}')])
    expect(codeOf(() => readRequestBytes(bytes))).toBe('malformed_json')
  })

  it('refuses bytes that are not UTF-8', () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"domain":"'), 0xff, 0x22, 0x7d])
    expect(codeOf(() => readRequestBytes(bytes))).toBe('malformed_json')
  })
})

describe('readAnyRequest()', () => {
  it('keeps a member called __proto__ out of every prototype', () => {
    expect(codeOf(() => readAnyRequest('{"descriptors":[{"__proto__":{"polluted":1}}]}'))).toBe('malformed_json')
    expect('polluted' in {}).toBe(false)
  })
})

describe('writeResponse()', () => {
  it('leaves out defaults: no remaining, no name, no empty list', () => {
    const status = { code: 'OVER_LIMIT', currentLimit: { requestsPerUnit: 1, unit: 'DAY' }, limitRemaining: 0 } as const
    expect(writeResponse({ overallCode: 'OVER_LIMIT', statuses: [status], responseHeadersToAdd: [] })).toBe(
      '{"overallCode":"OVER_LIMIT","statuses":[{"code":"OVER_LIMIT","currentLimit":{"requestsPerUnit":1,"unit":"DAY"}}]}',
    )
  })

  it('leaves out a limit of zero requests', () => {
    const status = {
      code: 'OVER_LIMIT',
      currentLimit: { requestsPerUnit: 0, unit: 'HOUR' },
      limitRemaining: 0,
    } as const
    const text = writeResponse({ overallCode: 'OVER_LIMIT', statuses: [status], responseHeadersToAdd: [] })
    expect(JSON.parse(text).statuses).toEqual([{ code: 'OVER_LIMIT', currentLimit: { unit: 'HOUR' } }])
  })

  it('writes an unmatched status as its code only', () => {
    const text = writeResponse({
      overallCode: 'OK',
      statuses: [{ code: 'OK', limitRemaining: 0 }],
      responseHeadersToAdd: [],
    })
    expect(text).toBe('{"overallCode":"OK","statuses":[{"code":"OK"}]}')
  })

  it('writes numbers, the name and the seconds until reset of a whole answer', () => {
    const text = writeResponse({
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { requestsPerUnit: 4294967295, unit: 'WEEK', name: 'weekly' },
          limitRemaining: 4294967295,
          secondsUntilReset: 58,
        },
      ],
      responseHeadersToAdd: [{ key: 'RateLimit-Limit', value: '10' }],
      dynamicMetadata: { descriptors: [null, true, 'x', { n: 1.5 }] },
    })
    expect(JSON.parse(text)).toEqual({
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { name: 'weekly', requestsPerUnit: 4294967295, unit: 'WEEK' },
          limitRemaining: 4294967295,
          durationUntilReset: '58s',
        },
      ],
      responseHeadersToAdd: [{ key: 'RateLimit-Limit', value: '10' }],
      dynamicMetadata: { descriptors: [null, true, 'x', { n: 1.5 }] },
    })
  })

  it('is read back by readResponse()', () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        expect(readResponse(writeResponse(response))).toEqual(response)
      }),
    )
  })
})
