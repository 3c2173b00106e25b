/** A capture with both directions of every protocol, built by the encoders, for tests of the exports. */

import type { CaptureFrame } from '#grid/export/capture.ts'
import { encodeArp } from '#grid/link/arp.ts'
import { encodeEthernet, etherType } from '#grid/link/ethernet.ts'
import type { Endpoint } from '#grid/link/ip-frame.ts'
import {
  acknowledgeTcp,
  closeTcp,
  connectTcp,
  type FlowSide,
  type FlowStep,
  newTcpFlow,
  type TcpFlow,
} from '#grid/link/tcp-flow.ts'
import { type C37118Frame, encodeC37118, toC37118Time } from '#grid/protocols/c37118.ts'
import type { C37118Configuration, C37118Format } from '#grid/protocols/c37118-configuration.ts'
import { encodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Fragment } from '#grid/protocols/dnp3-fragment.ts'
import { encodeGoose, type GooseMessage } from '#grid/protocols/goose.ts'
import { gooseChanged } from '#grid/protocols/goose-publisher.ts'
import { encodeIec104, type Iec104Apdu } from '#grid/protocols/iec104.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import { toCp56Time } from '#grid/protocols/iec104-time.ts'
import { encodeModbusRequest, encodeModbusResponse } from '#grid/protocols/modbus.ts'
import type { ModbusRequestPdu, ModbusResponsePdu } from '#grid/protocols/modbus-pdu.ts'
import { processBusVlan } from '#grid/protocols/process-bus.ts'
import { toUtcTime } from '#grid/protocols/process-bus-fields.ts'
import type { PacketRecord } from '#grid/types.ts'
import { encodeUdpFrame, newHosts, sendSegment } from './grid-frames.ts'

const startUs = 1_795_190_400_000_000
const centre: Endpoint = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10', port: 50_001 }

/** One station at its well-known port. */
export function station(last: number, port: number): Endpoint {
  return { mac: `02:00:5e:00:01:${last.toString(16).padStart(2, '0')}`, ip: `10.20.2.${last}`, port }
}

/** A configuration of one PMU with two phasors, one analogue and one digital word. */
export function configurationOf(idCode: number, format: Partial<C37118Format> = {}): C37118Configuration {
  return {
    timeBase: 1_000_000,
    dataRate: 5,
    pmus: [
      {
        stationName: `PMU_BUS${idCode}`,
        idCode,
        format: { phasors: 'polar', phasorNumber: 'float', analogNumber: 'float', frequencyNumber: 'float', ...format },
        phasors: [
          { name: 'V1', unit: 'volt', scale: 915_527 },
          { name: 'I1', unit: 'ampere', scale: 45_776 },
        ],
        analogs: [{ name: 'LOAD_MW', unit: 'point_on_wave', scale: 1 }],
        digitals: [{ names: Array.from({ length: 16 }, (_, bit) => `BRK_${bit}`), normal: 0, valid: 0xffff }],
        nominalHz: 60,
        configurationCount: 0,
      },
    ],
  }
}

/** A data frame of `configurationOf(idCode)`, `at` frames after the start. */
export function dataFrame(idCode: number, at: number): C37118Frame {
  return {
    kind: 'data',
    idCode,
    time: toC37118Time(startUs + at * 200_000),
    pmus: [
      {
        status: 0,
        phasors: [
          { magnitude: 132_790.5, angle: -0.25 },
          { magnitude: 412.25, angle: 1.5 },
        ],
        frequencyHz: 60.012,
        rocofHzPerS: -0.03,
        analogs: [21],
        digitals: [0x0005],
      },
    ],
  }
}

/** A GOOSE message that trips or not. */
export function gooseMessage(stateNumber: number, sequenceNumber: number, isTrip: boolean): GooseMessage {
  return {
    destination: '01:0c:cd:01:00:01',
    source: '02:00:5e:00:00:15',
    vlan: processBusVlan,
    appId: 1,
    isSimulated: false,
    pdu: {
      controlBlockReference: 'GRID_IED1/LLN0$GO$gcb01',
      timeAllowedToLiveMs: 2000,
      dataSet: 'GRID_IED1/LLN0$DSTrip',
      id: 'GRID_IED1_TRIP',
      time: toUtcTime(startUs),
      stateNumber,
      sequenceNumber,
      simulation: false,
      configurationRevision: 1,
      needsCommissioning: false,
      entries: [
        { kind: 'boolean', value: isTrip },
        { kind: 'bit_string', unusedBits: 6, bytes: Uint8Array.of(0x80) },
        { kind: 'float', value: 1.5 },
        { kind: 'integer', value: -129 },
        { kind: 'structure', entries: [{ kind: 'visible_string', value: 'CB-1-2' }] },
      ],
    },
  }
}

/** Every kind of Modbus exchange. */
export const modbusExchanges: readonly (readonly [ModbusRequestPdu, ModbusResponsePdu])[] = [
  [
    { kind: 'read_coils', address: 0, quantity: 10 },
    { kind: 'read_coils', values: Array.from({ length: 16 }, (_, bit) => bit === 3) },
  ],
  [
    { kind: 'read_discrete_inputs', address: 5, quantity: 3 },
    { kind: 'read_discrete_inputs', values: Array.from({ length: 8 }, (_, bit) => bit < 2) },
  ],
  [
    { kind: 'read_holding_registers', address: 100, quantity: 2 },
    { kind: 'read_holding_registers', values: [0x4248, 0] },
  ],
  [
    { kind: 'read_input_registers', address: 0, quantity: 1 },
    { kind: 'read_input_registers', values: [65_535] },
  ],
  [
    { kind: 'write_single_coil', address: 1, value: true },
    { kind: 'write_single_coil', address: 1, value: true },
  ],
  [
    { kind: 'write_single_register', address: 7, value: 1234 },
    { kind: 'write_single_register', address: 7, value: 1234 },
  ],
  [
    { kind: 'write_multiple_coils', address: 0, values: [true, false, true] },
    { kind: 'write_multiple_coils', address: 0, quantity: 3 },
  ],
  [
    { kind: 'write_multiple_registers', address: 100, values: [0x4248, 0] },
    { kind: 'write_multiple_registers', address: 100, quantity: 2 },
  ],
  [{ kind: 'report_server_id' }, { kind: 'report_server_id', serverId: Uint8Array.of(0x47), isRunning: true }],
  [
    { kind: 'read_device_identification', readCode: 1, objectId: 0 },
    {
      kind: 'read_device_identification',
      readCode: 1,
      conformity: 1,
      moreFollows: false,
      nextObjectId: 0,
      objects: [{ id: 0, value: new TextEncoder().encode('Sluice') }],
    },
  ],
  [
    { kind: 'read_holding_registers', address: 9999, quantity: 2 },
    { kind: 'exception', functionCode: 3, exceptionCode: 2 },
  ],
]

const dnp3Control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 1 }
const time = startUs / 1000
const crob = { index: 3, code: 0x81, count: 1, onTimeMs: 100, offTimeMs: 0, status: 0 }

/** Every kind of DNP3 fragment, with the side that sends it. */
export const dnp3Fragments: readonly (readonly ['master' | 'outstation', Dnp3Fragment])[] = [
  [
    'master',
    {
      control: dnp3Control,
      functionCode: 'read',
      objects: [
        ...[2, 3, 4, 1].map((variation) => ({ kind: 'all', group: 60, variation }) as const),
        { kind: 'range', group: 30, variation: 5, qualifier: 'range8', start: 0, stop: 3 },
      ],
    },
  ],
  [
    'outstation',
    {
      control: dnp3Control,
      functionCode: 'response',
      indications: 0x0090,
      objects: [
        {
          kind: 'binary_input',
          qualifier: 'range8',
          points: Array.from({ length: 20 }, (_, index) => ({ index, flags: 0x81 })),
        },
        {
          kind: 'analog_input',
          qualifier: 'range16',
          points: Array.from({ length: 60 }, (_, index) => ({ index, flags: 1, value: index * 1.5 })),
        },
        { kind: 'binary_input_event', qualifier: 'index8', points: [{ index: 2, flags: 1, time }] },
      ],
    },
  ],
  ...(['select', 'operate', 'direct_operate', 'direct_operate_no_ack'] as const).map(
    (functionCode) =>
      [
        'master',
        { control: dnp3Control, functionCode, objects: [{ kind: 'control', qualifier: 'index16', points: [crob] }] },
      ] as const,
  ),
  [
    'outstation',
    {
      control: { ...dnp3Control, confirm: true, unsolicited: true, sequence: 5 },
      functionCode: 'unsolicited_response',
      indications: 0,
      objects: [
        { kind: 'analog_input_event', qualifier: 'index16', points: [{ index: 0, flags: 1, value: -2.5, time }] },
      ],
    },
  ],
  ['master', { control: { ...dnp3Control, unsolicited: true, sequence: 5 }, functionCode: 'confirm', objects: [] }],
  ['master', { control: dnp3Control, functionCode: 'write', objects: [{ kind: 'time', time }] }],
  [
    'master',
    { control: dnp3Control, functionCode: 'write', objects: [{ kind: 'internal_indication', index: 7, isSet: false }] },
  ],
  ['master', { control: dnp3Control, functionCode: 'delay_measure', objects: [] }],
  [
    'outstation',
    { control: dnp3Control, functionCode: 'response', indications: 0, objects: [{ kind: 'time_delay', delayMs: 5 }] },
  ],
  [
    'master',
    { control: dnp3Control, functionCode: 'disable_unsolicited', objects: [{ kind: 'all', group: 60, variation: 2 }] },
  ],
]

const asdu = { isSequence: false, cause: 3, isNegative: false, isTest: false, originator: 0, commonAddress: 1 }
const cp56 = toCp56Time(time)

/** Every type of ASDU, with the side that sends it. */
export const iec104Asdus: readonly (readonly ['client' | 'server', Iec104Asdu])[] = [
  ['client', { ...asdu, cause: 6, type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }] }],
  ['server', { ...asdu, cause: 7, type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }] }],
  [
    'server',
    {
      ...asdu,
      cause: 20,
      isSequence: true,
      type: 'M_SP_NA_1',
      objects: [
        { address: 1, isOn: true, quality: 0 },
        { address: 2, isOn: false, quality: 0x80 },
      ],
    },
  ],
  ['server', { ...asdu, type: 'M_DP_NA_1', objects: [{ address: 101, state: 2, quality: 0 }] }],
  ['server', { ...asdu, type: 'M_ME_NC_1', objects: [{ address: 1001, value: 42.5, quality: 0 }] }],
  ['server', { ...asdu, type: 'M_SP_TB_1', objects: [{ address: 1, isOn: true, quality: 0, time: cp56 }] }],
  ['server', { ...asdu, type: 'M_DP_TB_1', objects: [{ address: 101, state: 1, quality: 0x10, time: cp56 }] }],
  ['server', { ...asdu, type: 'M_ME_TF_1', objects: [{ address: 1001, value: -1.25, quality: 1, time: cp56 }] }],
  ['server', { ...asdu, cause: 10, type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }] }],
  ['client', { ...asdu, cause: 6, type: 'C_CS_NA_1', objects: [{ address: 0, time: cp56 }] }],
  [
    'client',
    { ...asdu, cause: 6, type: 'C_SC_NA_1', objects: [{ address: 6001, isOn: false, select: true, qualifier: 0 }] },
  ],
  [
    'client',
    { ...asdu, cause: 6, type: 'C_DC_NA_1', objects: [{ address: 6002, state: 1, select: false, qualifier: 1 }] },
  ],
  [
    'server',
    {
      ...asdu,
      cause: 47,
      isNegative: true,
      type: 'C_DC_NA_1',
      objects: [{ address: 6002, state: 1, select: false, qualifier: 1 }],
    },
  ],
  [
    'client',
    { ...asdu, cause: 6, type: 'C_SE_NC_1', objects: [{ address: 7001, value: 42.5, select: false, qualifier: 0 }] },
  ],
]

/** Every frame of the capture as a record, `stepUs` apart, in order; TCP links open and close properly. */
export function captureRecords(stepUs = 1000): readonly PacketRecord[] {
  const records: PacketRecord[] = []
  const hosts = newHosts()
  const add = (protocol: string, flow: string, bytes: Uint8Array, src: string, dst: string) =>
    records.push({
      frameNo: records.length + 1,
      timeUs: startUs + records.length * stepUs,
      bytes,
      protocol,
      status: 'clean',
      src,
      dst,
      flow,
      payloadLength: bytes.length,
      latencyMs: 0,
      tap: 'after',
      label: null,
    })
  const link = (protocol: string, server: Endpoint, clientPort: number) => {
    let flow: TcpFlow = newTcpFlow({ ...centre, port: clientPort }, server, { client: 1000, server: 4_294_967_000 })
    const ends = { client: `${centre.ip}:${clientPort}`, server: `${server.ip}:${server.port}` }
    const keep = (step: FlowStep) => {
      flow = step.flow
      for (const { from, bytes } of step.frames) {
        const [src, dst] = from === 'client' ? [ends.client, ends.server] : [ends.server, ends.client]
        add(protocol, `${ends.client} ${ends.server}`, bytes, src, dst)
      }
    }
    keep(connectTcp(flow, hosts))
    let last: FlowSide = 'client'
    return {
      send: (from: FlowSide, payload: Uint8Array) => {
        keep(sendSegment(flow, from, payload, hosts))
        last = from
      },
      close: () => {
        keep(acknowledgeTcp(flow, last === 'client' ? 'server' : 'client', hosts))
        keep(closeTcp(flow, 'client', hosts))
      },
    }
  }

  const modbus = link('Modbus', station(11, 502), 50_001)
  for (const [at, [request, response]] of modbusExchanges.entries()) {
    modbus.send('client', encodeModbusRequest({ transactionId: at, unitId: 1, pdu: request }))
    modbus.send('server', encodeModbusResponse({ transactionId: at, unitId: 1, pdu: response }))
  }
  modbus.close()

  const dnp3 = link('DNP3', station(12, 20_000), 50_002)
  const transport = { master: 0, outstation: 0 }
  for (const [side, fragment] of dnp3Fragments) {
    const fromMaster = side === 'master'
    const [destination, source] = fromMaster ? [10, 1] : [1, 10]
    const message = { fromMaster, destination, source, transportSequence: transport[side], fragment }
    const { bytes, transportSequence } = encodeDnp3(message)
    transport[side] = transportSequence
    dnp3.send(fromMaster ? 'client' : 'server', bytes)
  }
  dnp3.close()

  const iec104 = link('IEC104', station(13, 2404), 50_003)
  const numbers = { client: 0, server: 0 }
  const sendApdu = (from: FlowSide, apdu: Iec104Apdu) => iec104.send(from, encodeIec104(apdu))
  sendApdu('client', { format: 'U', function: 'STARTDT_ACT' })
  sendApdu('server', { format: 'U', function: 'STARTDT_CON' })
  for (const [from, each] of iec104Asdus) {
    const other = from === 'client' ? 'server' : 'client'
    sendApdu(from, { format: 'I', sendSequence: numbers[from], receiveSequence: numbers[other], asdu: each })
    numbers[from]++
  }
  sendApdu('client', { format: 'S', receiveSequence: numbers.server })
  sendApdu('client', { format: 'U', function: 'TESTFR_ACT' })
  sendApdu('server', { format: 'U', function: 'TESTFR_CON' })
  iec104.close()

  const synchrophasors = link('C37.118', station(14, 4712), 50_004)
  const configuration = configurationOf(4)
  const now = toC37118Time(startUs)
  const none = new Uint8Array(0)
  const head = { idCode: 4, time: now }
  const command = (name: 'send_configuration_2' | 'data_on' | 'data_off' | 'send_header') =>
    synchrophasors.send('client', encodeC37118({ ...head, kind: 'command', command: name, extension: none }))
  command('send_header')
  synchrophasors.send('server', encodeC37118({ ...head, kind: 'header', text: 'Sluice PMU 4' }))
  command('send_configuration_2')
  synchrophasors.send('server', encodeC37118({ ...head, kind: 'configuration_2', configuration }))
  command('data_on')
  for (let at = 0; at < 3; at++) synchrophasors.send('server', encodeC37118(dataFrame(4, at), configuration))
  command('data_off')
  synchrophasors.close()

  // Begins with data: the export puts the configuration in front.
  const [from, to] = [station(15, 4713), { ...centre, port: 4713 }]
  for (let at = 0; at < 3; at++) {
    const bytes = encodeUdpFrame(from, to, encodeC37118(dataFrame(5, at), configurationOf(5)), hosts)
    add('C37.118', 'udp', bytes, `${from.ip}:4713`, `${to.ip}:4713`)
  }

  const { destination, source } = gooseMessage(1, 0, false)
  for (const [stateNumber, sequenceNumber, isTrip] of [
    [1, 200, false],
    [gooseChanged({ stateNumber: 1, sequenceNumber: 200 }).stateNumber, 0, true],
    [2, 1, true],
  ] as const) {
    add('GOOSE', 'goose', encodeGoose(gooseMessage(stateNumber, sequenceNumber, isTrip)), source, destination)
  }

  for (const operation of ['request', 'reply'] as const) {
    const payload = encodeArp({
      operation,
      senderMac: centre.mac,
      senderIp: centre.ip,
      targetMac: operation === 'request' ? '00:00:00:00:00:00' : from.mac,
      targetIp: from.ip,
    })
    const destinationMac = operation === 'request' ? 'ff:ff:ff:ff:ff:ff' : from.mac
    const bytes = encodeEthernet({ destination: destinationMac, source: centre.mac, etherType: etherType.arp, payload })
    add('ARP', 'arp', bytes, centre.mac, destinationMac)
  }
  return records
}

/** Frames of a capture that were on the wire as they are. */
export function cleanFrames(frames: Iterable<Uint8Array>): CaptureFrame[] {
  return Array.from(frames, (bytes, at) => ({
    timeUs: startUs + at * 1000,
    bytes,
    tap: 'after',
    status: 'clean',
    label: null,
  }))
}
