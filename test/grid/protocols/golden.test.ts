/** Every golden and every negative frame, against the encoders and decoders of all protocols. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeArp, encodeArp } from '#grid/link/arp.ts'
import { decodeEthernet, encodeEthernet } from '#grid/link/ethernet.ts'
import type { Endpoint } from '#grid/link/ip-frame.ts'
import type { Decoded } from '#grid/link/octet-reader.ts'
import { connectTcp, newTcpFlow } from '#grid/link/tcp-flow.ts'
import { decodeC37118, encodeC37118 } from '#grid/protocols/c37118.ts'
import type { C37118Configuration } from '#grid/protocols/c37118-configuration.ts'
import { decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeGoose, encodeGoose } from '#grid/protocols/goose.ts'
import { decodeIec104, encodeIec104 } from '#grid/protocols/iec104.ts'
import {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusRequest,
  encodeModbusResponse,
  modbusPort,
} from '#grid/protocols/modbus.ts'
import { dissect } from '../../support/dissect.ts'
import { sendSegment } from '../../support/grid-frames.ts'
import vectors from '../../vectors/grid-frames.json' with { type: 'json' }

interface Golden {
  readonly group: string
  readonly tshark_info?: string
  readonly dst_port?: number
  readonly payload_hex?: string
  readonly frame_hex?: string
}

const golden: readonly Golden[] = vectors.golden_frames

function of(group: string): { readonly info: string; readonly bytes: Uint8Array; readonly port: number }[] {
  return golden
    .filter((frame) => frame.group === group)
    .map((frame) => ({
      info: frame.tshark_info ?? '',
      bytes: decodeHex(frame.payload_hex ?? frame.frame_hex ?? ''),
      port: frame.dst_port ?? 0,
    }))
}

function decodedValue<T>(outcome: Decoded<T>): T {
  if (!outcome.ok) throw new Error(outcome.fault.message)
  return outcome.value
}

describe('golden frames are encoded and decoded byte by byte', () => {
  it.each(of('modbus'))('Modbus $info', ({ bytes, port }) => {
    const again =
      port === modbusPort
        ? encodeModbusRequest(decodedValue(decodeModbusRequest(bytes)))
        : encodeModbusResponse(decodedValue(decodeModbusResponse(bytes)))
    expect(encodeHex(again)).toBe(encodeHex(bytes))
  })

  it.each(of('dnp3'))('DNP3 $info', ({ bytes }) => {
    expect(encodeHex(encodeDnp3(decodedValue(decodeDnp3(bytes))).bytes)).toBe(encodeHex(bytes))
  })

  it.each(of('iec104'))('IEC 104 $info', ({ bytes }) => {
    expect(encodeHex(encodeIec104(decodedValue(decodeIec104(bytes))))).toBe(encodeHex(bytes))
  })

  it.each(of('goose'))('GOOSE %#', ({ bytes }) => {
    expect(encodeHex(encodeGoose(decodedValue(decodeGoose(bytes))))).toBe(encodeHex(bytes))
  })

  it.each(['c37118_udp4713', 'c37118_tcp4712'])('C37.118 stream of %s', (group) => {
    const configurations = new Map<number, C37118Configuration>()
    for (const { bytes } of of(group)) {
      const id = (bytes[4] ?? 0) * 256 + (bytes[5] ?? 0)
      const frame = decodedValue(decodeC37118(bytes, configurations.get(id)))
      if (frame.kind === 'configuration_2') configurations.set(id, frame.configuration)
      expect(encodeHex(encodeC37118(frame, configurations.get(id)))).toBe(encodeHex(bytes))
    }
  })

  it.each(of('arp'))('ARP $info', ({ bytes }) => {
    const frame = decodedValue(decodeEthernet(bytes))
    const payload = encodeArp(decodedValue(decodeArp(frame.payload)))
    expect(encodeHex(encodeEthernet({ ...frame, payload }))).toBe(encodeHex(bytes))
  })

  it('a TCP handshake and the first request are built from their parts', () => {
    const client: Endpoint = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10', port: 50001 }
    const server: Endpoint = { mac: '02:00:5e:00:00:0b', ip: '10.20.2.11', port: 502 }
    // A seed with which both have the stack of the capture.
    const hosts = { seed: 73, identifications: { [client.ip]: 0, [server.ip]: 0 } }
    const opened = connectTcp(newTcpFlow(client, server, { client: 1000, server: 5000 }), hosts)
    const request = encodeModbusRequest({
      transactionId: 1,
      unitId: 1,
      pdu: { kind: 'read_holding_registers', address: 0, quantity: 4 },
    })
    const sent = sendSegment(opened.flow, 'client', request, hosts)
    const frames = [...opened.frames, ...sent.frames].map(({ bytes }) => encodeHex(bytes))
    const full = vectors.golden_frames.find(({ group }) => group === 'ethernet_ipv4_tcp_full_example')
    expect(frames).toEqual(full?.frames_hex)
  })

  it('covers every golden group but those of protocols that are not implemented', () => {
    const groups = new Set(golden.map(({ group }) => group))
    const covered = ['modbus', 'dnp3', 'iec104', 'goose', 'c37118_udp4713', 'c37118_tcp4712', 'arp']
    const rest = [...groups].filter((group) => !covered.includes(group))
    expect(rest).toEqual(['sv', 'opcua', 'mms', 'ethernet_ipv4_tcp_full_example'])
  })
})

describe('golden frames have the values of the dissector', () => {
  it('Modbus', () => {
    const [read, answer, , write] = of('modbus').map(({ bytes, port }) =>
      decodedValue<unknown>(port === modbusPort ? decodeModbusRequest(bytes) : decodeModbusResponse(bytes)),
    )
    expect(read).toEqual({
      transactionId: 1,
      unitId: 1,
      pdu: { kind: 'read_holding_registers', address: 0, quantity: 4 },
    })
    expect(answer).toMatchObject({ pdu: { values: [0x2968, 0x176e, 0x0914, 0xff5b] } })
    expect(write).toMatchObject({ transactionId: 3, pdu: { kind: 'write_single_coil', address: 1, value: false } })
  })

  it('DNP3', () => {
    const frames = of('dnp3').map(({ bytes }) => decodedValue(decodeDnp3(bytes)))
    expect(frames[0]).toMatchObject({
      fromMaster: true,
      destination: 10,
      source: 1,
      fragment: {
        functionCode: 'read',
        control: { sequence: 0, isFirst: true, isFinal: true },
        objects: [2, 3, 4, 1].map((variation) => ({ kind: 'all', group: 60, variation })),
      },
    })
    expect(frames[2]?.fragment.objects).toEqual([
      {
        kind: 'control',
        qualifier: 'index16',
        points: [{ index: 3, code: 0x81, count: 1, onTimeMs: 100, offTimeMs: 0, status: 0 }],
      },
    ])
    expect(frames[6]?.fragment).toMatchObject({
      functionCode: 'unsolicited_response',
      control: { confirm: true, unsolicited: true, sequence: 5 },
    })
    expect(frames[10]?.fragment).toMatchObject({
      indications: 0x0080,
      objects: [{ kind: 'time_delay', delayMs: 5000 }],
    })
  })

  it('IEC 104', () => {
    const frames = of('iec104').map(({ bytes }) => decodedValue(decodeIec104(bytes)))
    expect(frames[0]).toEqual({ format: 'U', function: 'STARTDT_CON' })
    expect(frames[6]).toMatchObject({
      format: 'I',
      sendSequence: 1,
      receiveSequence: 5,
      asdu: {
        type: 'C_SC_NA_1',
        cause: 6,
        commonAddress: 1,
        objects: [{ address: 6001, isOn: false, select: false, qualifier: 0 }],
      },
    })
    expect(frames[9]).toMatchObject({ asdu: { type: 'C_SE_NC_1', objects: [{ address: 7001, value: 42.5 }] } })
  })

  it('GOOSE', () => {
    const [first, , changed] = of('goose').map(({ bytes }) => decodedValue(decodeGoose(bytes)))
    expect(first).toMatchObject({
      vlan: { priority: 4, id: 0 },
      appId: 1,
      pdu: { controlBlockReference: 'GRID_IED1/LLN0$GO$gcb01', timeAllowedToLiveMs: 2000, stateNumber: 1 },
    })
    expect(changed?.pdu).toMatchObject({
      stateNumber: 2,
      sequenceNumber: 0,
      entries: [{ value: true }, {}, {}, {}, {}],
    })
  })

  it('C37.118', () => {
    const [configuration, data] = of('c37118_udp4713').map(({ bytes }) => bytes)
    const frame = decodedValue(decodeC37118(configuration ?? new Uint8Array()))
    if (frame.kind !== 'configuration_2') throw new Error('expected a configuration')
    expect(frame).toMatchObject({
      idCode: 2,
      configuration: { dataRate: 30, timeBase: 1_000_000, pmus: [{ stationName: 'PMU_BUS02', nominalHz: 60 }] },
    })
    const measured = decodedValue(decodeC37118(data ?? new Uint8Array(), frame.configuration))
    expect(measured).toMatchObject({ time: { seconds: 0x6955b900, fraction: 33333 } })
    const [pmu] = measured.kind === 'data' ? measured.pmus : []
    expect(pmu?.frequencyHz).toBeCloseTo(60.001, 4)
    expect(pmu?.phasors[0]).toEqual({ magnitude: Math.fround(41629.875), angle: expect.closeTo(-0.087, 3) })
  })
})

describe('negative frames are refused for the reason that they have', () => {
  const expected: readonly [code: string | undefined, field: string | undefined][] = [
    ['checksum', 'header CRC'],
    ['checksum', 'block CRC'],
    ['unsupported', 'configuration'],
    ['checksum', 'CRC'],
    [undefined, undefined],
    [undefined, undefined],
    ['length', 'body'],
    ['length', 'length'],
    ['value', 'gocbRef'],
    [undefined, undefined],
    ['unsupported', 'type'],
    ['length', 'variable structure'],
    ['protocol', 'protocol identifier'],
    ['unsupported', 'function code'],
    ['value', 'quantity'],
    ['length', 'length'],
  ]
  const udp = of('c37118_udp4713')[0]?.bytes ?? new Uint8Array()
  const golden2 = decodedValue(decodeC37118(udp))

  it.each(vectors.negative_frames.map((frame, at) => ({ ...frame, at })))(
    '$effect_in_tshark_4_0',
    ({ frame_hex, at }) => {
      // The stream's configuration is known from the fourth frame on: the third comes before it by intent.
      const known = new Map(at > 2 && golden2.kind === 'configuration_2' ? [[2, golden2.configuration] as const] : [])
      const { fault } = dissect(decodeHex(frame_hex), known)
      expect([fault?.code, fault?.field]).toEqual(expected[at])
    },
  )
})
