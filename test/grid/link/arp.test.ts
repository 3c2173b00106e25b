/** ARP: a request and a reply field by field as RFC 826 orders them, and faults. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { type ArpPacket, decodeArp, encodeArp } from '#grid/link/arp.ts'

const request = '0001080006040001' + '02005e00000a' + '0a14010a' + '000000000000' + '0a14020c'
const packet: ArpPacket = {
  operation: 'request',
  senderMac: '02:00:5e:00:00:0a',
  senderIp: '10.20.1.10',
  targetMac: '00:00:00:00:00:00',
  targetIp: '10.20.2.12',
}

describe('encodeArp()', () => {
  it('writes a request and a reply', () => {
    expect(encodeArp(packet)).toEqual(decodeHex(request))
    const reply = request.replace(/^(.{12})0001/, '$10002')
    expect(encodeArp({ ...packet, operation: 'reply' })).toEqual(decodeHex(reply))
  })

  it.each([
    ['senderMac', '02:00:5e'],
    ['targetIp', '10.20.2'],
  ])('refuses a malformed %s', (name, address) => {
    expect(() => encodeArp({ ...packet, [name]: address })).toThrow(address)
  })
})

describe('decodeArp()', () => {
  it('reads a request, and ignores the padding of its frame', () => {
    expect(decodeArp(decodeHex(`${request}${'00'.repeat(18)}`))).toEqual({ ok: true, value: packet })
  })

  it('reads a reply', () => {
    const reply = request.replace(/^(.{12})0001/, '$10002')
    expect(decodeArp(decodeHex(reply))).toEqual({ ok: true, value: { ...packet, operation: 'reply' } })
  })

  it.each([
    ['protocol', 'hardware type', request.replace(/^0001/, '0006')],
    ['protocol', 'protocol type', request.replace(/^(....)0800/, '$186dd')],
    ['length', 'address lengths', request.replace(/^(.{8})0604/, '$10610')],
    ['value', 'operation', request.replace(/^(.{12})0001/, '$10003')],
    ['truncated', 'target IP', request.slice(0, -2)],
  ])('finds the fault %s in the %s', (code, field, hex) => {
    expect(decodeArp(decodeHex(hex))).toMatchObject({ ok: false, fault: { code, field } })
  })
})
