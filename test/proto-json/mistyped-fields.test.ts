import { describe, expect, it } from 'vitest'
import { decodeRequest } from '#proto-json/binary.ts'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { RateLimitRequestSchema } from '#proto-json/gen/ratelimit_pb.ts'
import { withoutMistyped } from '#proto-json/mistyped-fields.ts'
import { readAddend } from '#ratelimit/descriptor-hit.ts'
import { refusal } from '../support/refusal.ts'
import vectors from '../vectors/ratelimit-v3-wire.json' with { type: 'json' }

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const messageOf = (hex: string) => refusal(ProtoJsonError, () => decodeRequest(bytesOf(hex)))?.message ?? null

describe('decodeRequest(), bytes that the reference was sent', () => {
  for (const { what, hex, status, hits } of vectors.cases) {
    if (hits !== undefined) {
      it(`counts ${hits} for ${what}`, () => {
        const request = decodeRequest(bytesOf(hex))
        const [descriptor] = request.descriptors
        expect(request.domain).toBe('shop')
        expect(descriptor?.entries).toEqual([{ key: 'k', value: 'v' }])
        expect(descriptor && readAddend(descriptor, request)).toBe(hits)
      })
    } else if (status === 2) {
      it(`reads no domain in ${what}`, () => expect(decodeRequest(bytesOf(hex)).domain).toBe(''))
    } else {
      it(`refuses ${what}`, () => expect(messageOf(hex)).toMatch(/^Cannot decode request: .*, expected /))
    }
  }

  it('states where the bytes end', () => {
    expect(messageOf('0a0473686f')).toBe(
      'Cannot decode request: the bytes end in the middle of a field, expected a message in protobuf',
    )
    expect(messageOf('0a02fffe')).toBe('Cannot decode request: a text is not UTF-8, expected a message in protobuf')
  })

  it('refuses groups without end, however deep', () => {
    expect(messageOf('7b'.repeat(1_000_000))).toMatch(/^Cannot decode request: /)
  })
})

describe('withoutMistyped()', () => {
  it('returns the same bytes when every field has its type', () => {
    const bytes = bytesOf('0a0473686f7012080a060a016b1201767805')
    expect(withoutMistyped(RateLimitRequestSchema, bytes)).toBe(bytes)
  })

  it('leaves out what is mistyped at any depth, and corrects the lengths around it', () => {
    const bytes = bytesOf('0a0473686f70120a0a0808070a016b120176')
    expect(Buffer.from(withoutMistyped(RateLimitRequestSchema, bytes)).toString('hex')).toBe(
      '0a0473686f7012080a060a016b120176',
    )
  })
})
