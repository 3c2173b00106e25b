import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { decodeFrames } from '#proto-json/grpc-web/frame.ts'
import { type Status, statusTable } from '#proto-json/grpc-web/status.ts'
import { decodeTrailers, encodeTrailersFrame, statusOfTrailers } from '#proto-json/grpc-web/trailer.ts'
import vectors from '../../vectors/grpc-web.json' with { type: 'json' }

describe('decodeTrailers()', () => {
  for (const { name, text, status } of vectors.trailers) {
    it(`reads ${name}`, () => {
      expect(statusOfTrailers(decodeTrailers(new TextEncoder().encode(text)))).toEqual(status)
    })
  }

  it('joins a name that occurs twice', () => {
    expect(decodeTrailers(new TextEncoder().encode('a:1\r\nA: 2\r\n')).get('a')).toBe('1, 2')
  })

  it('refuses a line without a name', () => {
    for (const text of ['grpc-status\r\n', ':0\r\n']) {
      expect(() => decodeTrailers(new TextEncoder().encode(text))).toThrow(ProtoJsonError)
    }
  })
})

describe('encodeTrailersFrame()', () => {
  it('writes lower-case names and no space after the colon', () => {
    const [frame] = decodeFrames(encodeTrailersFrame({ code: 2, message: 'a b' }), 100)
    expect(frame?.flags).toBe(0x80)
    expect(new TextDecoder().decode(frame?.payload)).toBe('grpc-status:2\r\ngrpc-message:a b\r\n')
  })

  it('is read back for every code and message', () => {
    const code = fc.constantFrom(...Object.keys(statusTable).map((key) => Number(key) as Status['code']))
    fc.assert(
      fc.property(code, fc.string({ unit: 'grapheme' }), (number, message) => {
        // White space around a header value is not part of it.
        const status = { code: number, message: message.trim() }
        const [frame] = decodeFrames(encodeTrailersFrame(status), 10_000)
        expect(statusOfTrailers(decodeTrailers(frame?.payload ?? new Uint8Array(0)))).toEqual(status)
      }),
      { seed: 11 },
    )
  })
})
