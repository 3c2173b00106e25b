import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { decodeBase64Text } from '#proto-json/grpc-web/base64-text.ts'
import vectors from '../../vectors/grpc-web.json' with { type: 'json' }

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('decodeBase64Text()', () => {
  for (const { name, text, hex } of vectors.texts) {
    it(`reads ${name}`, () => expect(hexOf(decodeBase64Text(text))).toBe(hex))
  }

  for (const text of vectors.malformedTexts) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(() => decodeBase64Text(text)).toThrow(ProtoJsonError))
  }

  it('reads pieces that were each padded by themselves', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (pieces) => {
        const read = decodeBase64Text(pieces.map(encodeBase64).join(''))
        expect(hexOf(read)).toBe(pieces.map(hexOf).join(''))
      }),
      { seed: 9 },
    )
  })
})
