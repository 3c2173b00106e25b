/** DNP3: data link frames with their CRCs, transport segments and application fragments, in both directions. */

import { GridError } from '../errors.ts'
import { type Decoded, decoded, faulty, readOctets, writeOctets } from '../link/octets.ts'
import { crcDnp3 } from './crc.ts'
import { type Dnp3Object, putObject, takeObject } from './dnp3-objects.ts'

/** The outstation's port, for TCP and UDP. */
export const dnp3Port = 20000

/** Application function codes (IEEE 1815 clause 4.2.2.5). */
export const dnp3Function = {
  confirm: 0,
  read: 1,
  write: 2,
  select: 3,
  operate: 4,
  direct_operate: 5,
  direct_operate_no_ack: 6,
  cold_restart: 13,
  warm_restart: 14,
  enable_unsolicited: 20,
  disable_unsolicited: 21,
  delay_measure: 23,
  record_current_time: 24,
  response: 129,
  unsolicited_response: 130,
} as const

/** The name of an application function. */
export type Dnp3Function = keyof typeof dnp3Function

/** Internal indications as one mask: IIN1 in the low octet, which is sent first (clause 4.2.2.6). */
export const dnp3Indication = {
  broadcast: 0x0001,
  class1Events: 0x0002,
  class2Events: 0x0004,
  class3Events: 0x0008,
  needTime: 0x0010,
  localControl: 0x0020,
  deviceTrouble: 0x0040,
  deviceRestart: 0x0080,
  noFunctionCodeSupport: 0x0100,
  objectUnknown: 0x0200,
  parameterError: 0x0400,
  eventBufferOverflow: 0x0800,
  alreadyExecuting: 0x1000,
  configurationCorrupt: 0x2000,
} as const

/** Link function codes that a primary station sends (clause 9.2.4.1.3). */
export const dnp3LinkFunction = {
  resetLink: 0,
  testLink: 2,
  confirmedUserData: 3,
  unconfirmedUserData: 4,
  requestLinkStatus: 9,
} as const

/** One data link frame. */
export interface Dnp3LinkFrame {
  /** True from the master. */
  readonly fromMaster: boolean
  /** True from the station that opens the exchange: all user data here. */
  readonly isPrimary: boolean
  /** Frame count bit. */
  readonly frameCount: boolean
  /** Frame count valid bit, or data flow control from a secondary station. */
  readonly frameCountValid: boolean
  readonly functionCode: number
  readonly destination: number
  readonly source: number
  /** At most 250 octets. */
  readonly userData: Uint8Array
}

/** The application control octet (clause 4.2.2.4). */
export interface Dnp3ApplicationControl {
  readonly isFirst: boolean
  readonly isFinal: boolean
  /** Whether a confirm is asked for. */
  readonly confirm: boolean
  readonly unsolicited: boolean
  /** 0 to 15. Unsolicited responses count on their own. */
  readonly sequence: number
}

/** One application fragment. */
export interface Dnp3Fragment {
  readonly control: Dnp3ApplicationControl
  readonly functionCode: Dnp3Function
  /** Internal indications, present exactly in responses. */
  readonly indications?: number
  readonly objects: readonly Dnp3Object[]
}

/** A fragment with its addresses and the transport sequence of its first segment (0 to 63). */
export interface Dnp3Message {
  readonly fromMaster: boolean
  readonly destination: number
  readonly source: number
  readonly transportSequence: number
  readonly fragment: Dnp3Fragment
}

/** The counters of one end of an association. Plain data: it travels in snapshots. */
export interface Dnp3Sequence {
  /** The transport sequence of the next segment, modulo 64. */
  readonly transport: number
  /** The sequence of the master's next request, modulo 16. */
  readonly application: number
  /** The sequence of the outstation's next unsolicited response, modulo 16. */
  readonly unsolicited: number
}

/** The counters of an association that has sent nothing. */
export const newDnp3Sequence: Dnp3Sequence = { transport: 0, application: 0, unsolicited: 0 }

/** Octets of a fragment that one segment carries: 250 less the transport octet. */
const segmentData = 249

/** Numbers a request of the master and moves its counters on. */
export function nextRequest(
  sequence: Dnp3Sequence,
  functionCode: Dnp3Function,
  objects: readonly Dnp3Object[] = [],
): { readonly fragment: Dnp3Fragment; readonly sequence: Dnp3Sequence } {
  const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false }
  return {
    fragment: { control: { ...control, sequence: sequence.application }, functionCode, objects },
    sequence: { ...sequence, application: (sequence.application + 1) & 15 },
  }
}

/** Numbers an unsolicited response, which asks for a confirm, and moves the outstation's counters on. */
export function nextUnsolicited(
  sequence: Dnp3Sequence,
  indications: number,
  objects: readonly Dnp3Object[],
): { readonly fragment: Dnp3Fragment; readonly sequence: Dnp3Sequence } {
  const control = { isFirst: true, isFinal: true, confirm: true, unsolicited: true }
  return {
    fragment: {
      control: { ...control, sequence: sequence.unsolicited },
      functionCode: 'unsolicited_response',
      indications,
      objects,
    },
    sequence: { ...sequence, unsolicited: (sequence.unsolicited + 1) & 15 },
  }
}

/** Answers a request with its own sequence. */
export function respondTo(
  request: Dnp3Fragment,
  indications: number,
  objects: readonly Dnp3Object[] = [],
): Dnp3Fragment {
  const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false }
  return {
    control: { ...control, sequence: request.control.sequence },
    functionCode: 'response',
    indications,
    objects,
  }
}

/** Confirms a response that asked for it, with its own sequence and kind. */
export function confirmOf(response: Dnp3Fragment): Dnp3Fragment {
  const { unsolicited, sequence } = response.control
  return {
    control: { isFirst: true, isFinal: true, confirm: false, unsolicited, sequence },
    functionCode: 'confirm',
    objects: [],
  }
}

/**
 * Encodes one data link frame.
 *
 * ```
 *  0   2       start 05 64
 *  2   1       length: 5 + octets of user data, CRCs not counted
 *  3   1       control: DIR 80, PRM 40, FCB 20, FCV or DFC 10, function code in the low nibble
 *  4   2  LE   destination
 *  6   2  LE   source
 *  8   2  LE   CRC of octets 0 to 7
 * 10   .       blocks: up to 16 octets of user data, CRC 2 LE of each
 * ```
 *
 * Source: IEEE 1815 clause 9.2.4.
 *
 * @throws GridError `malformed_frame` when there are more than 250 octets or an address does not fit.
 */
export function encodeDnp3Link(frame: Dnp3LinkFrame): Uint8Array {
  const data = frame.userData
  if (data.length > 250) {
    throw new GridError(
      'malformed_frame',
      `Cannot encode DNP3 frame: ${data.length} octets of user data, at most 250`,
    )
  }
  const control =
    (frame.fromMaster ? 0x80 : 0) |
    (frame.isPrimary ? 0x40 : 0) |
    (frame.frameCount ? 0x20 : 0) |
    (frame.frameCountValid ? 0x10 : 0) |
    (frame.functionCode & 0x0f)
  const header = writeOctets('DNP3 frame')
    .u16(0x0564, 'start')
    .u8(5 + data.length, 'length')
    .u8(control, 'control')
    .u16le(frame.destination, 'destination')
    .u16le(frame.source, 'source')
    .done()
  const writer = writeOctets('DNP3 frame').bytes(header).u16le(crcDnp3(header), 'CRC')
  for (let at = 0; at < data.length; at += 16) {
    const block = data.subarray(at, at + 16)
    writer.bytes(block).u16le(crcDnp3(block), 'CRC')
  }
  return writer.done()
}

/**
 * Decodes the data link frame at the start of a stream and tells how many octets it took.
 *
 * Faults: `truncated`, `protocol` (start octets), `length` (below 5, or another one than the header's CRC was made
 * for), `checksum` (header or block).
 */
export function decodeDnp3Link(
  bytes: Uint8Array,
): Decoded<{ readonly frame: Dnp3LinkFrame; readonly length: number }> {
  const reader = readOctets(bytes, 'DNP3 frame')
  if (reader.u16('start') !== 0x0564) reader.fail('protocol', 'start', 'start octets are not 05 64', 0)
  const length = reader.u8('length')
  if (length < 5) reader.fail('length', 'length', `length is ${length}, expected at least 5`, 2)
  const control = reader.u8('control')
  const destination = reader.u16le('destination')
  const source = reader.u16le('source')
  const crc = reader.u16le('header CRC')
  if (crc !== crcDnp3(bytes.subarray(0, 8))) {
    const meant = findMeantLength(bytes, crc)
    if (meant === undefined) reader.fail('checksum', 'header CRC', 'CRC of the header does not match', 8)
    else {
      const state = `length is ${length}, expected ${meant}, for which CRC and octets are right`
      reader.fail('length', 'length', state, 2)
    }
  }
  const writer = writeOctets('DNP3 user data')
  for (let left = length - 5; left > 0 && !reader.failed(); left -= 16) {
    const offset = reader.offset()
    const block = reader.take(Math.min(16, left), 'block')
    if (reader.u16le('block CRC') !== crcDnp3(block)) {
      reader.fail(
        'checksum',
        'block CRC',
        `CRC of the block at ${offset} does not match`,
        offset + block.length,
      )
    }
    writer.bytes(block)
  }
  return reader.result({
    frame: {
      fromMaster: (control & 0x80) !== 0,
      isPrimary: (control & 0x40) !== 0,
      frameCount: (control & 0x20) !== 0,
      frameCountValid: (control & 0x10) !== 0,
      functionCode: control & 0x0f,
      destination,
      source,
      userData: writer.done(),
    },
    length: reader.offset(),
  })
}

/**
 * Finds the length that a header was meant to have, where it alone was changed after its CRC had been made.
 *
 * Without it a wrong length and a wrong CRC are one fault, because the CRC covers the length.
 *
 * @returns undefined when no length that fits the octets has the CRC.
 */
function findMeantLength(bytes: Uint8Array, crc: number): number | undefined {
  // Every 16 octets of user data and what is left of them have a CRC of two octets.
  const behind = bytes.length - 10
  const data = behind - Math.ceil(behind / 18) * 2
  if (data < 0 || data > 250) return undefined
  const header = bytes.slice(0, 8)
  header[2] = 5 + data
  return crcDnp3(header) === crc ? 5 + data : undefined
}

/**
 * Encodes one application fragment.
 *
 * ```
 * 0   1       application control: FIR 80, FIN 40, CON 20, UNS 10, sequence in the low nibble
 * 1   1       function code
 * 2   2       only in responses: internal indications, IIN1 first
 * .   .       objects, see `putObject`
 * ```
 *
 * Source: IEEE 1815 clause 4.2.2.
 *
 * @throws GridError `malformed_frame` when a value does not fit.
 */
export function encodeDnp3Fragment(fragment: Dnp3Fragment): Uint8Array {
  const { control } = fragment
  const octet =
    (control.isFirst ? 0x80 : 0) |
    (control.isFinal ? 0x40 : 0) |
    (control.confirm ? 0x20 : 0) |
    (control.unsolicited ? 0x10 : 0) |
    (control.sequence & 0x0f)
  const writer = writeOctets('DNP3 fragment')
    .u8(octet, 'application control')
    .u8(dnp3Function[fragment.functionCode], 'function code')
  if (isResponse(fragment.functionCode)) writer.u16le(fragment.indications ?? 0, 'internal indications')
  for (const object of fragment.objects) putObject(writer, object)
  return writer.done()
}

/** Decodes one application fragment. Faults: `truncated`, `unsupported`, `length`, `value`. */
export function decodeDnp3Fragment(bytes: Uint8Array): Decoded<Dnp3Fragment> {
  const reader = readOctets(bytes, 'DNP3 fragment')
  const octet = reader.u8('application control')
  const code = reader.u8('function code')
  const functionCode = functionNames.get(code)
  if (functionCode === undefined) {
    reader.fail('unsupported', 'function code', `function code ${code} is not one that we read`, 1)
    return reader.refuse()
  }
  const indications = isResponse(functionCode) ? reader.u16le('internal indications') : undefined
  const objects: Dnp3Object[] = []
  while (reader.remaining() > 0 && !reader.failed()) {
    const object = takeObject(reader, headersOnly.has(functionCode))
    if (object !== undefined) objects.push(object)
  }
  const control = {
    isFirst: (octet & 0x80) !== 0,
    isFinal: (octet & 0x40) !== 0,
    confirm: (octet & 0x20) !== 0,
    unsolicited: (octet & 0x10) !== 0,
    sequence: octet & 0x0f,
  }
  return reader.finish({
    control,
    functionCode,
    ...(indications === undefined ? {} : { indications }),
    objects,
  })
}

/**
 * Encodes a fragment for the wire: transport segments of 249 octets, each in a frame of unconfirmed user data.
 *
 * ```
 * 0   1       transport octet: FIN 80, FIR 40, sequence in the low 6 bits
 * 1   n       up to 249 octets of the fragment
 * ```
 *
 * Source: IEEE 1815 clause 8.2.
 *
 * @returns the frames behind each other, and the transport sequence that follows them.
 * @throws GridError `malformed_frame` when a value does not fit.
 */
export function encodeDnp3(message: Dnp3Message): {
  readonly bytes: Uint8Array
  readonly transportSequence: number
} {
  const fragment = encodeDnp3Fragment(message.fragment)
  const writer = writeOctets('DNP3 message')
  const { fromMaster, destination, source } = message
  let sequence = message.transportSequence
  for (let at = 0; at < fragment.length; at += segmentData) {
    const isFinal = at + segmentData >= fragment.length
    const octet = (isFinal ? 0x80 : 0) | (at === 0 ? 0x40 : 0) | (sequence & 0x3f)
    const userData = writeOctets('DNP3 segment')
      .u8(octet, 'transport octet')
      .bytes(fragment.subarray(at, at + segmentData))
      .done()
    const functionCode = dnp3LinkFunction.unconfirmedUserData
    const link = { fromMaster, isPrimary: true, frameCount: false, frameCountValid: false, functionCode }
    writer.bytes(encodeDnp3Link({ ...link, destination, source, userData }))
    sequence = (sequence + 1) & 0x3f
  }
  return { bytes: writer.done(), transportSequence: sequence }
}

/**
 * Decodes one message from the frames that carry it, which must be the whole of `bytes`.
 *
 * Faults as of the layers, and `protocol` when a frame has no user data, `value` when segments do not follow
 * each other or belong to other stations, `trailing` when octets follow the final segment.
 */
export function decodeDnp3(bytes: Uint8Array): Decoded<Dnp3Message> {
  const fragment = writeOctets('DNP3 fragment')
  let first: { readonly link: Dnp3LinkFrame; readonly sequence: number } | undefined
  let at = 0
  for (let count = 0; ; count++) {
    const outcome = decodeDnp3Link(bytes.subarray(at))
    if (!outcome.ok) return outcome
    const { frame: link, length } = outcome.value
    const octet = link.userData[0]
    if (octet === undefined)
      return faulty('DNP3 message', 'protocol', at, 'user data', 'the frame carries none')
    first ??= { link, sequence: octet & 0x3f }
    const expected = (first.sequence + count) & 0x3f
    if ((octet & 0x3f) !== expected || ((octet & 0x40) !== 0) !== (count === 0)) {
      return faulty('DNP3 message', 'value', at + 10, 'transport octet', 'segments do not follow each other')
    }
    if (link.source !== first.link.source || link.destination !== first.link.destination) {
      return faulty('DNP3 message', 'value', at + 4, 'addresses', 'segments belong to other stations')
    }
    fragment.bytes(link.userData.subarray(1))
    at += length
    if ((octet & 0x80) !== 0) break
  }
  if (at < bytes.length) {
    return faulty(
      'DNP3 message',
      'trailing',
      at,
      'end',
      `${bytes.length - at} octets follow the final segment`,
    )
  }
  const outcome = decodeDnp3Fragment(fragment.done())
  if (!outcome.ok) return outcome
  const { fromMaster, destination, source } = first.link
  return decoded({
    fromMaster,
    destination,
    source,
    transportSequence: first.sequence,
    fragment: outcome.value,
  })
}

function isResponse(functionCode: Dnp3Function): boolean {
  return functionCode === 'response' || functionCode === 'unsolicited_response'
}

/** Functions whose objects name points without values (clause 4.2.2.5). */
const headersOnly: ReadonlySet<Dnp3Function> = new Set(['read', 'enable_unsolicited', 'disable_unsolicited'])

// Object.entries widens keys to string; the table above has no others.
const functionNames = new Map(
  Object.entries(dnp3Function).map(([name, code]) => [code as number, name as Dnp3Function]),
)
