/** Whole frames: a datagram to its octets and back, TCP numbers written anew, and the layer that refuses. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { encodeArp } from '#grid/link/arp.ts'
import { encodeEthernet } from '#grid/link/ethernet.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { encodeDatagram } from '#grid/link/ip-frame.ts'
import { connectTcp, newTcpFlow } from '#grid/link/tcp-flow.ts'
import { newHosts, sendSegment } from '../../support/grid-frames.ts'
import { must } from '../../support/must.ts'

const from = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10', port: 50_001 }
const to = { mac: '02:00:5e:00:00:0b', ip: '10.20.2.11', port: 4713 }

/** A frame of one TCP segment on an open connection. */
function segmentOf(payload: Uint8Array): Uint8Array {
  const hosts = newHosts()
  const open = connectTcp(newTcpFlow(from, to, { client: 1000, server: 4_294_967_290 }), hosts)
  return must(sendSegment(open.flow, 'client', payload, hosts).frames[0]).bytes
}

describe('decodeFrame()', () => {
  const datagram = encodeDatagram(from, to, Uint8Array.of(1, 2, 3), { identification: 7, timeToLive: 64 })

  it('reads every field of a datagram, for any payload', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1400 }), fc.nat(0xffff), (payload, identification) => {
        expect(decodeFrame(encodeDatagram(from, to, payload, { identification, timeToLive: 30 }))).toEqual({
          ok: true,
          value: {
            carrier: 'udp',
            sourceMac: from.mac,
            destinationMac: to.mac,
            source: from.ip,
            destination: to.ip,
            identification,
            timeToLive: 30,
            sourcePort: from.port,
            destinationPort: to.port,
            payload,
          },
        })
      }),
      { seed: 17, numRuns: 50 },
    )
  })

  it('names the tag of a frame that is not IP, and keeps its payload', () => {
    const vlan = { priority: 4, dropEligible: false, id: 5 }
    const frame = { destination: to.mac, source: from.mac, etherType: 0x88b8, payload: new Uint8Array(46) }
    expect(decodeFrame(encodeEthernet({ ...frame, vlan }))).toEqual({
      ok: true,
      value: {
        carrier: 'ethernet',
        sourceMac: from.mac,
        destinationMac: to.mac,
        vlan,
        etherType: 0x88b8,
        payload: frame.payload,
      },
    })
  })

  it('reads ARP', () => {
    const arp = {
      operation: 'reply',
      senderMac: from.mac,
      senderIp: from.ip,
      targetMac: to.mac,
      targetIp: to.ip,
    } as const
    const payload = encodeArp(arp)
    const bytes = encodeEthernet({ destination: to.mac, source: from.mac, etherType: 0x0806, payload })
    expect(decodeFrame(bytes)).toMatchObject({ ok: true, value: { carrier: 'arp', arp } })
  })

  it.each([
    ['a bit of the UDP payload', 43, 'checksum'],
    ['a bit of the IP header', 22, 'checksum'],
    ['the IP version', 14, 'protocol'],
  ])('refuses a frame after a flip in %s', (_, index, code) => {
    const bytes = datagram.slice()
    bytes[index] = (bytes[index] ?? 0) ^ 0x10
    expect(decodeFrame(bytes)).toMatchObject({ ok: false, fault: { code } })
  })

  it('refuses a TCP segment after any flip of its octets', () => {
    const bytes = segmentOf(decodeHex('00112233445566778899'))
    for (let index = 34; index < 64; index++) {
      const flipped = bytes.slice()
      flipped[index] = (flipped[index] ?? 0) ^ 1
      expect(decodeFrame(flipped).ok, `octet ${index}`).toBe(false)
    }
  })

  it('names an IP protocol that it does not read', () => {
    const bytes = datagram.slice()
    // ICMP instead of UDP: the header checksum grows by the difference.
    bytes[23] = 1
    bytes[25] = (bytes[25] ?? 0) + 16
    expect(decodeFrame(bytes)).toMatchObject({
      ok: false,
      fault: { code: 'unsupported', message: 'Cannot decode IPv4 packet: protocol is 1, expected 6 or 17' },
    })
  })
})
