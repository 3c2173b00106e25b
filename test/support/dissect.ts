/** A dissector on top of our own decoders: any Ethernet frame, named and read down to its messages. */

import { encodeHex } from '#base/hex.ts'
import type { Json, JsonObject } from '#base/json.ts'
import { decodeFrame, type LinkFrame } from '#grid/link/frame.ts'
import type { Decoded, Fault } from '#grid/link/octet-reader.ts'
import { decodeC37118 } from '#grid/protocols/c37118.ts'
import type { C37118Configuration } from '#grid/protocols/c37118-configuration.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeGoose } from '#grid/protocols/goose.ts'
import { findProtocol } from '#grid/protocols/identify.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { decodeMms } from '#grid/protocols/mms/frame.ts'
import { decodeModbusRequest, decodeModbusResponse, modbusPort } from '#grid/protocols/modbus.ts'
import { decodeNtp } from '#grid/protocols/ntp.ts'
import { decodeSampledValues } from '#grid/protocols/sampled-values.ts'
import type { ProtocolName } from '#grid/types.ts'

/** Configurations from earlier frames of the same capture, by the IDCODE of their stream. */
export type KnownConfigurations = ReadonlyMap<number, C37118Configuration>

/** One frame, read as far as it can be. */
export interface Dissection {
  /** `TCP` or `UDP` for ports that we do not know; `SIM` for an EtherType or IP protocol that we do not know. */
  readonly protocol: ProtocolName
  /** `address:port`, or a MAC address for frames without IP. */
  readonly source: string
  readonly destination: string
  /** Octets of the application's payload. */
  readonly payloadLength: number
  /** The messages inside, in order, with bytes as hex. */
  readonly messages: readonly JsonObject[]
  /** The first thing that is wrong, if any. */
  readonly fault?: Fault
  /** Configurations that this frame announces, to be known for the frames after it. */
  readonly configurations: KnownConfigurations
}

/** Turns a decoded value into a dictionary that JSON can hold: bytes become lower-case hex, infinities text. */
export function toDictionary(value: unknown): Json {
  if (value instanceof Uint8Array) return encodeHex(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(toDictionary)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, toDictionary(item)]),
  )
}

/**
 * Reads one frame down to its messages. Never throws: what cannot be read is named by `fault`.
 *
 * TCP segments are read one by one: a message that is split over two of them is `truncated` in both.
 *
 * @param known - configurations from earlier frames; without its configuration a data frame has a fault.
 */
export function dissect(bytes: Uint8Array, known: KnownConfigurations = new Map()): Dissection {
  const outcome = decodeFrame(bytes)
  if (!outcome.ok) {
    const ends = { source: '', destination: '', payloadLength: bytes.length, messages: [] }
    return { protocol: 'SIM', ...ends, fault: outcome.fault, configurations: new Map() }
  }
  const frame = outcome.value
  const ends = {
    source: 'source' in frame ? `${frame.source}:${frame.sourcePort}` : frame.sourceMac,
    destination: 'source' in frame ? `${frame.destination}:${frame.destinationPort}` : frame.destinationMac,
  }
  if (frame.carrier === 'arp') {
    const messages = [toFrame(frame.arp)]
    return { protocol: 'ARP', ...ends, payloadLength: 28, messages, configurations: new Map() }
  }
  const protocol = findProtocol(frame)
  const payloadLength = frame.payload.length
  return { protocol, ...ends, payloadLength, ...readMessages(protocol, frame, bytes, known) }
}

type Messages = Pick<Dissection, 'messages' | 'fault' | 'configurations'>

function readMessages(
  protocol: ProtocolName,
  frame: Exclude<LinkFrame, { carrier: 'arp' }>,
  bytes: Uint8Array,
  known: KnownConfigurations,
): Messages {
  switch (protocol) {
    case 'GOOSE':
      return each(bytes, () => bytes.length, decodeGoose)
    case 'Modbus': {
      const isRequest = 'destinationPort' in frame && frame.destinationPort === modbusPort
      return isRequest
        ? each(frame.payload, modbusLength, decodeModbusRequest)
        : each(frame.payload, modbusLength, decodeModbusResponse)
    }
    case 'IEC104':
      return each(frame.payload, iec104Length, decodeIec104)
    case 'DNP3':
      return each(frame.payload, dnp3MessageLength, decodeDnp3)
    case 'C37.118':
      return readSynchrophasors(frame.payload, known)
    case 'SV':
      return each(bytes, () => bytes.length, decodeSampledValues)
    case 'MMS':
      return each(frame.payload, tpktLength, decodeMms)
    case 'NTP':
      return each(frame.payload, () => frame.payload.length, decodeNtp)
    case 'ARP':
    case 'TCP':
    case 'UDP':
    case 'SIM':
      return { messages: [], configurations: new Map() }
  }
}

/** Decodes one message after the other until the octets end or one is wrong. */
function each<Message extends object>(
  payload: Uint8Array,
  lengthOf: (rest: Uint8Array) => number | undefined,
  decode: (message: Uint8Array) => Decoded<Message>,
): Messages {
  const messages: JsonObject[] = []
  for (let at = 0; at < payload.length; ) {
    const rest = payload.subarray(at)
    const length = Math.max(1, lengthOf(rest) ?? rest.length)
    const outcome = decode(rest.subarray(0, length))
    if (!outcome.ok) {
      const fault = { ...outcome.fault, offset: outcome.fault.offset + at }
      return { messages, fault, configurations: new Map() }
    }
    messages.push(toFrame(outcome.value))
    at += length
  }
  return { messages, configurations: new Map() }
}

/** A DNP3 message is one or more link frames, up to the one whose transport octet says final. */
function dnp3MessageLength(payload: Uint8Array): number | undefined {
  for (let at = 0; ; ) {
    const length = dnp3Length(payload.subarray(at))
    if (length === undefined) return undefined
    const transport = payload[at + 10]
    at += length
    if (transport === undefined || (transport & 0x80) !== 0 || at >= payload.length) return at
  }
}

function readSynchrophasors(payload: Uint8Array, known: KnownConfigurations): Messages {
  const configurations = new Map<number, C37118Configuration>()
  const read = each(payload, c37118Length, (bytes) => {
    const idCode = (bytes[4] ?? 0) * 256 + (bytes[5] ?? 0)
    const outcome = decodeC37118(bytes, configurations.get(idCode) ?? known.get(idCode))
    if (outcome.ok && outcome.value.kind === 'configuration_2') {
      configurations.set(idCode, outcome.value.configuration)
    }
    return outcome
  })
  return { ...read, configurations }
}

function toFrame(value: object): JsonObject {
  const dictionary = toDictionary(value)
  // An object other than an array or bytes becomes a dictionary; the fallback says so to the compiler.
  return typeof dictionary === 'object' && dictionary !== null && !Array.isArray(dictionary)
    ? (dictionary as JsonObject)
    : { value: dictionary }
}

/** Tells how many octets the message at the start of a stream takes: undefined until its header is there. */
function modbusLength(bytes: Uint8Array): number | undefined {
  const [, , , , high, low] = bytes
  return high === undefined || low === undefined ? undefined : 6 + high * 256 + low
}

/** Tells how many octets the frame at the start of a stream takes: undefined until its size is there. */
function c37118Length(bytes: Uint8Array): number | undefined {
  const [, , high, low] = bytes
  return high === undefined || low === undefined ? undefined : high * 256 + low
}

/** Tells how many octets the link frame at the start of a stream takes: undefined until its length is there. */
function dnp3Length(bytes: Uint8Array): number | undefined {
  const length = bytes[2]
  if (length === undefined) return undefined
  const data = Math.max(0, length - 5)
  return 10 + data + Math.ceil(data / 16) * 2
}

/** Tells how many octets the TPKT at the start of a stream takes: undefined until its length is there. */
function tpktLength(bytes: Uint8Array): number | undefined {
  const [, , high, low] = bytes
  return high === undefined || low === undefined ? undefined : high * 256 + low
}

/** Tells how many octets the APDU at the start of a stream takes: undefined until its length is there. */
function iec104Length(bytes: Uint8Array): number | undefined {
  const length = bytes[1]
  return length === undefined ? undefined : length + 2
}
