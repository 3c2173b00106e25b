/** TCP segments: the header of RFC 9293 octet by octet, its one option, and faults. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { internetChecksum, transportChecksum } from '#grid/link/ipv4.ts'
import { decodeTcp, type TcpControl, type TcpSegment } from '#grid/link/tcp.ts'
import { encodeTcp } from '../../support/grid-frames.ts'

const source = '10.0.0.1'
const destination = '10.0.0.2'

const syn: TcpSegment = {
  sourcePort: 50_000,
  destinationPort: 20_000,
  sequence: 0x01020304,
  acknowledgment: 0,
  control: ['syn'],
  window: 8192,
  maximumSegmentSize: 1460,
  payload: new Uint8Array(0),
}

const data: TcpSegment = {
  sourcePort: 1,
  destinationPort: 65_535,
  sequence: 0xffff_ffff,
  acknowledgment: 0x8000_0000,
  control: ['ack', 'psh'],
  window: 65_535,
  payload: Uint8Array.of(0x05, 0x64, 0xff),
}

/** A SYN with any data offset, options and payload; its checksum is right. */
function segment(words: number, options: string, payload = ''): Uint8Array {
  const offset = words.toString(16)
  const bytes = decodeHex(`c3504e200102030400000000${offset}002200000000000${options}${payload}`)
  const sum = transportChecksum(source, destination, 6, bytes)
  bytes.set([sum >>> 8, sum & 0xff], 16)
  return bytes
}

describe('putTcp()', () => {
  it('writes a SYN with its segment size, field by field', () => {
    const bytes = encodeTcp(syn, source, destination)
    const checksum = encodeHex(bytes.subarray(16, 18))
    expect(encodeHex(bytes)).toBe(`c3504e20010203040000000060022000${checksum}0000020405b4`)
  })

  it('writes data behind a header of 20 octets', () => {
    const bytes = encodeTcp(data, source, destination)
    const checksum = encodeHex(bytes.subarray(16, 18))
    expect(encodeHex(bytes)).toBe(`0001ffffffffffff800000005018ffff${checksum}00000564ff`)
  })

  it('writes a checksum that covers the pseudo header', () => {
    const bytes = encodeTcp(data, source, destination)
    const pseudo = Uint8Array.of(10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, bytes.length)
    expect(internetChecksum(Uint8Array.from([...pseudo, ...bytes]))).toBe(0)
  })

  it.each([
    ['source port', { sourcePort: 65_536 }],
    ['destination port', { destinationPort: -1 }],
    ['sequence number', { sequence: 2 ** 32 }],
    ['acknowledgment number', { acknowledgment: 0.5 }],
    ['window', { window: 65_536 }],
    ['maximum segment size', { maximumSegmentSize: 65_536 }],
    ['length', { payload: new Uint8Array(65_535) }],
  ])('refuses a %s that does not fit', (name, change) => {
    expect(() => encodeTcp({ ...data, ...change }, source, destination)).toThrow(
      expect.objectContaining({ code: 'malformed_frame', message: expect.stringContaining(name) }),
    )
  })
})

describe('decodeTcp()', () => {
  it.each([
    ['a SYN', syn],
    ['data', data],
  ])('reads %s back', (_, value) => {
    expect(decodeTcp(encodeTcp(value, source, destination), source, destination)).toEqual({ ok: true, value })
  })

  it.each([
    ['urg', 0x20],
    ['ack', 0x10],
    ['psh', 0x08],
    ['rst', 0x04],
    ['syn', 0x02],
    ['fin', 0x01],
  ] as const)('reads and writes %s as the bit %i', (name: TcpControl, bit) => {
    const bytes = encodeTcp({ ...data, control: [name] }, source, destination)
    expect(bytes[13]).toBe(bit)
    expect(decodeTcp(bytes, source, destination)).toMatchObject({ value: { control: [name] } })
  })

  it.each([
    ['behind padding', '01010204ffff0000', 0xffff],
    ['behind an option that is not known', '080a00000000000000000204024000000000', 576],
    ['behind the end of options', '000204024000', undefined],
    ['of a wrong length', '0203024001010101', undefined],
  ])('takes no segment size but the option itself: %s', (_, options, size) => {
    const padded = options.padEnd(Math.ceil(options.length / 8) * 8, '0')
    const read = decodeTcp(segment(5 + padded.length / 8, padded), source, destination)
    expect(read.ok && (read.value.maximumSegmentSize ?? null)).toBe(size ?? null)
  })

  it.each([
    ['a length of 0', '02000000'],
    ['a length beyond the options', '08ff0000'],
    ['no length', '01010108'],
  ])('ends with an option that has %s, and reads the payload', (_, options) => {
    expect(decodeTcp(segment(6, options, 'ab'), source, destination)).toMatchObject({
      ok: true,
      value: { payload: Uint8Array.of(0xab) },
    })
  })

  it.each([
    ['truncated', 'window', segment(5, '').subarray(0, 15)],
    ['length', 'data offset', segment(4, '')],
    ['truncated', 'options', segment(6, '')],
    ['checksum', 'checksum', segment(5, '', 'ab').map((octet, at) => (at === 20 ? octet ^ 1 : octet))],
  ])('finds the fault %s in the %s', (code, field, bytes) => {
    expect(decodeTcp(bytes, source, destination)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('finds a segment that was sent between other addresses', () => {
    const bytes = encodeTcp(data, source, destination)
    expect(decodeTcp(bytes, source, '10.0.0.3')).toMatchObject({ fault: { code: 'checksum' } })
  })
})
