/** DNP3 messages: segments of 249 octets, their transport octets, and segments that do not belong together. */

import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { type Dnp3Message, decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeDnp3Link, dnp3LinkFunction, encodeDnp3Link } from '#grid/protocols/dnp3-link.ts'
import { must, mustDecode } from '../../support/must.ts'

/** A response with so many analogues, five octets each behind nine of header. */
function responseOf(count: number, transportSequence = 0): Dnp3Message {
  const points = Array.from({ length: count }, (_, index) => ({ index, flags: 1, value: index }))
  return {
    fromMaster: false,
    destination: 1,
    source: 11,
    transportSequence,
    fragment: {
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 2 },
      functionCode: 'response',
      indications: 0,
      objects: [{ kind: 'analog_input', qualifier: 'range8', points }],
    },
  }
}

/** The frames of a message: each with its octets and what its link layer carries. */
function framesOf(bytes: Uint8Array) {
  const frames = []
  for (let at = 0; at < bytes.length; ) {
    const { frame, length } = mustDecode(decodeDnp3Link(bytes.subarray(at)))
    frames.push({ frame, octets: bytes.slice(at, at + length) })
    at += length
  }
  return frames
}

/** The transport octets of a message: FIN 80, FIR 40, sequence. */
const transportOf = (bytes: Uint8Array) => framesOf(bytes).map(({ frame }) => frame.userData[0])

describe('encodeDnp3()', () => {
  it('sends 249 octets of a fragment in one segment, and the 250th in another', () => {
    // 9 octets of header and 48 points of 5 are 249; one point more is 254.
    const one = encodeDnp3(responseOf(48))
    expect(transportOf(one.bytes)).toEqual([0xc0])
    const two = encodeDnp3(responseOf(49))
    expect(framesOf(two.bytes).map(({ frame }) => frame.userData.length)).toEqual([250, 6])
    expect(transportOf(two.bytes)).toEqual([0x40, 0x81])
    expect([one.transportSequence, two.transportSequence]).toEqual([1, 2])
  })

  it('counts segments modulo 64', () => {
    const { bytes, transportSequence } = encodeDnp3(responseOf(150, 62))
    expect(transportOf(bytes)).toEqual([0x40 + 62, 63, 0, 0x80 + 1])
    expect(transportSequence).toBe(2)
  })

  it('frames every segment as unconfirmed user data between its stations', () => {
    for (const { frame } of framesOf(encodeDnp3(responseOf(100)).bytes)) {
      expect(frame).toMatchObject({
        fromMaster: false,
        isPrimary: true,
        functionCode: dnp3LinkFunction.unconfirmedUserData,
        destination: 1,
        source: 11,
      })
    }
  })
})

describe('decodeDnp3()', () => {
  it.each([1, 48, 49, 150])('reads back a response with %d analogues', (count) => {
    const message = responseOf(count, 60)
    expect(decodeDnp3(encodeDnp3(message).bytes)).toEqual({ ok: true, value: message })
  })

  const segment = (at: number, source = 11) =>
    must(framesOf(encodeDnp3({ ...responseOf(150), source }).bytes)[at]).octets
  const [first, second, third, last] = [segment(0), segment(1), segment(2), segment(3)]

  it.each([
    ['a segment is missing', [first, third, last], 'value', 'transport octet'],
    ['a segment is there twice', [first, second, second, third, last], 'value', 'transport octet'],
    ['the first is missing', [second, third, last], 'value', 'transport octet'],
    ['a second message begins', [first, first, third, last], 'value', 'transport octet'],
    ['a segment is of another station', [first, segment(1, 12), third, last], 'value', 'addresses'],
    ['octets follow the last', [first, second, third, last, first], 'trailing', 'end'],
    ['the last is missing', [first, second, third], 'truncated', expect.any(String)],
  ])('finds that %s', (_, parts, code, field) => {
    expect(decodeDnp3(concatBytes(...parts))).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('refuses a link frame without user data', () => {
    const link = {
      fromMaster: true,
      isPrimary: true,
      frameCount: false,
      frameCountValid: false,
      functionCode: dnp3LinkFunction.unconfirmedUserData,
      destination: 11,
      source: 1,
      userData: new Uint8Array(0),
    }
    expect(decodeDnp3(encodeDnp3Link(link))).toMatchObject({
      ok: false,
      fault: { code: 'protocol', field: 'user data', offset: 0 },
    })
  })
})
