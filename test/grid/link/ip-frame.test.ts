/** Whole frames octet by octet, with the checksum of a header that textbooks compute. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { encodeDatagram, encodeTcpFrame } from '#grid/link/ip-frame.ts'

const from = { mac: '02:00:5e:00:00:0a', ip: '192.168.0.1', port: 1 }
const to = { mac: '02:00:5e:00:00:0b', ip: '192.168.0.199', port: 2 }
const ip = (identification: number) => ({ identification, timeToLive: 64 })

describe('encodeDatagram()', () => {
  it('writes the destination first, then the header of the textbook with its checksum b861', () => {
    const bytes = encodeDatagram(from, to, new Uint8Array(87), ip(0))
    expect(encodeHex(bytes.subarray(0, 34))).toBe(
      '02005e00000b02005e00000a080045000073000040004011b861c0a80001c0a800c7',
    )
    expect(bytes).toHaveLength(14 + 115)
  })

  it('pads up to 60 octets with zeros', () => {
    expect([...encodeDatagram(from, to, Uint8Array.of(7, 7, 7), ip(1)).subarray(42)]).toEqual([
      ...[7, 7, 7],
      ...new Uint8Array(15),
    ])
  })

  it.each([
    ['identification', () => encodeDatagram(from, to, new Uint8Array(0), ip(0x10000))],
    ['address', () => encodeDatagram({ ...from, ip: '192.168.0' }, to, new Uint8Array(0), ip(1))],
    ['length', () => encodeDatagram(from, to, new Uint8Array(65_508), ip(1))],
  ])('refuses an %s that does not fit', (_, encode) => {
    expect(encode).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
  })
})

describe('encodeTcpFrame()', () => {
  it('writes the ports of both ends and the segment behind the headers', () => {
    const payload = Uint8Array.of(9, 9)
    const fields = { sequence: 3, acknowledgment: 4, control: ['ack', 'psh'], window: 5, payload } as const
    const hex = encodeHex(encodeTcpFrame(from, to, fields, ip(1)))
    expect(hex.slice(28, 40)).toBe('4500002a0001')
    expect(hex.slice(68, 100)).toBe('0001000200000003000000045018' + '0005')
    expect(hex.slice(108)).toBe(`0909${'0000'.repeat(2)}`)
  })
})
