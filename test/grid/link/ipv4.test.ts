/** IPv4: the checksum of RFC 1071, headers, and faults. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeIpv4, internetChecksum, parseIpv4, transportChecksum } from '#grid/link/ipv4.ts'
import { encodeIpv4 } from '../../support/grid-frames.ts'

/** A header that many textbooks compute, of a datagram of 95 octets from 192.168.0.1 to 192.168.0.199. */
const textbook = '45000073000040004011b861c0a80001c0a800c7'
const packet = {
  source: '192.168.0.1',
  destination: '192.168.0.199',
  identification: 0,
  dontFragment: true,
  timeToLive: 64,
  protocol: 17,
  payload: new Uint8Array(95),
}

/** The textbook's packet with octets of its header replaced, and the checksum that is then right. */
function changed(octets: Readonly<Record<number, number>>): Uint8Array {
  const bytes = encodeIpv4(packet)
  for (const [place, octet] of Object.entries(octets)) bytes[Number(place)] = octet
  bytes.set([0, 0], 10)
  const sum = internetChecksum(bytes.subarray(0, ((bytes[0] ?? 0) & 0x0f) * 4))
  bytes.set([sum >>> 8, sum & 0xff], 10)
  return bytes
}

describe('internetChecksum()', () => {
  it('is the complement of the sum that RFC 1071 section 3 computes', () => {
    expect(internetChecksum(decodeHex('0001f203f4f5f6f7'))).toBe(0xffff - 0xddf2)
  })

  it('pads an odd octet on the right', () => {
    expect(internetChecksum(decodeHex('0001f2'))).toBe(internetChecksum(decodeHex('0001f200')))
    expect(internetChecksum(decodeHex('12'))).toBe(0xffff - 0x1200)
  })

  it('folds carries until none is left', () => {
    expect(internetChecksum(decodeHex('ffff0001'), 0xffff_ffff)).toBe(0xffff - 1)
  })

  it('is 0 over octets that hold their own checksum', () => {
    const even = fc.uint8Array({ maxLength: 64 }).filter(({ length }) => length % 2 === 0)
    fc.assert(
      fc.property(even, (bytes) => {
        const sum = internetChecksum(bytes)
        expect(internetChecksum(concatBytes(bytes, Uint8Array.of(sum >>> 8, sum & 0xff)))).toBe(0)
      }),
    )
  })
})

describe('transportChecksum()', () => {
  it('is the checksum over the pseudo header of RFC 9293 section 3.1 and the segment', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(6, 17), (bytes, protocol) => {
        const pseudo = Uint8Array.of(10, 20, 1, 10, 192, 168, 255, 254, 0, protocol, 0, bytes.length)
        expect(transportChecksum('10.20.1.10', '192.168.255.254', protocol, bytes)).toBe(
          internetChecksum(concatBytes(pseudo, bytes)),
        )
      }),
    )
  })
})

describe('putIpv4Header()', () => {
  it('writes the header of the textbook', () => {
    expect(encodeHex(encodeIpv4(packet).subarray(0, 20))).toBe(textbook)
  })

  it.each([
    ['total length', { payload: new Uint8Array(65_516) }],
    ['identification', { identification: 65_536 }],
    ['time to live', { timeToLive: -1 }],
    ['protocol', { protocol: 1.5 }],
    ['address', { source: '10.0.0.256' }],
  ])('refuses a %s that does not fit', (name, change) => {
    expect(() => encodeIpv4({ ...packet, ...change })).toThrow(
      expect.objectContaining({ code: 'malformed_frame', message: expect.stringContaining(name) }),
    )
  })
})

describe('decodeIpv4()', () => {
  it('reads the header of the textbook, and drops the padding of the frame around it', () => {
    const bytes = concatBytes(decodeHex(textbook), new Uint8Array(95), Uint8Array.of(1, 2, 3))
    expect(decodeIpv4(bytes)).toEqual({ ok: true, value: packet })
  })

  it('skips options', () => {
    const bytes = concatBytes(encodeIpv4(packet).subarray(0, 20), Uint8Array.of(1, 1, 1, 0), new Uint8Array(95))
    bytes.set([0x46, 0, 0, 119], 0)
    bytes.set([0, 0], 10)
    const sum = internetChecksum(bytes.subarray(0, 24))
    bytes.set([sum >>> 8, sum & 0xff], 10)
    expect(decodeIpv4(bytes)).toEqual({ ok: true, value: packet })
  })

  it.each([
    ['protocol', 'version', changed({ 0: 0x65 })],
    ['length', 'total length', changed({ 0: 0x44 })],
    ['length', 'total length', changed({ 2: 0, 3: 19 })],
    ['unsupported', 'flags', changed({ 6: 0x20 })],
    ['unsupported', 'flags', changed({ 6: 0x40, 7: 1 })],
    ['truncated', 'payload', changed({ 2: 1 })],
    ['truncated', 'version', new Uint8Array(0)],
  ])('finds the fault %s in the %s', (code, field, bytes) => {
    expect(decodeIpv4(bytes)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('finds every flipped bit of a header by its checksum, or by what it means', () => {
    const bits = fc.record({ place: fc.nat(19), bit: fc.nat(7) })
    fc.assert(
      fc.property(bits, ({ place, bit }) => {
        const bytes = encodeIpv4(packet)
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
        expect(decodeIpv4(bytes).ok).toBe(false)
      }),
    )
  })
})

describe('parseIpv4()', () => {
  it.each(['', '10.0.0', '10.0.0.0.0', '10.0.0.256', '10.0.0.-1', '10.0.0.1e1', '10.0.0. 1', '10..0.1'])(
    'refuses %j',
    (text) => {
      expect(() => parseIpv4(text)).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
    },
  )

  it('reads four decimals', () => {
    expect([...parseIpv4('0.9.10.255')]).toEqual([0, 9, 10, 255])
  })
})
