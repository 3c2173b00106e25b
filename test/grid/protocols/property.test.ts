/** Properties of every encoder and decoder: what is encoded comes back, and no octets make a decoder throw. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { decodeArp, encodeArp } from '#grid/link/arp.ts'
import { decodeEthernet, encodeEthernet } from '#grid/link/ethernet.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { decodeIpv4 } from '#grid/link/ipv4.ts'
import type { Decoded } from '#grid/link/octet-reader.ts'
import { decodeTcp } from '#grid/link/tcp.ts'
import { decodeUdp } from '#grid/link/udp.ts'
import { type C37118Frame, decodeC37118, encodeC37118 } from '#grid/protocols/c37118.ts'
import type { C37118Configuration } from '#grid/protocols/c37118-configuration.ts'
import { toPolar } from '#grid/protocols/c37118-data.ts'
import { decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeDnp3Fragment } from '#grid/protocols/dnp3-fragment.ts'
import { decodeDnp3Link } from '#grid/protocols/dnp3-link.ts'
import type { Dnp3Object } from '#grid/protocols/dnp3-objects.ts'
import { decodeGoose, encodeGoose } from '#grid/protocols/goose.ts'
import { decodeIec104, encodeIec104 } from '#grid/protocols/iec104.ts'
import { type Iec104Asdu, iec104Types } from '#grid/protocols/iec104-asdu.ts'
import type { MmsData } from '#grid/protocols/mms-data.ts'
import {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusRequest,
  encodeModbusResponse,
} from '#grid/protocols/modbus.ts'
import type { ModbusRequestPdu, ModbusResponsePdu } from '#grid/protocols/modbus-pdu.ts'
import { dissect } from '../../support/dissect.ts'
import { captureRecords, configurationOf, dataFrame } from '../../support/grid-capture.ts'
import { encodeIpv4, encodeTcp, encodeUdp } from '../../support/grid-frames.ts'
import { sweep } from '../../support/sweep.ts'
import vectors from '../../vectors/grid-frames.json' with { type: 'json' }

const u8 = fc.integer({ min: 0, max: 0xff })
const u16 = fc.integer({ min: 0, max: 0xffff })
const u24 = fc.integer({ min: 0, max: 0xffffff })
const u32 = fc.integer({ min: 0, max: 0xffffffff })
const f32 = fc.float({ noNaN: true })
const octets = fc.uint8Array({ maxLength: 300 })
const ip = fc.ipV4()
const mac = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
})
const text = (maxLength: number) =>
  fc.array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength }).map((codes) => String.fromCharCode(...codes))

function comesBack<T>(arbitrary: fc.Arbitrary<T>, again: (value: T) => Decoded<unknown>): void {
  fc.assert(
    fc.property(arbitrary, (value) => {
      expect(again(value)).toEqual({ ok: true, value })
    }),
    { seed: 7, numRuns: sweep(200, 150) },
  )
}

describe('decode(encode(x)) = x', () => {
  it('Ethernet', () => {
    const vlan = fc.record({
      priority: fc.integer({ min: 0, max: 7 }),
      dropEligible: fc.boolean(),
      id: fc.integer({ min: 0, max: 4095 }),
    })
    const untagged = {
      destination: mac,
      source: mac,
      etherType: fc.constant(0x88b8),
      payload: fc.uint8Array({ minLength: 46, maxLength: 99 }),
    }
    comesBack(fc.oneof(fc.record(untagged), fc.record({ ...untagged, vlan })), (frame) =>
      decodeEthernet(encodeEthernet(frame)),
    )
  })

  it('ARP', () => {
    const operation = fc.constantFrom('request' as const, 'reply' as const)
    comesBack(fc.record({ operation, senderMac: mac, senderIp: ip, targetMac: mac, targetIp: ip }), (packet) =>
      decodeArp(encodeArp(packet)),
    )
  })

  it('IPv4', () => {
    const packet = {
      source: ip,
      destination: ip,
      identification: u16,
      dontFragment: fc.boolean(),
      timeToLive: u8,
      protocol: u8,
      payload: octets,
    }
    comesBack(fc.record(packet), (value) => decodeIpv4(encodeIpv4(value)))
  })

  it('UDP', () => {
    comesBack(fc.record({ sourcePort: u16, destinationPort: u16, payload: octets }), (value) =>
      decodeUdp(encodeUdp(value, '10.0.0.1', '10.0.0.2'), '10.0.0.1', '10.0.0.2'),
    )
  })

  it('TCP', () => {
    const control = fc.subarray(['urg', 'ack', 'psh', 'rst', 'syn', 'fin'] as const)
    const plain = {
      sourcePort: u16,
      destinationPort: u16,
      sequence: u32,
      acknowledgment: u32,
      control,
      window: u16,
      payload: octets,
    }
    const segment = fc.oneof(fc.record(plain), fc.record({ ...plain, maximumSegmentSize: u16 }))
    comesBack(segment, (value) => decodeTcp(encodeTcp(value, '10.0.0.1', '10.0.0.2'), '10.0.0.1', '10.0.0.2'))
  })

  const bits = (max: number) => fc.array(fc.boolean(), { minLength: 1, maxLength: max })
  const registers = fc.array(u16, { minLength: 1, maxLength: 123 })
  const kindOf = fc.constantFrom

  it('Modbus requests', () => {
    const pdu: fc.Arbitrary<ModbusRequestPdu> = fc.oneof(
      fc.record({
        kind: kindOf('read_coils', 'read_discrete_inputs'),
        address: u16,
        quantity: fc.integer({ min: 1, max: 2000 }),
      }),
      fc.record({
        kind: kindOf('read_holding_registers', 'read_input_registers'),
        address: u16,
        quantity: fc.integer({ min: 1, max: 125 }),
      }),
      fc.record({ kind: kindOf('write_single_coil'), address: u16, value: fc.boolean() }),
      fc.record({ kind: kindOf('write_single_register'), address: u16, value: u16 }),
      fc.record({ kind: kindOf('diagnostics'), subfunction: u16, data: u16 }),
      fc.record({ kind: kindOf('write_multiple_coils'), address: u16, values: bits(1968) }),
      fc.record({ kind: kindOf('write_multiple_registers'), address: u16, values: registers }),
      fc.record({ kind: kindOf('report_server_id') }),
      fc.record({ kind: kindOf('read_device_identification'), readCode: u8, objectId: u8 }),
    )
    comesBack(fc.record({ transactionId: u16, unitId: u8, pdu }), (value) =>
      decodeModbusRequest(encodeModbusRequest(value)),
    )
  })

  it('Modbus responses', () => {
    const wholeOctets = bits(250).map((values) =>
      Array.from({ length: values.length * 8 }, (_, at) => values[at >>> 3] === true),
    )
    const small = fc.uint8Array({ maxLength: 20 })
    const objects = fc.array(fc.record({ id: u8, value: small }), { maxLength: 8 })
    const pdu: fc.Arbitrary<ModbusResponsePdu> = fc.oneof(
      fc.record({ kind: kindOf('read_coils', 'read_discrete_inputs'), values: wholeOctets }),
      fc.record({ kind: kindOf('read_holding_registers', 'read_input_registers'), values: registers }),
      fc.record({ kind: kindOf('write_single_coil'), address: u16, value: fc.boolean() }),
      fc.record({ kind: kindOf('write_multiple_coils', 'write_multiple_registers'), address: u16, quantity: u16 }),
      fc.record({ kind: kindOf('report_server_id'), serverId: small, isRunning: fc.boolean() }),
      fc.record({
        kind: kindOf('read_device_identification'),
        readCode: u8,
        conformity: u8,
        moreFollows: fc.boolean(),
        nextObjectId: u8,
        objects,
      }),
      fc.record({ kind: kindOf('exception'), functionCode: fc.integer({ min: 1, max: 127 }), exceptionCode: u8 }),
    )
    comesBack(fc.record({ transactionId: u16, unitId: u8, pdu }), (value) =>
      decodeModbusResponse(encodeModbusResponse(value)),
    )
  })

  it('DNP3 messages of one and many segments', () => {
    const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    const qualifier = kindOf('index16', 'index8')
    const indexed = <Rest extends object>(rest: fc.Arbitrary<Rest>) =>
      fc.array(
        rest.chain((fields) => u8.map((index) => ({ index, ...fields }))),
        { maxLength: 60 },
      )
    const following = <Rest extends object>(rest: fc.Arbitrary<Rest>) =>
      fc
        .tuple(u8, fc.array(rest, { minLength: 1, maxLength: 60 }))
        .map(([start, list]) => list.map((fields, at) => ({ index: start + at, ...fields })))
    const crob = fc.record({ code: u8, count: u8, onTimeMs: u32, offTimeMs: u32, status: u8 })
    const analog = fc.record({ flags: u8, value: f32 })
    const object: fc.Arbitrary<Dnp3Object> = fc.oneof(
      fc.record({ kind: kindOf('all'), group: u8, variation: u8 }),
      fc.record({
        kind: kindOf('binary_input'),
        qualifier: kindOf('range16'),
        points: following(fc.record({ flags: u8 })),
      }),
      fc.record({ kind: kindOf('analog_input'), qualifier: kindOf('range16'), points: following(analog) }),
      fc.record({ kind: kindOf('binary_input_event'), qualifier, points: indexed(fc.record({ flags: u8, time })) }),
      fc.record({
        kind: kindOf('analog_input_event'),
        qualifier,
        points: indexed(fc.record({ flags: u8, value: f32, time })),
      }),
      fc.record({ kind: kindOf('control'), qualifier, points: indexed(crob) }),
      fc.record({ kind: kindOf('time'), time }),
      fc.record({ kind: kindOf('time_delay'), delayMs: u16 }),
      fc.record({ kind: kindOf('internal_indication'), index: u8, isSet: fc.boolean() }),
    )
    const control = fc.record({
      isFirst: fc.boolean(),
      isFinal: fc.boolean(),
      confirm: fc.boolean(),
      unsolicited: fc.boolean(),
      sequence: fc.integer({ min: 0, max: 15 }),
    })
    const fragment = fc.record({
      control,
      functionCode: kindOf('response', 'unsolicited_response'),
      indications: u16,
      objects: fc.array(object, { maxLength: 6 }),
    })
    const message = fc.record({
      fromMaster: fc.boolean(),
      destination: u16,
      source: u16,
      transportSequence: fc.integer({ min: 0, max: 63 }),
      fragment,
    })
    comesBack(message, (value) => decodeDnp3(encodeDnp3(value).bytes))
  })

  it('IEC 104', () => {
    const time = fc.record({
      milliseconds: fc.integer({ min: 0, max: 59_999 }),
      minute: fc.integer({ min: 0, max: 59 }),
      hour: fc.integer({ min: 0, max: 23 }),
      dayOfMonth: fc.integer({ min: 1, max: 31 }),
      dayOfWeek: fc.integer({ min: 0, max: 7 }),
      month: fc.integer({ min: 1, max: 12 }),
      year: fc.integer({ min: 0, max: 99 }),
      isInvalid: fc.boolean(),
      isSummerTime: fc.boolean(),
    })
    const quality = fc.integer({ min: 0, max: 15 }).map((high) => high * 16)
    const state = kindOf(0 as const, 1 as const, 2 as const, 3 as const)
    const command = { select: fc.boolean(), qualifier: fc.integer({ min: 0, max: 31 }) }
    const list = <Fields extends object>(fields: fc.Arbitrary<Fields>) =>
      fc
        .tuple(fc.integer({ min: 0, max: 0xfffff0 }), fc.array(fields, { minLength: 1, maxLength: 12 }), fc.boolean())
        .map(([start, items, isSequence]) => ({
          isSequence,
          objects: items.map((item, at) => ({ address: start + at, ...item })),
        }))
    const typed = fc.oneof(
      list(fc.record({ isOn: fc.boolean(), quality })).map((part) => ({ type: 'M_SP_NA_1' as const, ...part })),
      list(fc.record({ isOn: fc.boolean(), quality, time })).map((part) => ({ type: 'M_SP_TB_1' as const, ...part })),
      list(fc.record({ state, quality })).map((part) => ({ type: 'M_DP_NA_1' as const, ...part })),
      list(fc.record({ state, quality, time })).map((part) => ({ type: 'M_DP_TB_1' as const, ...part })),
      list(fc.record({ value: f32, quality })).map((part) => ({ type: 'M_ME_NC_1' as const, ...part })),
      list(fc.record({ value: f32, quality, time })).map((part) => ({ type: 'M_ME_TF_1' as const, ...part })),
      list(
        fc.record({
          count: fc.integer({ min: 0, max: 0xffff_ffff }),
          sequence: fc.integer({ min: 0, max: 31 }),
          quality: fc.integer({ min: 0, max: 7 }).map((high) => high * 32),
        }),
      ).map((part) => ({ type: 'M_IT_NA_1' as const, ...part })),
      list(fc.record({ qualifier: fc.nat(255) })).map((part) => ({ type: 'C_CI_NA_1' as const, ...part })),
      list(fc.record({})).map((part) => ({ type: 'C_RD_NA_1' as const, ...part })),
      list(fc.record({ pattern: fc.nat(0xffff) })).map((part) => ({ type: 'C_TS_NA_1' as const, ...part })),
      list(fc.record({ pattern: fc.nat(0xffff), time })).map((part) => ({ type: 'C_TS_TA_1' as const, ...part })),
      list(fc.record({ isOn: fc.boolean(), ...command })).map((part) => ({ type: 'C_SC_NA_1' as const, ...part })),
      list(fc.record({ state, ...command })).map((part) => ({ type: 'C_DC_NA_1' as const, ...part })),
      list(fc.record({ value: f32, ...command })).map((part) => ({ type: 'C_SE_NC_1' as const, ...part })),
      list(fc.record({ qualifier: u8 })).map((part) => ({ type: 'C_IC_NA_1' as const, ...part })),
      list(fc.record({ time })).map((part) => ({ type: 'C_CS_NA_1' as const, ...part })),
    )
    const header = fc.record({
      cause: fc.integer({ min: 0, max: 63 }),
      isNegative: fc.boolean(),
      isTest: fc.boolean(),
      originator: u8,
      commonAddress: u16,
    })
    const asdu: fc.Arbitrary<Iec104Asdu> = fc.tuple(header, typed).map(([head, part]) => ({ ...head, ...part }))
    const number = fc.integer({ min: 0, max: 32_767 })
    const seen = new Set<string>()
    comesBack(
      fc.oneof(
        fc.record({ format: kindOf('S'), receiveSequence: number }),
        fc.record({ format: kindOf('I'), sendSequence: number, receiveSequence: number, asdu }),
      ),
      (apdu) => {
        if (apdu.format === 'I') seen.add(apdu.asdu.type)
        return decodeIec104(encodeIec104(apdu))
      },
    )
    expect([...seen].sort()).toEqual(Object.keys(iec104Types).sort())
  })

  it('GOOSE', () => {
    const { data } = fc.letrec<{ data: MmsData }>((tie) => ({
      data: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.record({ kind: kindOf('boolean'), value: fc.boolean() }),
        fc.record({
          kind: kindOf('bit_string'),
          unusedBits: fc.integer({ min: 0, max: 7 }),
          bytes: fc.uint8Array({ maxLength: 4 }),
        }),
        fc.record({ kind: kindOf('integer'), value: fc.integer({ min: -(2 ** 47), max: 2 ** 47 - 1 }) }),
        fc.record({ kind: kindOf('unsigned'), value: u32 }),
        fc.record({ kind: kindOf('float'), value: f32 }),
        fc.record({ kind: kindOf('octet_string'), bytes: fc.uint8Array({ maxLength: 300 }) }),
        fc.record({ kind: kindOf('visible_string'), value: text(40) }),
        fc.record({ kind: kindOf('utc_time'), value: fc.record({ seconds: u32, fraction: u24, quality: u8 }) }),
        fc.record({
          kind: kindOf('structure', 'array'),
          entries: fc.array(tie('data'), { maxLength: 3 }) as fc.Arbitrary<MmsData[]>,
        }),
      ),
    }))
    const pdu = fc.record({
      controlBlockReference: text(65),
      timeAllowedToLiveMs: u32,
      dataSet: text(65),
      id: text(65),
      time: fc.record({ seconds: u32, fraction: u24, quality: u8 }),
      stateNumber: u32,
      sequenceNumber: u32,
      simulation: fc.boolean(),
      configurationRevision: u32,
      needsCommissioning: fc.boolean(),
      entries: fc.array(data, { maxLength: 5 }),
    })
    const vlan = fc.record({
      priority: fc.integer({ min: 0, max: 7 }),
      dropEligible: fc.boolean(),
      id: fc.integer({ min: 0, max: 4095 }),
    })
    comesBack(
      fc.record({ destination: mac, source: mac, vlan, appId: u16, isSimulated: fc.boolean(), pdu }),
      (message) => decodeGoose(encodeGoose(message)),
    )
  })

  const format = fc.record({
    phasors: kindOf('polar' as const, 'rectangular' as const),
    phasorNumber: kindOf('float' as const, 'integer' as const),
    analogNumber: kindOf('float' as const, 'integer' as const),
    frequencyNumber: kindOf('float' as const, 'integer' as const),
  })

  it('C37.118 configurations, headers and commands', () => {
    const pmu = fc.record({
      stationName: text(16),
      idCode: u16,
      format,
      phasors: fc.array(fc.record({ name: text(16), unit: kindOf('volt' as const, 'ampere' as const), scale: u24 }), {
        maxLength: 4,
      }),
      analogs: fc.array(
        fc.record({
          name: text(16),
          unit: kindOf('point_on_wave' as const, 'rms' as const, 'peak' as const),
          scale: fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }),
        }),
        { maxLength: 3 },
      ),
      digitals: fc.array(
        fc.record({ names: fc.array(text(16), { minLength: 16, maxLength: 16 }), normal: u16, valid: u16 }),
        { maxLength: 2 },
      ),
      nominalHz: kindOf(50 as const, 60 as const),
      configurationCount: u16,
    })
    const configuration: fc.Arbitrary<C37118Configuration> = fc.record({
      timeBase: u24,
      pmus: fc.array(pmu, { maxLength: 3 }),
      dataRate: fc.integer({ min: -32_768, max: 32_767 }),
    })
    const head = { idCode: u16, time: fc.record({ seconds: u32, fraction: u24, quality: u8 }) }
    const frame: fc.Arbitrary<C37118Frame> = fc.oneof(
      fc.record({ ...head, kind: kindOf('configuration_1', 'configuration_2'), configuration }),
      fc.record({ ...head, kind: kindOf('header'), text: text(60) }),
      fc.record({ ...head, kind: kindOf('command'), command: kindOf('data_on', 'extended'), extension: octets }),
    )
    comesBack(frame, (value) => decodeC37118(encodeC37118(value)))
  })

  it('C37.118 data, within one count of the configured format', () => {
    const input = fc.record({
      format,
      magnitude: fc.float({ min: 0, max: 200_000, noNaN: true }),
      angle: fc.float({ min: -3, max: 3, noNaN: true }),
      deviation: fc.integer({ min: -30_000, max: 30_000 }),
    })
    fc.assert(
      fc.property(input, ({ format: form, magnitude, angle, deviation }) => {
        const configuration = configurationOf(9, form)
        const base = dataFrame(9, 0)
        const [measurement] = base.kind === 'data' ? base.pmus : []
        if (measurement === undefined) throw new Error('expected data')
        const phasors = [
          { magnitude, angle },
          { magnitude: 1, angle: 0 },
        ]
        const sent = { ...measurement, phasors, frequencyHz: 60 + deviation / 1000, analogs: [-7] }
        const outcome = decodeC37118(
          encodeC37118({ ...base, kind: 'data', pmus: [sent] }, configuration),
          configuration,
        )
        const got = outcome.ok && outcome.value.kind === 'data' ? outcome.value.pmus[0] : undefined
        const { magnitude: read, angle: turned } = toPolar(got?.phasors[0] ?? { magnitude: -1, angle: 0 })
        // One count of a voltage is 9.15527 V; a rectangular one errs by up to one count in each part.
        expect(Math.abs(read - magnitude)).toBeLessThan(10)
        if (magnitude > 1000) expect(Math.abs(turned - angle)).toBeLessThan(0.011)
        expect(got?.frequencyHz).toBeCloseTo(sent.frequencyHz, 3)
        expect(got).toMatchObject({ status: 0, analogs: [-7], digitals: [5] })
      }),
      { seed: 8, numRuns: sweep(300) },
    )
  })
})

describe('arbitrary octets', () => {
  const decoders: Readonly<Record<string, (bytes: Uint8Array) => Decoded<unknown>>> = {
    decodeFrame,
    decodeArp,
    decodeModbusRequest,
    decodeModbusResponse,
    decodeDnp3,
    decodeDnp3Link,
    decodeDnp3Fragment,
    decodeIec104,
    decodeGoose,
    'decodeC37118 without configuration': (bytes) => decodeC37118(bytes),
    'decodeC37118 with configuration': (bytes) => decodeC37118(bytes, configurationOf(2)),
  }
  const golden = vectors.golden_frames.flatMap(({ payload_hex, frame_hex }) => {
    const hex = payload_hex ?? frame_hex
    return hex === undefined ? [] : [decodeHex(hex)]
  })
  /** A golden frame with some octets changed and its end cut or repeated. */
  const mutated = fc
    .tuple(
      fc.constantFrom(...golden),
      fc.array(fc.tuple(fc.nat(), u8), { maxLength: 4 }),
      fc.integer({ min: -20, max: 20 }),
    )
    .map(([base, changes, growth]) => {
      const bytes = new Uint8Array(Math.max(0, base.length + growth))
      bytes.set(base.subarray(0, bytes.length))
      for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
      return bytes
    })

  it.each(Object.keys(decoders))('%s() answers with a value or a fault within the octets', (name) => {
    const decode = decoders[name]
    fc.assert(
      fc.property(fc.oneof(octets, mutated), (bytes) => {
        const outcome = decode?.(bytes)
        if (outcome?.ok !== false) return
        expect(outcome.fault.message).toMatch(/^Cannot decode [^:]+: \S/)
        expect(outcome.fault.offset).toBeGreaterThanOrEqual(0)
        expect(outcome.fault.offset).toBeLessThanOrEqual(bytes.length)
      }),
      { seed: 9, numRuns: sweep(2000) },
    )
  })

  it('dissect() survives whole frames with changed octets', () => {
    const whole = captureRecords().map(({ bytes }) => bytes)
    const changed = fc.tuple(fc.constantFrom(...whole), fc.nat(), u8).map(([base, at, value]) => {
      const bytes = base.slice()
      bytes[at % bytes.length] = value
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(octets, changed), (bytes) => {
        expect(() => JSON.stringify(dissect(bytes).messages)).not.toThrow()
      }),
      { seed: 10, numRuns: sweep(2000) },
    )
  })
})

describe('dissect()', () => {
  it('reads every frame of a full capture without a fault', () => {
    const known = new Map([[5, configurationOf(5)]])
    const faults = captureRecords().flatMap(({ bytes, protocol }) => {
      const { fault, configurations } = dissect(bytes, known)
      for (const [id, configuration] of configurations) known.set(id, configuration)
      return fault === undefined ? [] : [`${protocol}: ${fault.message}`]
    })
    expect(faults).toEqual([])
  })
})
