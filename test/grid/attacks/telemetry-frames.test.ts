/** Falsified reports of outstations: values and states by their point, in every protocol, and nothing else. */

import { describe, expect, it } from 'vitest'
import { isTelemetry, rewriteTelemetry } from '#grid/attacks/telemetry-frames.ts'
import { decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Object } from '#grid/protocols/dnp3-objects.ts'
import { decodeIec104, encodeIec104 } from '#grid/protocols/iec104.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import { decodeMms, encodeMms } from '#grid/protocols/mms/frame.ts'
import type { MmsPdu } from '#grid/protocols/mms/pdu.ts'
import type { MmsData } from '#grid/protocols/mms-data.ts'
import { decodeModbusResponse, encodeModbusResponse, toRegisters } from '#grid/protocols/modbus.ts'
import type { ModbusResponsePdu } from '#grid/protocols/modbus-pdu.ts'
import { toBits, toPosition } from '#grid/step/stations/mms-model.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { type Outstation, type OutstationProtocol, objectAddress } from '#grid/telecontrol/telecontrol.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'
import { startWorld } from '../../support/grid-session.ts'
import { must, mustDecode } from '../../support/must.ts'

const context = contextOf(startWorld({ iec61850: 2 }))

/** An outstation of a protocol that has a breaker. */
const outstationOf = (protocol: OutstationProtocol): Outstation =>
  must(context.plan.outstations.find((one) => one.protocol === protocol && one.branches.length > 0))

function report({ link, protocol }: Outstation, payload: Uint8Array): Message {
  return datagram(context, 0, payload, { protocol, link, purpose: 'reporting' })
}

/** Adds 1 to the voltage of the outstation, and reports every breaker as open. */
const change = {
  value: ({ kind }: { readonly kind: string }, value: number) => (kind === 'v' ? value + 1 : value),
  state: () => false,
}

describe('rewriteTelemetry() of Modbus', () => {
  const outstation = outstationOf('Modbus')
  const response = (pdu: ModbusResponsePdu) =>
    encodeModbusResponse({ transactionId: 7, unitId: outstation.address, pdu })
  const rewritten = (pdu: ModbusResponsePdu) =>
    mustDecode(decodeModbusResponse(must(rewriteTelemetry(context, report(outstation, response(pdu)), change))))

  it('changes the value of one point, and keeps transaction, unit and the other points', () => {
    const values = outstation.points.flatMap((_, index) => [...toRegisters(index)])
    expect(rewritten({ kind: 'read_input_registers', values })).toEqual({
      transactionId: 7,
      unitId: outstation.address,
      pdu: {
        kind: 'read_input_registers',
        values: outstation.points.flatMap((_, index) => [...toRegisters(index === 0 ? 1 : index)]),
      },
    })
  })

  it('changes the states of breakers, and not the padding behind them', () => {
    const values = Array.from({ length: 8 }, () => true)
    const { pdu } = rewritten({ kind: 'read_discrete_inputs', values })
    expect(pdu).toMatchObject({ values: values.map((_, index) => index >= outstation.branches.length) })
  })

  it('passes other answers on octet by octet', () => {
    const octets = response({ kind: 'exception', functionCode: 4, exceptionCode: 2 })
    expect(rewriteTelemetry(context, report(outstation, octets), change)).toEqual(octets)
  })
})

describe('rewriteTelemetry() of DNP3', () => {
  const outstation = outstationOf('DNP3')
  const rewritten = (object: Dnp3Object) => {
    const { bytes } = encodeDnp3({
      fromMaster: false,
      destination: 1,
      source: outstation.address,
      transportSequence: 9,
      fragment: {
        control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 4 },
        functionCode: 'response',
        indications: 0x90,
        objects: [object],
      },
    })
    const octets = must(rewriteTelemetry(context, report(outstation, bytes), change))
    const message = mustDecode(decodeDnp3(octets))
    expect(message).toMatchObject({ transportSequence: 9, fragment: { indications: 0x90 } })
    return message.fragment.objects
  }

  it('changes values by their index, not by their place', () => {
    const points = [1, 0].map((index) => ({ index, flags: 1, value: 10 + index }))
    expect(rewritten({ kind: 'analog_input', qualifier: 'index8', points })).toMatchObject([
      { points: [{ value: 11 }, { value: 11 }] },
    ])
  })

  it('clears the state bit of breakers and keeps the other flags, in static points and events', () => {
    const binary = { index: 0, flags: 0x91 }
    expect(rewritten({ kind: 'binary_input', qualifier: 'range8', points: [binary] })).toMatchObject([
      { points: [{ flags: 0x11 }] },
    ])
    const event = { ...binary, time: 5 }
    expect(rewritten({ kind: 'binary_input_event', qualifier: 'index8', points: [event] })).toMatchObject([
      { points: [{ flags: 0x11, time: 5 }] },
    ])
  })

  it('leaves points that the outstation does not have', () => {
    const points = [{ index: 99, flags: 0x81 }]
    expect(rewritten({ kind: 'binary_input', qualifier: 'index8', points })).toMatchObject([{ points }])
  })
})

describe('rewriteTelemetry() of IEC 104', () => {
  const outstation = outstationOf('IEC104')
  const header = {
    isSequence: false,
    cause: 3,
    isNegative: false,
    isTest: false,
    originator: 0,
    commonAddress: outstation.address,
  }
  const rewritten = (asdu: Iec104Asdu) => {
    const octets = encodeIec104({ format: 'I', sendSequence: 5, receiveSequence: 6, asdu })
    const apdu = mustDecode(decodeIec104(must(rewriteTelemetry(context, report(outstation, octets), change))))
    expect(apdu).toMatchObject({ format: 'I', sendSequence: 5, receiveSequence: 6 })
    return apdu.format === 'I' ? apdu.asdu.objects : []
  }

  it('changes measurements by their address, with their quality', () => {
    const objects = [0, 1].map((place) => ({ address: objectAddress.measurement + place, value: 20, quality: 0x10 }))
    expect(rewritten({ ...header, type: 'M_ME_NC_1', objects })).toMatchObject([
      { value: 21, quality: 0x10 },
      { value: 20, quality: 0x10 },
    ])
  })

  it('changes states by their address', () => {
    const objects = [{ address: objectAddress.state, isOn: true, quality: 0x80 }]
    expect(rewritten({ ...header, type: 'M_SP_NA_1', objects })).toEqual([{ ...must(objects[0]), isOn: false }])
    const foreign = [{ address: objectAddress.state + 500, isOn: true, quality: 0 }]
    expect(rewritten({ ...header, type: 'M_SP_NA_1', objects: foreign })).toEqual(foreign)
  })

  it('does not rewrite an acknowledgement', () => {
    const octets = encodeIec104({ format: 'S', receiveSequence: 6 })
    expect(rewriteTelemetry(context, report(outstation, octets), change)).toBeUndefined()
  })
})

describe('rewriteTelemetry() of MMS', () => {
  const outstation = outstationOf('MMS')
  const list = { scope: 'domain', domain: 'RTU4LD0', item: 'LLN0$dsScan' } as const
  const rewritten = (pdu: MmsPdu) => {
    const octets = encodeMms({ kind: 'data', context: 3, pdu })
    const frame = mustDecode(decodeMms(must(rewriteTelemetry(context, report(outstation, octets), change))))
    return frame.kind === 'data' ? frame.pdu : undefined
  }
  const [first, ...rest]: readonly MmsData[] = [
    ...outstation.points.map((_, value) => ({ kind: 'float' as const, value })),
    ...outstation.branches.map(() => toPosition(true)),
  ]
  const opened = rest.map((data) => (data.kind === 'bit_string' ? toPosition(false) : data))

  it('changes the value of one member and every position in an answer that repeats its data set', () => {
    const response = { service: 'read', variables: { list }, results: [must(first), ...rest] } as const
    const pdu = { kind: 'confirmed_response', invokeId: 5, response } as const
    const results = [{ kind: 'float', value: 1 }, ...opened] as const
    expect(rewritten(pdu)).toEqual({ ...pdu, response: { ...response, results } })
  })

  it('changes what a report includes, by the position in the data set, and no other field', () => {
    const fields = ['RP', 1, 2, 3, 4].map((value) => ({ kind: 'visible_string' as const, value: String(value) }))
    const included = toBits(outstation.points.length + outstation.branches.length, (at) => at === 0)
    const pdu = (value: number): MmsPdu => ({
      kind: 'information_report',
      variables: { list: { scope: 'vmd', item: 'RPT' } },
      results: [...fields, included, { kind: 'float', value }, toBits(6, (at) => at === 1)],
    })
    expect(rewritten(pdu(7))).toEqual(pdu(8))
  })

  it('passes other answers on octet by octet', () => {
    const response = { service: 'read', results: [must(first)] } as const
    const octets = encodeMms({ kind: 'data', context: 3, pdu: { kind: 'confirmed_response', invokeId: 5, response } })
    expect(rewriteTelemetry(context, report(outstation, octets), change)).toEqual(octets)
  })
})

describe('rewriteTelemetry()', () => {
  it.each(['Modbus', 'DNP3', 'IEC104', 'MMS'] as const)('of %s leaves octets that it cannot decode', (protocol) => {
    const octets = Uint8Array.of(1, 2, 3)
    expect(rewriteTelemetry(context, report(outstationOf(protocol), octets), change)).toBeUndefined()
  })

  it('leaves messages of a link without an outstation', () => {
    expect(rewriteTelemetry(context, datagram(context, 0, Uint8Array.of(1)), change)).toBeUndefined()
  })
})

describe('isTelemetry()', () => {
  it.each([
    ['DNP3', 'reporting', true],
    ['DNP3', 'command', false],
    ['C37.118', 'reporting', false],
    ['GOOSE', 'reporting', false],
  ] as const)('of a %s message with the purpose %s is %s', (protocol, purpose, is) => {
    expect(isTelemetry(datagram(context, 0, new Uint8Array(0), { protocol, purpose }))).toBe(is)
  })
})
