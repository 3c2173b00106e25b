/** MALFORMED: frames with one deliberate error, which receivers refuse. */

import type { MessageProtocol } from '../protocols/catalogue.ts'
import { crcDnp3 } from '../protocols/crc.ts'
import { isRequest } from '../telecontrol/message.ts'
import { listLinks } from '../telecontrol/telecontrol.ts'
import { defineAttack } from './definition.ts'
import { parameterMistake } from './params.ts'
import { techniques } from './techniques.ts'

/** Breaks a message, or leaves it, by undefined, where it has not the octet to break: S and U formats of IEC 104. */
type Fault = (octets: Uint8Array, isRequest: boolean) => Uint8Array | undefined

/** Places of octets in a message, as the encoders draw them: of two octets the one that is broken. */
const place = {
  dnp3: { length: 2, headerCrc: 8, block: 10, functionCode: 12, blockCrc: 26 },
  c37118: { length: 3 },
  iec104: { length: 1, type: 6, count: 7 },
  goose: { length: 20 },
  modbus: { length: 5, functionCode: 7, octetCount: 8, requestedCount: 10 },
} as const
/** Codes that no station knows. */
const unknownCode = { dnp3: 0x5a, iec104: 200, modbus: 90 } as const

/** The faults of each protocol that every session has, by name. */
const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  DNP3: {
    bad_crc: (octets) => flip(octets, octets.length > place.dnp3.blockCrc ? place.dnp3.blockCrc : place.dnp3.headerCrc),
    bad_length: (octets) => replace(octets, place.dnp3.length, 255),
    truncated: cut,
    unknown_function: replaceDnp3Function,
  },
  'C37.118': {
    bad_crc: (octets) => flip(octets, octets.length - 1),
    bad_length: (octets) => increase(octets, place.c37118.length, 7),
    truncated: cut,
  },
  IEC104: {
    bad_length: (octets) => replace(octets, place.iec104.length, 3),
    truncated: cut,
    unknown_function: (octets) => replace(octets, place.iec104.type, unknownCode.iec104),
    wrong_object_count: (octets) => replace(octets, place.iec104.count, 127),
  },
  GOOSE: { bad_length: (octets) => replace(octets, place.goose.length, 0x7f), truncated: cut },
  Modbus: {
    bad_length: (octets) => replace(octets, place.modbus.length, 200),
    truncated: cut,
    // Shorter messages, all requests to read among them, stay whole: sessions that are kept have to come out the same.
    unknown_function: (octets) =>
      octets.length < 14 ? undefined : replace(octets, place.modbus.functionCode, unknownCode.modbus),
    // A response has the octets of its registers in place of their count.
    wrong_object_count: (octets, isRequest) =>
      isRequest ? replace(octets, place.modbus.requestedCount, 0x7f) : increase(octets, place.modbus.octetCount, 9),
  },
} satisfies Record<Exclude<MessageProtocol, 'MMS' | 'SV'>, Readonly<Record<string, Fault>>>

/** Every way in which a frame of some protocol can be broken. */
const kinds = ['bad_crc', 'bad_length', 'truncated', 'unknown_function', 'wrong_object_count'] as const

/** Tests that a protocol has a kind of fault; both come from a request and may be anything. */
function canBreak(protocol: unknown, kind: unknown): boolean {
  if (typeof protocol !== 'string' || typeof kind !== 'string' || !Object.hasOwn(faults, protocol)) return false
  return Object.hasOwn(faults[protocol] ?? {}, kind)
}

/** Breaks a share of the frames of one protocol. */
export const malformed = defineAttack({
  type: 'MALFORMED',
  name: 'Malformed protocol frame',
  protocol: 'any',
  technique: techniques.denialOfService,
  secondaryTechniques: [],
  severity: 'LOW',
  status: 'invalid',
  params: {
    kind: { type: 'string', default: 'bad_crc', enum: kinds },
    protocol: { type: 'string', default: 'DNP3', enum: Object.keys(faults) },
    rate_percent: { type: 'number', default: 10, min: 0, max: 100, unit: '%' },
  },
  frameEffect: 'one deliberate error; the carrier around it stays right',
  gridEffect: 'the receiver drops the frame; a gap in the telemetry',
  expectedDetection: 'expert information of a dissector, weird logs',
  // A missing kind or protocol follows the given one: not every protocol can be broken in every way.
  defaults({ kind, protocol }) {
    if (kind === undefined) {
      const possible = kinds.find((name) => canBreak(protocol ?? 'DNP3', name))
      return possible === undefined ? {} : { kind: possible }
    }
    if (protocol !== undefined) return {}
    const breakable = ['DNP3', ...Object.keys(faults)].find((name) => canBreak(name, kind))
    return breakable === undefined ? {} : { protocol: breakable }
  },
  check({ kind, protocol }) {
    const known = Object.keys(faults[protocol] ?? {})
    return known.includes(kind)
      ? []
      : [parameterMistake('kind', `is "${kind}", and ${protocol} can be broken by ${known.join(', ')}`)]
  },
  links: ({ protocol }, plan) =>
    listLinks(plan)
      .filter((link) => link.protocol === protocol)
      .map(({ id }) => id),
  touches: (message, { protocol }) => message.protocol === protocol,
  alter(message, { params: { kind, protocol, rate_percent }, random }) {
    if (random() * 100 >= rate_percent) return undefined
    const payload = faults[protocol]?.[kind]?.(message.payload, isRequest(message.carrier))
    if (payload === undefined) return undefined
    return { kind: 'modify', payload, description: `Malformed ${protocol} frame: ${kind}`, status: 'invalid' }
  },
})

/** Replaces octets from a place on; undefined where the message has not all of them. */
function replace(octets: Uint8Array, at: number, ...values: readonly number[]): Uint8Array | undefined {
  if (at < 0 || at + values.length > octets.length) return undefined
  const copy = octets.slice()
  copy.set(values, at)
  return copy
}

/** Replaces the function of a DNP3 frame with a new CRC of its first block, so that only the function is wrong. */
function replaceDnp3Function(octets: Uint8Array): Uint8Array | undefined {
  // The CRC is behind 16 octets, or at the end of fewer.
  const end = Math.min(place.dnp3.blockCrc, octets.length - 2)
  if (end <= place.dnp3.functionCode) return undefined
  const broken = octets.slice(place.dnp3.block, end)
  broken[place.dnp3.functionCode - place.dnp3.block] = unknownCode.dnp3
  const crc = crcDnp3(broken)
  return replace(octets, place.dnp3.block, ...broken, crc & 0xff, crc >>> 8)
}

function flip(octets: Uint8Array, at: number): Uint8Array | undefined {
  return replace(octets, at, (octets[at] ?? 0) ^ 0xff)
}

function increase(octets: Uint8Array, at: number, by: number): Uint8Array | undefined {
  return replace(octets, at, (octets[at] ?? 0) + by)
}

/** Cuts five octets off the end, and leaves four. */
function cut(octets: Uint8Array): Uint8Array | undefined {
  return octets.length > 4 ? octets.slice(0, Math.max(4, octets.length - 5)) : undefined
}
