/** Ethernet frames: addresses, the tag of IEEE 802.1Q, padding, and faults. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { decodeEthernet, encodeEthernet, parseMac, startEthernet, toMac } from '#grid/link/ethernet.ts'

const frame = {
  destination: '01:0c:cd:01:00:07',
  source: '02:00:5e:00:00:0a',
  etherType: 0x88b8,
  payload: Uint8Array.of(1, 2, 3),
}

describe('encodeEthernet()', () => {
  it('writes addresses, type and payload, and pads to 60 octets', () => {
    expect(encodeHex(encodeEthernet(frame))).toBe(`010ccd01000702005e00000a88b8010203${'00'.repeat(43)}`)
  })

  it('does not pad a frame of 60 octets or more', () => {
    expect(encodeEthernet({ ...frame, payload: new Uint8Array(46) })).toHaveLength(60)
    expect(encodeEthernet({ ...frame, payload: new Uint8Array(47) })).toHaveLength(61)
  })

  it('writes priority, drop eligibility and id of a tag before the type', () => {
    const vlan = { priority: 4, dropEligible: true, id: 0x7ff }
    expect(encodeHex(encodeEthernet({ ...frame, vlan })).slice(24, 36)).toBe('810097ff88b8')
  })

  it.each([
    ['VLAN tag', { vlan: { priority: 0, dropEligible: false, id: 4096 } }],
    ['VLAN tag', { vlan: { priority: 8, dropEligible: false, id: 0 } }],
    ['EtherType', { etherType: 0x10000 }],
    ['MAC address', { source: '02:00:5e:00:00' }],
  ])('refuses a %s that does not fit', (name, change) => {
    expect(() => encodeEthernet({ ...frame, ...change })).toThrow(
      expect.objectContaining({ code: 'malformed_frame', message: expect.stringContaining(name) }),
    )
  })
})

describe('startEthernet()', () => {
  it('gives the same header, and zeros up to 60 octets or the end of the payload', () => {
    const room = startEthernet(frame.destination, frame.source, frame.etherType, 3)
    expect(encodeHex(room)).toBe(encodeHex(encodeEthernet({ ...frame, payload: new Uint8Array(3) })))
    expect(startEthernet(frame.destination, frame.source, 0x0800, 1000)).toHaveLength(1014)
  })
})

describe('decodeEthernet()', () => {
  it('reads a tagged frame, its padding included', () => {
    const vlan = { priority: 7, dropEligible: false, id: 4095 }
    const payload = Uint8Array.from([...frame.payload, ...new Uint8Array(39)])
    expect(decodeEthernet(encodeEthernet({ ...frame, vlan }))).toEqual({ ok: true, value: { ...frame, vlan, payload } })
  })

  it.each([
    ['EtherType', 13],
    ['source', 11],
  ])('finds a frame that ends in its %s', (field, length) => {
    const fault = { code: 'truncated', field }
    expect(decodeEthernet(encodeEthernet(frame).subarray(0, length))).toMatchObject({ ok: false, fault })
  })
})

describe('parseMac() and toMac()', () => {
  it('are inverse, in lower case', () => {
    expect(toMac(parseMac('02:00:5E:AB:cd:0F'))).toBe('02:00:5e:ab:cd:0f')
  })

  it.each(['', '02-00-5e-00-00-01', '02:00:5e:00:00:01:02', '02:00:5e:00:00:1', '02:00:5e:00:00:0g'])(
    'refuses %j',
    (text) => {
      expect(() => parseMac(text)).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
    },
  )
})
