/** MALFORMED: frames with one deliberate error, which receivers refuse. */

import type { MessageProtocol } from '../protocols/catalogue.ts'
import { crcDnp3 } from '../protocols/crc.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import { listLinks } from '../telecontrol/telecontrol.ts'
import { defineAttack } from './definition.ts'
import { parameterMistake } from './params.ts'
import { techniques } from './techniques.ts'

/** Breaks a message; the layout of a request differs from that of its response. */
type Fault = (octets: Uint8Array, request: boolean) => Uint8Array

/** The faults of each protocol that every session has, by name; the standards give the offsets. */
const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  DNP3: {
    // The CRC of the header is in octets 8 and 9, that of the first block behind octet 25.
    bad_crc: (octets) => flip(octets, octets.length > 26 ? 26 : 8),
    bad_length: (octets) => set(octets, 2, 255),
    truncated: cut,
    // The block gets a new CRC, so that only the function is wrong.
    unknown_function: (octets) => withBlockCrc(set(octets, 12, 0x5a)),
  },
  'C37.118': {
    bad_crc: (octets) => flip(octets, octets.length - 1),
    bad_length: (octets) => set(octets, 3, (octets[3] ?? 0) + 7),
    truncated: cut,
  },
  IEC104: {
    bad_length: (octets) => set(octets, 1, 3),
    truncated: cut,
    unknown_function: (octets) => set(octets, 6, 200),
    wrong_object_count: (octets) => set(octets, 7, 127),
  },
  GOOSE: {
    // Behind both addresses, the VLAN tag and the EtherType come APPID and length.
    bad_length: (octets) => set(octets, 20, 0x7f),
    truncated: cut,
  },
  Modbus: {
    bad_length: (octets) => set(octets, 5, 200),
    truncated: cut,
    unknown_function: (octets) => set(octets, 7, 90),
    // A request has the count in octets 10 and 11, a response its octets in octet 8.
    wrong_object_count: (octets, request) => (request ? set(octets, 10, 0x7f) : set(octets, 8, (octets[8] ?? 0) + 9)),
  },
} satisfies Record<Exclude<MessageProtocol, 'MMS' | 'SV'>, Readonly<Record<string, Fault>>>

/** Every way in which a frame of some protocol can be broken. */
const kinds = ['bad_crc', 'bad_length', 'truncated', 'unknown_function', 'wrong_object_count'] as const

/** Tests that a protocol has a kind of fault; both come from a request and may be anything. */
function canBreak(protocol: unknown, kind: unknown): boolean {
  return Object.hasOwn(faults, String(protocol)) && Object.hasOwn(faults[String(protocol)] ?? {}, String(kind))
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
    const fault = faults[protocol]?.[kind]
    if (random() * 100 >= rate_percent || fault === undefined || !fits(message, kind)) return undefined
    const payload = fault(message.payload, isRequest(message.carrier))
    return { kind: 'modify', payload, description: `Malformed ${protocol} frame: ${kind}`, status: 'invalid' }
  },
})

/** Tests that a message has the octet that is to be broken: S and U formats of IEC 104 have 6 octets. */
function fits({ protocol, payload }: Message, kind: string): boolean {
  if (protocol === 'IEC104') return payload.length >= (kind === 'bad_length' || kind === 'truncated' ? 0 : 9)
  return payload.length >= (kind === 'unknown_function' ? 14 : 0)
}

function set(octets: Uint8Array, at: number, value: number): Uint8Array {
  const copy = octets.slice()
  copy[at] = value
  return copy
}

/** Writes a new CRC for the first block of a DNP3 frame: behind its 16 octets, or at the end of fewer. */
function withBlockCrc(octets: Uint8Array): Uint8Array {
  const end = Math.min(26, octets.length - 2)
  const crc = crcDnp3(octets.subarray(10, end))
  octets[end] = crc & 0xff
  octets[end + 1] = crc >>> 8
  return octets
}

function flip(octets: Uint8Array, at: number): Uint8Array {
  return set(octets, at, (octets[at] ?? 0) ^ 0xff)
}

function cut(octets: Uint8Array): Uint8Array {
  return octets.slice(0, Math.max(4, octets.length - 5))
}
