import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { GridError } from '#grid/errors.ts'
import type { CaptureFrame } from '#grid/export/capture.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { encodePcapng } from '#grid/export/pcapng.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { sweep } from '../../support/sweep.ts'

function frame(timeUs: number, bytes: Uint8Array): CaptureFrame {
  return { timeUs, bytes, tap: 'after', status: 'clean', label: null }
}

const timed = fc.record({
  timeUs: fc.integer({ min: 0, max: 4_294_967_295_999_999 }),
  bytes: fc.uint8Array({ maxLength: 200 }),
})

/** A classic file with one frame in the byte order and resolution of `magic`, at 1.000002003 s or 1.000002 s. */
function classic(magic: number, isLittle: boolean, fraction: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(24 + 16 + 3))
  view.setUint32(0, magic, isLittle)
  view.setUint16(4, 2, isLittle)
  view.setUint16(6, 4, isLittle)
  view.setUint32(16, 65_535, isLittle)
  view.setUint32(20, 1, isLittle)
  view.setUint32(24, 1, isLittle)
  view.setUint32(28, fraction, isLittle)
  view.setUint32(32, 3, isLittle)
  view.setUint32(36, 60, isLittle)
  view.setUint8(40, 7)
  return new Uint8Array(view.buffer)
}

/** A big-endian PCAPNG section with a 2^-10 s interface, an enhanced and a simple packet. */
function bigEndianSection(): Uint8Array {
  const block = (type: number, ...words: number[]) => {
    const length = words.length * 4 + 12
    const view = new DataView(new ArrayBuffer(length))
    for (const [at, word] of [type, length, ...words, length].entries()) view.setUint32(at * 4, word)
    return new Uint8Array(view.buffer)
  }
  return concatBytes(
    block(0x0a0d0d0a, 0x1a2b3c4d, 0x00010000, 0xffffffff, 0xffffffff),
    block(1, 0x00010000, 0, 0x00090001, 0x8a000000, 0),
    block(0x0bad, 1, 2),
    block(6, 0, 0, 1536, 4, 4, 0xdeadbeef),
    block(3, 4, 0xcafebabe),
  )
}

describe('readCapture()', () => {
  it('reads back what encodePcap() wrote', () => {
    fc.assert(
      fc.property(fc.array(timed, { maxLength: 20 }), (frames) => {
        const file = concatBytes(...encodePcap(frames.map((each) => frame(each.timeUs, each.bytes))))
        expect(readCapture(file)).toEqual(frames)
      }),
      { seed: 1, numRuns: sweep(100) },
    )
  })

  it('reads back what encodePcapng() wrote', () => {
    fc.assert(
      fc.property(fc.array(timed, { maxLength: 20 }), (frames) => {
        const file = concatBytes(...encodePcapng(frames.map((each) => frame(each.timeUs, each.bytes))))
        expect(readCapture(file)).toEqual(frames)
      }),
      { seed: 2, numRuns: sweep(100) },
    )
  })

  it.each([
    ['little endian microseconds', 0xa1b2c3d4, true, 2],
    ['big endian microseconds', 0xa1b2c3d4, false, 2],
    ['little endian nanoseconds', 0xa1b23c4d, true, 2003],
    ['big endian nanoseconds', 0xa1b23c4d, false, 2003],
  ])('reads classic files in %s, to the microsecond', (_, magic, isLittle, fraction) => {
    const expected = [{ timeUs: 1_000_002, bytes: Uint8Array.of(7, 0, 0) }]
    expect(readCapture(classic(magic, isLittle, fraction))).toEqual(expected)
  })

  it('reads a big endian section, powers of two, unknown blocks and simple packets', () => {
    expect(readCapture(bigEndianSection())).toEqual([
      { timeUs: 1_500_000, bytes: Uint8Array.of(0xde, 0xad, 0xbe, 0xef) },
      { timeUs: 1_500_000, bytes: Uint8Array.of(0xca, 0xfe, 0xba, 0xbe) },
    ])
  })

  it('takes a file without frames', () => {
    expect(readCapture(concatBytes(...encodePcap([])))).toEqual([])
    expect(readCapture(concatBytes(...encodePcapng([])))).toEqual([])
  })

  const good = concatBytes(...encodePcap([frame(1_000_000, new Uint8Array(60))]))
  const patched = (at: number, ...octets: number[]) => {
    const copy = good.slice()
    copy.set(octets, at)
    return copy
  }

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /it has 0 octets/],
    ['text', new TextEncoder().encode('GET / HTTP/1.1'), /it starts with 0x47455420/],
    ['half a header', good.slice(0, 20), /its header has 20 octets/],
    ['half a record', good.slice(0, 30), /record at 24 is cut short/],
    ['half a frame', good.slice(0, -1), /claims 60 octets, 59 are left/],
    ['a link type that is not Ethernet', patched(20, 113), /link type is 113, expected 1/],
    ['a frame that is too long', patched(32, 0xff, 0xff, 0xff, 0x7f), /expected at most 65535/],
    ['a second with too many fractions', patched(28, 0xff, 0xff, 0xff, 0xff), /fractions of a second/],
    ['fewer octets on the wire than captured', patched(36, 1, 0, 0, 0), /captured 60 of 1/],
    ['another version', patched(4, 9), /version is 9/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readCapture(bytes)).toThrow(message)
  })

  it('refuses more frames than the bound', () => {
    const file = (count: number) => concatBytes(...encodePcap(new Array(count).fill(frame(1, new Uint8Array(1)))))
    expect(readCapture(file(20_000))).toHaveLength(20_000)
    expect(() => readCapture(file(20_001))).toThrow(/more than 20000 frames/)
  })

  it('answers arbitrary octets with frames or malformed_capture, never otherwise', () => {
    const sane = bigEndianSection()
    const mutated = fc
      .tuple(fc.constantFrom(good, sane), fc.nat(), fc.nat({ max: 255 }), fc.nat())
      .map(([base, at, value, cut]) => {
        const copy = base.slice(0, base.length - (cut % 8))
        copy[at % copy.length] = value
        return copy
      })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), mutated), (bytes) => {
        try {
          readCapture(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(GridError)
          expect(error).toMatchObject({ code: 'malformed_capture' })
        }
      }),
      { seed: 3, numRuns: sweep(3000) },
    )
  })
})

describe('readCapture() of PCAPNG', () => {
  it('refuses a time that classic PCAP cannot hold', () => {
    const file = (timeUs: number) => concatBytes(...encodePcapng([frame(timeUs, new Uint8Array(60))]))
    expect(readCapture(file(2 ** 32 * 1_000_000 - 1))).toHaveLength(1)
    expect(() => readCapture(file(2 ** 32 * 1_000_000))).toThrow(/a time out of range/)
  })
})
