/** UDP datagrams: the header of RFC 768, its two special checksums, and faults. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { internetChecksum } from '#grid/link/ipv4.ts'
import { decodeUdp } from '#grid/link/udp.ts'
import { encodeUdp } from '../../support/grid-frames.ts'

const source = '10.0.0.1'
const destination = '10.0.0.2'
const datagram = { sourcePort: 4712, destinationPort: 65_535, payload: Uint8Array.of(0xaa, 0x01, 0x7f) }

describe('putUdp()', () => {
  it('writes ports, length, checksum and payload', () => {
    const bytes = encodeUdp(datagram, source, destination)
    expect(encodeHex(bytes)).toBe(`1268ffff000b${encodeHex(bytes.subarray(6, 8))}aa017f`)
    const pseudo = Uint8Array.of(10, 0, 0, 1, 10, 0, 0, 2, 0, 17, 0, bytes.length)
    expect(internetChecksum(Uint8Array.from([...pseudo, ...bytes]))).toBe(0)
  })

  it('sends a computed 0 as FFFF, because 0 means that there is none', () => {
    // Pseudo header 0a00 + 0001 + 0a00 + 0002 + 0011 + 000a, header 0000 + 0000 + 000a: 1428, so EBD7 makes FFFF.
    const payload = Uint8Array.of(0xeb, 0xd7)
    const bytes = encodeUdp({ sourcePort: 0, destinationPort: 0, payload }, source, destination)
    expect(encodeHex(bytes)).toBe('00000000000affffebd7')
    expect(decodeUdp(bytes, source, destination).ok).toBe(true)
  })

  it.each([
    ['source port', { sourcePort: 65_536 }],
    ['destination port', { destinationPort: -1 }],
    ['length', { payload: new Uint8Array(65_528) }],
  ])('refuses a %s that does not fit', (name, change) => {
    expect(() => encodeUdp({ ...datagram, ...change }, source, destination)).toThrow(
      expect.objectContaining({ code: 'malformed_frame', message: expect.stringContaining(name) }),
    )
  })
})

describe('decodeUdp()', () => {
  const bytes = () => encodeUdp(datagram, source, destination)
  const edited = (place: number, ...octets: number[]) => {
    const copy = bytes()
    copy.set(octets, place)
    return copy
  }

  it('reads a datagram back', () => {
    expect(decodeUdp(bytes(), source, destination)).toEqual({ ok: true, value: datagram })
  })

  it('does not check a checksum of 0', () => {
    const none = edited(6, 0, 0)
    none[10] = 0x00
    expect(decodeUdp(none, source, destination)).toMatchObject({ ok: true })
  })

  it.each([
    ['length', 'length', edited(4, 0, 7)],
    ['truncated', 'payload', edited(4, 0, 12)],
    ['checksum', 'checksum', edited(8, 0xab)],
    ['trailing', 'end', Uint8Array.from([...bytes(), 0])],
    ['truncated', 'checksum', bytes().subarray(0, 7)],
  ])('finds the fault %s in the %s', (code, field, octets) => {
    expect(decodeUdp(octets, source, destination)).toMatchObject({ ok: false, fault: { code, field } })
  })
})
