import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { createFrameDecoder, decodeFrames, encodeFrame, type Frame } from '#proto-json/grpc-web/frame.ts'
import { refusal } from '../../support/refusal.ts'
import { sweep } from '../../support/sweep.ts'
import vectors from '../../vectors/grpc-web.json' with { type: 'json' }

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const shown = (frames: readonly Frame[]) =>
  frames.map(({ flags, payload }) => ({ flags, payload: Buffer.from(payload).toString('hex') }))

const codeOf = (run: () => unknown) => refusal(ProtoJsonError, run)?.code ?? null

/** Splits bytes at the given cuts. */
const split = (bytes: Uint8Array, cuts: readonly number[]) => {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))
}

const anyFrame = fc.record({ flags: fc.constantFrom(0, 1, 0x80, 0x81), payload: fc.uint8Array({ maxLength: 40 }) })

describe('decodeFrames()', () => {
  for (const { name, hex, frames } of vectors.frames) {
    it(`reads ${name}`, () => expect(shown(decodeFrames(bytesOf(hex), 1000))).toEqual(frames))
  }

  it('refuses a frame above the bound, before its bytes have come', () => {
    expect(codeOf(() => decodeFrames(bytesOf('00ffffffff'), 1000))).toBe('message_too_large')
    expect(decodeFrames(encodeFrame(0, new Uint8Array(1000)), 1000).length).toBe(1)
    expect(codeOf(() => decodeFrames(encodeFrame(0, new Uint8Array(1001)), 1000))).toBe('message_too_large')
  })

  it('refuses a body that ends inside a frame', () => {
    for (const hex of ['00', '00000000', '0000000001', '000000000361', '000000000000']) {
      expect(codeOf(() => decodeFrames(bytesOf(hex), 1000))).toBe('malformed_message')
    }
  })
})

describe('createFrameDecoder()', () => {
  it('reads the same frames however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
        const body = new Uint8Array(Buffer.concat(frames.map(({ flags, payload }) => encodeFrame(flags, payload))))
        const decoder = createFrameDecoder(1000)
        const read = split(body, cuts).flatMap((chunk) => decoder.push(chunk))
        decoder.end()
        expect(shown(read)).toEqual(shown(frames))
      }),
      { seed: 7 },
    )
  })

  it('refuses a frame above the bound as soon as its header is complete', () => {
    const decoder = createFrameDecoder(10)
    expect(decoder.push(bytesOf('000000'))).toEqual([])
    expect(codeOf(() => decoder.push(bytesOf('000b')))).toBe('message_too_large')
  })

  it('refuses an end inside a header or a payload', () => {
    for (const hex of ['00', '0000000001', '00000000026f']) {
      const decoder = createFrameDecoder(10)
      decoder.push(bytesOf(hex))
      expect(codeOf(() => decoder.end())).toBe('malformed_message')
    }
  })

  it('never crashes on garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat(), { maxLength: 5 }), (bytes, cuts) => {
        const decoder = createFrameDecoder(20)
        const run = () => {
          for (const chunk of split(bytes, cuts)) decoder.push(chunk)
          decoder.end()
        }
        expect([null, 'message_too_large', 'malformed_message']).toContain(codeOf(run))
        expect([null, 'message_too_large', 'malformed_message']).toContain(codeOf(() => decodeFrames(bytes, 20)))
      }),
      { seed: 8, numRuns: sweep(2000) },
    )
  })
})
