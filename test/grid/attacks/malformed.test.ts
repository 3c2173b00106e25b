/** MALFORMED: one deliberate error in the application, a whole carrier around it, and a receiver that refuses. */

import { describe, expect, it } from 'vitest'
import { malformed } from '#grid/attacks/malformed.ts'
import { decodeC37118 } from '#grid/protocols/c37118.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeGoose } from '#grid/protocols/goose.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { decodeModbusRequest, decodeModbusResponse } from '#grid/protocols/modbus.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import type { PacketRecord } from '#grid/types.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { changedOctets, duel, handled, incidentOf, octetsOf, payloadOf } from '../../support/attack-session.ts'

function decode(frame: PacketRecord, octets: Uint8Array) {
  switch (frame.protocol) {
    case 'DNP3':
      return decodeDnp3(octets)
    case 'C37.118':
      return decodeC37118(octets)
    case 'IEC104':
      return decodeIec104(octets)
    case 'GOOSE':
      return decodeGoose(octets)
    default:
      return frame.dst.endsWith(':502') ? decodeModbusRequest(octets) : decodeModbusResponse(octets)
  }
}

/** Position of the one octet that a kind changes, counted from the start of the message, or from its end below 0. */
const places = [
  // The CRC of the header covers the length: that it fits another one tells a wrong length from a wrong CRC.
  ['DNP3', 'bad_length', [2], ['length']],
  ['DNP3', 'bad_crc', [8, 26], ['checksum']],
  ['C37.118', 'bad_crc', [-1], ['checksum']],
  ['C37.118', 'bad_length', [3], ['length']],
  ['IEC104', 'bad_length', [1], ['length', 'truncated']],
  ['IEC104', 'unknown_function', [6], ['unsupported']],
  ['IEC104', 'wrong_object_count', [7], ['length', 'truncated', 'trailing', 'value']],
  ['GOOSE', 'bad_length', [20], ['length']],
  ['Modbus', 'bad_length', [5], ['length']],
  ['Modbus', 'unknown_function', [7], ['unsupported']],
] as const

describe('MALFORMED', () => {
  it.each(places)(
    'breaks %s by %s in that one octet, and its receiver finds the fault',
    (protocol, kind, at, codes) => {
      const run = duel('MALFORMED', { protocol, kind, rate_percent: 60 }, { steps: 40 })
      const pairs = handled(run.attacked)
      expect(pairs.length).toBeGreaterThan(2)
      for (const { before, after } of pairs) {
        if (after === undefined) throw new Error('a frame was lost')
        const [sent, received] = [payloadOf(before), payloadOf(after)]
        const wanted = at.map((place) => (place < 0 ? sent.length + place : place))
        const changed = changedOctets(sent, received)
        expect(changed).toHaveLength(1)
        expect(wanted).toContain(changed[0])
        const decoded = decode(after, received)
        expect(decoded.ok ? 'readable' : codes.find((code) => code === decoded.fault.code)).toBe(
          decoded.ok ? 'broken' : decoded.fault.code,
        )
      }
    },
  )

  it('breaks DNP3 by unknown_function with the CRC of the block made anew, so that the function is what is wrong', () => {
    const run = duel('MALFORMED', { protocol: 'DNP3', kind: 'unknown_function', rate_percent: 60 }, { steps: 40 })
    const pairs = handled(run.attacked)
    expect(pairs.length).toBeGreaterThan(2)
    for (const { after } of pairs) {
      expect(after === undefined ? undefined : decodeDnp3(payloadOf(after))).toMatchObject({
        fault: { code: 'unsupported', field: 'function code' },
      })
    }
  })

  it.each(['DNP3', 'C37.118', 'IEC104', 'GOOSE', 'Modbus'])('cuts the end off %s', (protocol) => {
    const run = duel('MALFORMED', { protocol, kind: 'truncated', rate_percent: 40 }, { steps: 40 })
    for (const { before, after } of handled(run.attacked)) {
      if (after === undefined) throw new Error('a frame was lost')
      const [sent, received] = [payloadOf(before), payloadOf(after)]
      expect(received.length).toBe(Math.max(4, sent.length - 5))
      expect(decode(after, received).ok).toBe(sent.length <= 4)
    }
  })

  it.each([
    ['DNP3', 'bad_length', 2],
    ['DNP3', 'unknown_function', 14],
    ['C37.118', 'bad_length', 3],
    ['IEC104', 'unknown_function', 6],
    ['GOOSE', 'bad_length', 20],
    ['GOOSE', 'truncated', 4],
    ['Modbus', 'wrong_object_count', 8],
  ] as const)('breaks no message of %s without the octet that %s breaks', (protocol, kind, length) => {
    const carrier = { kind: 'tcp', connection: 'x', side: 'server' } as const
    // Neither the nodes nor the step are read.
    const message = { protocol, carrier, payload: new Uint8Array(length) } as unknown as Message
    const scene = { params: { kind, protocol, rate_percent: 100 }, random: () => 0 }
    const alter = (payload: Uint8Array) => malformed.alter?.({ ...message, payload }, scene as never)
    expect(alter(message.payload)).toBeUndefined()
    expect(alter(new Uint8Array(length + 1))).toMatchObject({ status: 'invalid' })
  })

  it('is an invalid incident, LOW, with both messages, the broken one by its fault', () => {
    const { attacked, attackId } = duel('MALFORMED', { rate_percent: 100 })
    const told = attacked.incidents.filter(({ status }) => status !== 'clean')
    expect(told.length).toBeGreaterThan(10)
    for (const incident of told) {
      expect(incident).toMatchObject({
        attack_id: attackId,
        attack_type: 'MALFORMED',
        technique: techniqueOf('MALFORMED'),
        status: 'invalid',
        severity: 'LOW',
        description: 'Malformed DNP3 frame: bad_crc',
        modified_val: { fault: expect.stringContaining('Cannot decode DNP3') },
        original_val: { fragment: expect.anything() },
      })
    }
    const frame = attacked.frames.find(({ status, tap }) => status === 'invalid' && tap === 'after')
    expect(frame === undefined ? undefined : incidentOf(attacked, frame)?.status).toBe('invalid')
  })

  it('is not obeyed: outstations whose every answer is broken fall silent', () => {
    const run = duel('MALFORMED', { rate_percent: 100 }, { steps: 120 })
    const silent = run.alarms.filter(({ detector }) => detector === 'stale').map(({ where }) => where)
    expect(silent.sort()).toEqual(['RTU-11', 'RTU-14', 'RTU-2', 'RTU-5', 'RTU-8'])
    expect(run.attacked.world.plant).toEqual(run.twin.world.plant)
  })

  it('breaks no frame at a rate of 0, and none of another protocol at any rate', () => {
    const none = duel('MALFORMED', { rate_percent: 0 })
    expect(octetsOf(none.attacked.frames)).toEqual(octetsOf(none.twin.frames))
    const { attacked } = duel('MALFORMED', { protocol: 'GOOSE', kind: 'truncated', rate_percent: 100 })
    expect(
      new Set(attacked.incidents.filter(({ status }) => status !== 'clean').map(({ protocol }) => protocol)),
    ).toEqual(new Set(['GOOSE']))
  })
})
