/** The codec of NTP against octets of other encoders, over all packets, and over octets that are not a packet. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeNtp, encodeNtp, type NtpPacket, noNtpTime, toNtpTime } from '#grid/protocols/ntp.ts'
import { mustDecode } from '../../support/must.ts'

/** A request as ntplib 0.4.0 and scapy 2.8.0 encode it, and an answer as ntplib does. */
const golden = {
  request: `230006${'00'.repeat(37)}ecceffc040000000`,
  answer: '240106ec000000000000001a47505300ecceffc000000000ecceffc040000000ecceffc040100000ecceffc040200000',
}

const at = 1_764_000_064_250_000
const none = { leap: 0, version: 4, rootDelay: 0, rootDispersion: 0, referenceId: 0 }
const unset = { reference: noNtpTime, origin: noNtpTime, receive: noNtpTime }
const request: NtpPacket = {
  ...none,
  mode: 'client',
  stratum: 0,
  poll: 6,
  precision: 0,
  ...unset,
  transmit: toNtpTime(at),
}
const answer: NtpPacket = {
  ...none,
  mode: 'server',
  stratum: 1,
  poll: 6,
  precision: -20,
  rootDispersion: 26,
  referenceId: 0x47505300,
  reference: toNtpTime(at - 250_000),
  origin: toNtpTime(at),
  receive: { seconds: 0xecceffc0, fraction: 0x40100000 },
  transmit: { seconds: 0xecceffc0, fraction: 0x40200000 },
}

describe('encodeNtp()', () => {
  it('writes the octets of other encoders', () => {
    expect(encodeHex(encodeNtp(request))).toBe(golden.request)
    expect(encodeHex(encodeNtp(answer))).toBe(golden.answer)
  })
})

describe('decodeNtp()', () => {
  it('reads the octets of other encoders', () => {
    expect(mustDecode(decodeNtp(decodeHex(golden.request)))).toEqual(request)
    expect(mustDecode(decodeNtp(decodeHex(golden.answer)))).toEqual(answer)
  })

  it('gives any packet back', () => {
    const u32 = fc.nat(0xffffffff)
    const exponent = fc.integer({ min: -128, max: 127 })
    const time = fc.record({ seconds: u32, fraction: u32 })
    const packets = fc.record<NtpPacket>({
      ...{ leap: fc.nat(3), version: fc.integer({ min: 1, max: 4 }), stratum: fc.nat(255) },
      mode: fc.constantFrom('client', 'server'),
      poll: exponent,
      precision: exponent,
      rootDelay: u32,
      rootDispersion: u32,
      referenceId: u32,
      reference: time,
      origin: time,
      receive: time,
      transmit: time,
    })
    fc.assert(
      fc.property(packets, (packet) => {
        expect(decodeNtp(encodeNtp(packet))).toEqual({ ok: true, value: packet })
      }),
    )
  })

  it.each([
    ['truncated', golden.request.slice(0, -2), 'fraction'],
    ['trailing', `${golden.request}00`, 'end'],
    ['unsupported', `25${golden.request.slice(2)}`, 'mode'],
    ['unsupported', `2b${golden.request.slice(2)}`, 'version'],
  ])('names a fault: %s in %s', (code, hex, field) => {
    expect(decodeNtp(decodeHex(hex))).toMatchObject({ ok: false, fault: { code, field } })
  })
})

describe('toNtpTime()', () => {
  it('counts from 1900 in parts of 2^32, and from 0 again in 2036', () => {
    expect(toNtpTime(0)).toEqual({ seconds: 2_208_988_800, fraction: 0 })
    expect(toNtpTime(Date.UTC(2036, 1, 7, 6, 28, 16) * 1000 + 500_000)).toEqual({ seconds: 0, fraction: 2 ** 31 })
  })
})
