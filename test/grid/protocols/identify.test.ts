/** Naming frames: by EtherType and well-known port, the same in both directions, and never with a wrong checksum. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { encodeEthernet } from '#grid/link/ethernet.ts'
import { acknowledgeTcp, connectTcp, newTcpFlow } from '#grid/link/tcp-flow.ts'
import { identifyFrame } from '#grid/protocols/identify.ts'
import { encodeUdpFrame, newHosts, sendSegment } from '../../support/grid-frames.ts'
import vectors from '../../vectors/grid-frames.json' with { type: 'json' }

interface GoldenFrame {
  readonly group: string
  readonly transport?: string
  readonly src_port?: number
  readonly dst_port?: number
  readonly payload_hex?: string
  readonly frame_hex?: string
  readonly tshark_info?: string
}

const golden: readonly GoldenFrame[] = vectors.golden_frames

/** Names in records of the groups of the published frames. */
const names: Readonly<Record<string, string>> = {
  modbus: 'Modbus',
  dnp3: 'DNP3',
  iec104: 'IEC104',
  c37118: 'C37.118',
  goose: 'GOOSE',
  arp: 'ARP',
}

const hosts = newHosts()
const near = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10' }
const far = { mac: '02:00:5e:00:00:0c', ip: '10.20.2.12' }

function tcpFrame(from: number, to: number, payload: Uint8Array): Uint8Array {
  const flow = newTcpFlow({ ...near, port: from }, { ...far, port: to }, { client: 1, server: 2 })
  const open = connectTcp(flow, hosts)
  const { frames } = sendSegment(open.flow, 'client', payload, hosts)
  return frames[0]?.bytes ?? new Uint8Array(0)
}

function udpFrame(from: number, to: number, payload: Uint8Array): Uint8Array {
  return encodeUdpFrame({ ...near, port: from }, { ...far, port: to }, payload, hosts)
}

const ports = fc.integer({ min: 1, max: 65_535 })
const payloads = fc.uint8Array({ minLength: 1, maxLength: 80 })

describe('identifyFrame()', () => {
  it.each(golden.filter(({ group }) => names[group] !== undefined))(
    'names the published frame $group $tshark_info',
    ({ group, transport, src_port, dst_port, payload_hex, frame_hex }) => {
      const payload = decodeHex(payload_hex ?? frame_hex ?? '')
      const wrap = transport === 'udp' ? udpFrame : tcpFrame
      const bytes = payload_hex === undefined ? payload : wrap(src_port ?? 0, dst_port ?? 0, payload)
      const identified = identifyFrame(bytes)
      expect(identified?.protocol).toBe(names[group])
      if (payload_hex !== undefined) {
        expect(identified).toMatchObject({ src: `${near.ip}:${src_port}`, dst: `${far.ip}:${dst_port}` })
        expect(encodeHex(identified?.payload ?? new Uint8Array(0))).toBe(payload_hex)
      }
    },
  )

  it('includes a published frame of every protocol', () => {
    expect(new Set(golden.map(({ group }) => names[group]).filter(Boolean)).size).toBeGreaterThanOrEqual(4)
  })

  it.each([
    [102, 'MMS', 'UDP'],
    [502, 'Modbus', 'UDP'],
    [2404, 'IEC104', 'UDP'],
    [20_000, 'DNP3', 'DNP3'],
    [4712, 'C37.118', 'UDP'],
    [4713, 'TCP', 'C37.118'],
    [80, 'TCP', 'UDP'],
  ])('port %i is %s over TCP and %s over UDP, as source or destination', (port, overTcp, overUdp) => {
    const payload = Uint8Array.of(1, 2, 3)
    const protocols = (wrap: typeof tcpFrame) =>
      [wrap(port, 50_001, payload), wrap(50_001, port, payload)].map((one) => identifyFrame(one)?.protocol)
    expect(protocols(tcpFrame)).toEqual([overTcp, overTcp])
    expect(protocols(udpFrame)).toEqual([overUdp, overUdp])
  })

  it('names sampled values by their EtherType', () => {
    const bytes = encodeEthernet({
      destination: '01:0c:cd:04:00:01',
      source: near.mac,
      etherType: 0x88ba,
      payload: new Uint8Array(46),
    })
    expect(identifyFrame(bytes)).toMatchObject({ protocol: 'SV', src: near.mac, dst: '01:0c:cd:04:00:01' })
  })

  it('takes the port of the receiver where both ends have one', () => {
    expect(identifyFrame(tcpFrame(502, 20_000, Uint8Array.of(1)))?.protocol).toBe('DNP3')
    expect(identifyFrame(tcpFrame(20_000, 502, Uint8Array.of(1)))?.protocol).toBe('Modbus')
  })

  it('gives the ends and the payload of any frame back', () => {
    fc.assert(
      fc.property(ports, ports, payloads, fc.constantFrom(tcpFrame, udpFrame), (from, to, payload, wrap) => {
        expect(identifyFrame(wrap(from, to, payload))).toEqual({
          protocol: expect.any(String),
          src: `${near.ip}:${from}`,
          dst: `${far.ip}:${to}`,
          payload,
        })
      }),
      { seed: 21 },
    )
  })

  it('identifies no frame in which one octet behind the Ethernet header is wrong', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 80 }),
        fc.constantFrom(tcpFrame, udpFrame),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (payload, wrap, place, mask) => {
          const bytes = Uint8Array.from(wrap(50_001, 20_000, payload))
          const at = 14 + (place % (bytes.length - 14))
          const old = bytes[at] ?? 0
          // A UDP checksum of zero says that there is none; setting it to zero is therefore no mistake.
          bytes[at] = old ^ mask
          const isSwitchedOff = wrap === udpFrame && bytes[40] === 0 && bytes[41] === 0
          if (!isSwitchedOff) expect(identifyFrame(bytes)).toBeUndefined()
        },
      ),
      { seed: 22 },
    )
  })

  it('calls segments without octets TCP, for any protocol of their connection', () => {
    const flow = newTcpFlow({ ...near, port: 50_001 }, { ...far, port: 502 }, { client: 1, server: 2 })
    const open = connectTcp(flow, hosts)
    const silent = [...open.frames, ...acknowledgeTcp(open.flow, 'server', hosts).frames]
    expect(silent.map(({ bytes }) => identifyFrame(bytes)?.protocol)).toEqual(['TCP', 'TCP', 'TCP', 'TCP'])
    expect(identifyFrame(silent[3]?.bytes ?? new Uint8Array(0))).toMatchObject({
      src: `${far.ip}:502`,
      dst: `${near.ip}:50001`,
      payload: new Uint8Array(0),
    })
  })

  it('names an unknown EtherType by its four digits and keeps its ends', () => {
    const frame = (etherType: number) =>
      encodeEthernet({ source: near.mac, destination: far.mac, etherType, payload: Uint8Array.of(7) })
    expect(identifyFrame(frame(0x88cc))).toMatchObject({ protocol: '0x88cc', src: near.mac, dst: far.mac })
    expect(identifyFrame(frame(0x0601))?.protocol).toBe('0x0601')
  })

  it('never throws, for any octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        const identified = identifyFrame(bytes)
        expect(identified === undefined || typeof identified.protocol === 'string').toBe(true)
      }),
      { seed: 23 },
    )
    expect(identifyFrame(new Uint8Array(13))).toBeUndefined()
  })
})
