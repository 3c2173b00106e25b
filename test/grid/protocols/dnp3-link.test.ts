/** DNP3 link frames: a frame that is known from many captures, blocks and their CRCs, and faults. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeDnp3Link, dnp3LinkFunction, encodeDnp3Link } from '#grid/protocols/dnp3-link.ts'

/** A master resets the link of outstation 1; the master is 1024. */
const reset = '056405c001000004e921'
const resetLink = {
  fromMaster: true,
  isPrimary: true,
  frameCount: false,
  frameCountValid: false,
  functionCode: dnp3LinkFunction.resetLink,
  destination: 1,
  source: 1024,
  userData: new Uint8Array(0),
}
const withData = (length: number) => ({
  ...resetLink,
  functionCode: dnp3LinkFunction.unconfirmedUserData,
  userData: new Uint8Array(length).map((_, index) => index),
})

/** A frame of 17 octets of user data with one octet changed. */
function changed(place: number, octet: number): Uint8Array {
  const bytes = encodeDnp3Link(withData(17))
  bytes[place] = octet
  return bytes
}

describe('encodeDnp3Link()', () => {
  it('writes the reset of a link', () => {
    expect(encodeHex(encodeDnp3Link(resetLink))).toBe(reset)
  })

  it.each([
    ['fromMaster', 0x80],
    ['isPrimary', 0x40],
    ['frameCount', 0x20],
    ['frameCountValid', 0x10],
  ] as const)('writes %s as the bit %i of the control octet', (name, bit) => {
    const none = { fromMaster: false, isPrimary: false, frameCount: false, frameCountValid: false }
    expect(encodeDnp3Link({ ...resetLink, ...none, functionCode: 9, [name]: true })[3]).toBe(bit | 9)
  })

  it.each([
    [0, 10],
    [1, 13],
    [16, 28],
    [17, 31],
    [32, 46],
    [250, 292],
  ])('gives %i octets of user data blocks of 16, each with a CRC: %i octets', (data, octets) => {
    const bytes = encodeDnp3Link(withData(data))
    expect([bytes[2], bytes.length]).toEqual([5 + data, octets])
    expect(decodeDnp3Link(bytes)).toEqual({ ok: true, value: { frame: withData(data), length: octets } })
  })

  it.each([
    ['251 octets of user data', withData(251)],
    ['a destination', { ...resetLink, destination: 65_536 }],
    ['a source', { ...resetLink, source: -1 }],
  ])('refuses %s that does not fit', (_, frame) => {
    expect(() => encodeDnp3Link(frame)).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
  })
})

describe('decodeDnp3Link()', () => {
  it('reads the reset of a link, and counts the octets that it took of the stream', () => {
    expect(decodeDnp3Link(decodeHex(`${reset}0564`))).toEqual({ ok: true, value: { frame: resetLink, length: 10 } })
  })

  it.each([
    ['protocol', 'start', changed(0, 6)],
    ['length', 'length', decodeHex('056404c001000004e921')],
    // The CRC was made for the right length, which the octets confirm.
    ['length', 'length', changed(2, 21)],
    ['checksum', 'header CRC', changed(4, 2)],
    ['checksum', 'block CRC', changed(10, 0xff)],
    ['checksum', 'block CRC', changed(28, 0xff)],
    ['truncated', 'block CRC', encodeDnp3Link(withData(17)).subarray(0, 30)],
    ['truncated', 'block', encodeDnp3Link(withData(17)).subarray(0, 20)],
    ['truncated', 'source', decodeHex(reset).subarray(0, 7)],
  ])('finds the fault %s in the %s', (code, field, bytes) => {
    expect(decodeDnp3Link(bytes)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it.each([0, 1, 16, 18, 32, 250])(
    'finds that %i octets of user data were meant where the length was changed',
    (data) => {
      const bytes = encodeDnp3Link(withData(data))
      bytes[2] = 105
      const message = `Cannot decode DNP3 frame: length is 105, expected ${5 + data}, for which CRC and octets are right`
      expect(decodeDnp3Link(bytes)).toMatchObject({ fault: { code: 'length', offset: 2, message } })
    },
  )

  it('gives the offset of the CRC that does not match its block', () => {
    expect(decodeDnp3Link(changed(28, 0xff))).toMatchObject({ fault: { offset: 29 } })
  })
})
