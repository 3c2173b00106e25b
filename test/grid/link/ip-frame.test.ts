/** Whole frames octet by octet, with the checksum of a header that textbooks compute. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { encodeDatagram, encodeTcpFrame, renumberTcp } from '#grid/link/ip-frame.ts'
import { mustDecode } from '../../support/must.ts'

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

  it('writes ports, length and the checksum over the pseudo-header behind both addresses', () => {
    const bytes = encodeDatagram(from, to, decodeHex('0102'), ip(7))
    // Both addresses, the protocol and the length, then ports, length and payload.
    const words = [0xc0a8, 0x0001, 0xc0a8, 0x00c7, 0x0011, 0x000a, 0x0001, 0x0002, 0x000a, 0x0102]
    const total = words.reduce((sum, word) => sum + word, 0)
    const checksum = 0xffff - ((total & 0xffff) + Math.floor(total / 0x10000))
    expect(encodeHex(bytes.subarray(34, 44))).toBe(`00010002000a${checksum.toString(16).padStart(4, '0')}0102`)
    expect(bytes).toHaveLength(60)
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

/** A frame of one TCP segment near the end of its numbers. */
function segmentOf(payload: Uint8Array): Uint8Array {
  const fields = { sequence: 1000, acknowledgment: 4_294_967_290, control: ['ack', 'psh'], window: 5, payload } as const
  return encodeTcpFrame(from, to, fields, ip(1))
}

/** The numbers and octets of a frame's segment. */
function readSegment(bytes: Uint8Array): { sequence: number; acknowledgment: number; payload: string } {
  const frame = mustDecode(decodeFrame(bytes))
  if (frame.carrier !== 'tcp') throw new Error('expected a TCP segment')
  const { segment, payload } = frame
  return { sequence: segment.sequence, acknowledgment: segment.acknowledgment, payload: encodeHex(payload) }
}

describe('renumberTcp()', () => {
  it('moves both numbers modulo 2^32, with a checksum that holds, and no other octet', () => {
    const bytes = segmentOf(decodeHex('aabbcc'))
    const before = readSegment(bytes)
    const moved = renumberTcp(bytes, { sequence: -2000, acknowledgment: 10 })
    expect(readSegment(moved)).toEqual({
      sequence: (before.sequence - 2000 + 2 ** 32) % 2 ** 32,
      acknowledgment: (before.acknowledgment + 10) % 2 ** 32,
      payload: 'aabbcc',
    })
    const differ = [...bytes.keys()].filter((index) => bytes[index] !== moved[index])
    const numbers = [38, 39, 40, 41, 42, 43, 44, 45, 50, 51]
    expect(differ.filter((index) => !numbers.includes(index))).toEqual([])
  })

  it('leaves the frame that it was given, and undoes itself', () => {
    const bytes = segmentOf(Uint8Array.of(1))
    const kept = bytes.slice()
    const there = renumberTcp(bytes, { sequence: 5, acknowledgment: 2 ** 31 })
    expect(bytes).toEqual(kept)
    expect(renumberTcp(there, { sequence: -5, acknowledgment: -(2 ** 31) })).toEqual(bytes)
  })
})
