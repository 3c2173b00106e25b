import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnyRequest, encodeRequest } from '#proto-json/binary.ts'
import { readWireRequest } from '#proto-json/fast-binary.ts'
import { sweep } from '../support/sweep.ts'
import vectors from '../vectors/ratelimit-v3-messages.json' with { type: 'json' }
import { anyRequest, plainRequest, valueOrCode } from './messages.ts'

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const readLongWay = (bytes: Uint8Array) => valueOrCode(() => decodeAnyRequest(bytes))

/** All that the short way reads, the long way reads the same; the short way need not read all. */
const agrees = (bytes: Uint8Array) => {
  const short = readWireRequest(bytes)
  if (short !== null) expect(short).toEqual(readLongWay(bytes))
  return short !== null
}

const isAscii = (bytes: Uint8Array) => bytes.every((byte) => byte < 0x80)

describe('readWireRequest()', () => {
  it('agrees with the library on every vector', () => {
    const taken = vectors.requests.filter(({ hex }) => agrees(bytesOf(hex)))
    expect(taken.length).toBeGreaterThan(0)
  })

  it('takes what proxies send', () => {
    const value = 'v'.repeat(100)
    const request = {
      domain: 'shop',
      descriptors: [{ entries: [{ key: 'tenant', value: 't1' }] }, { entries: [{ key: 'path', value }] }],
      hitsAddend: 300,
    }
    expect(readWireRequest(encodeRequest(request))).toEqual(request)
  })

  it('takes every plain request whose bytes are ASCII, as the library reads it', () => {
    const plain = plainRequest.filter(({ domain, descriptors }) =>
      isAscii(new TextEncoder().encode(domain + JSON.stringify(descriptors))),
    )
    fc.assert(
      fc.property(plain, fc.nat(2 ** 28 - 1), (request, hitsAddend) => {
        expect(agrees(encodeRequest({ ...request, hitsAddend }))).toBe(true)
      }),
      { seed: 31, numRuns: sweep(1000) },
    )
  })

  it('agrees with the library on requests with any field', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        agrees(encodeRequest(request))
      }),
      { seed: 32, numRuns: sweep(1000) },
    )
  })

  it('agrees with the library on fields out of order, repeated and in pieces', () => {
    fc.assert(
      fc.property(fc.array(plainRequest, { maxLength: 4 }), (requests) => {
        agrees(new Uint8Array(Buffer.concat(requests.map(encodeRequest))))
      }),
      { seed: 33, numRuns: sweep(1000) },
    )
  })

  it('agrees with the library on mutated bytes', () => {
    const piece = fc.uint8Array({ maxLength: 3 })
    fc.assert(
      fc.property(plainRequest, fc.nat(), fc.nat(3), piece, (request, at, remove, insert) => {
        const bytes = encodeRequest(request)
        const start = at % (bytes.length + 1)
        const parts = [bytes.subarray(0, start), insert, bytes.subarray(start + remove)]
        agrees(new Uint8Array(Buffer.concat(parts)))
      }),
      { seed: 34, numRuns: sweep(20_000) },
    )
  })

  it('agrees with the library on garbage made of known tags', () => {
    const byte = fc.oneof(fc.constantFrom(0x0a, 0x12, 0x18, 0, 1, 2, 3, 0x41, 0x80, 0xff), fc.nat(255))
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 24 }), (bytes) => {
        agrees(Uint8Array.from(bytes))
      }),
      { seed: 35, numRuns: sweep(20_000) },
    )
  })
})
