/** Headers in front of a transport, octet by octet, with the checksum of a header that textbooks compute. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { startIpFrame } from '#grid/link/ip-frame.ts'

const from = { mac: '02:00:5e:00:00:0a', ip: '192.168.0.1', port: 1 }
const to = { mac: '02:00:5e:00:00:0b', ip: '192.168.0.199', port: 2 }

describe('startIpFrame()', () => {
  it('writes the destination first, then the header of the textbook with its checksum b861', () => {
    const { bytes } = startIpFrame(from, to, 0, 17, 95)
    expect(encodeHex(bytes.subarray(0, 34))).toBe(
      '02005e00000b02005e00000a080045000073000040004011b861c0a80001c0a800c7',
    )
    expect(bytes).toHaveLength(14 + 115)
  })

  it('gives the transport exactly its octets of the frame, zero until it writes them', () => {
    const { bytes, transport } = startIpFrame(from, to, 1, 6, 3)
    expect([...transport]).toEqual([0, 0, 0])
    transport.fill(7)
    // Padding up to 60 octets stays zero.
    expect([...bytes.subarray(34)]).toEqual([7, 7, 7, ...Array.from({ length: 23 }, () => 0)])
  })

  it.each([
    ['identification', () => startIpFrame(from, to, 0x10000, 17, 8)],
    ['address', () => startIpFrame({ ...from, ip: '192.168.0' }, to, 1, 17, 8)],
    ['length', () => startIpFrame(from, to, 1, 17, 65_516)],
  ])('refuses an %s that does not fit', (_, start) => {
    expect(start).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
  })
})
