/** DNP3 messages: application fragments cut into transport segments, each in a data link frame, in both directions. */

import { type Decoded, decoded, faulty } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { type Dnp3Fragment, decodeDnp3Fragment, dnp3Indication, encodeDnp3Fragment } from './dnp3-fragment.ts'
import { type Dnp3LinkFrame, decodeDnp3Link, dnp3LinkFunction, encodeDnp3Link } from './dnp3-link.ts'

/** The outstation's port, for TCP and UDP. */
export const dnp3Port = 20000

/** Bits of the transport octet: the frame begins its fragment, or ends it (IEEE 1815 clause 8). */
export const dnp3TransportBit = { first: 0x40, final: 0x80 } as const

/** A fragment with its addresses and the transport sequence of its first segment (0 to 63). */
export interface Dnp3Message {
  readonly fromMaster: boolean
  readonly destination: number
  readonly source: number
  readonly transportSequence: number
  readonly fragment: Dnp3Fragment
}

/** Octets of a fragment that one segment carries: 250 less the transport octet. */
const segmentData = 249

/**
 * Encodes a fragment for the wire: transport segments of 249 octets, each in a frame of unconfirmed user data.
 *
 * ```
 * 0   1       transport octet: FIN 80, FIR 40, sequence in the low 6 bits
 * 1   n       up to 249 octets of the fragment
 * ```
 *
 * Source: IEEE 1815 clause 8.
 *
 * @returns the frames behind each other, and the transport sequence that follows them.
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeDnp3(message: Dnp3Message): { readonly bytes: Uint8Array; readonly transportSequence: number } {
  const fragment = encodeDnp3Fragment(message.fragment)
  const writer = writeOctets('DNP3 message')
  const { fromMaster, destination, source } = message
  let sequence = message.transportSequence
  for (let at = 0; at < fragment.length; at += segmentData) {
    const isFinal = at + segmentData >= fragment.length
    const octet = (isFinal ? dnp3TransportBit.final : 0) | (at === 0 ? dnp3TransportBit.first : 0) | (sequence & 0x3f)
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
 * Decodes one message from the frames of `bytes`. Faults as of the layers, `protocol` (a frame without user data),
 * `value` (segments that do not follow each other), `trailing`.
 */
export function decodeDnp3(bytes: Uint8Array): Decoded<Dnp3Message> {
  const joined = joinSegments(bytes)
  if (!joined.ok) return joined
  const { link, sequence, fragment, length } = joined.value
  if (length < bytes.length) {
    const state = `${bytes.length - length} octets follow the final segment`
    return faulty('DNP3 message', { code: 'trailing', offset: length, field: 'end' }, state)
  }
  const outcome = decodeDnp3Fragment(fragment)
  if (!outcome.ok) return outcome
  const { fromMaster, destination, source } = link
  return decoded({ fromMaster, destination, source, transportSequence: sequence, fragment: outcome.value })
}

/** The frame of a first segment, and its transport sequence. */
interface FirstSegment {
  readonly link: Dnp3LinkFrame
  readonly sequence: number
}

/** Joins the segments of a fragment up to the final one; `length` counts the octets of their frames. */
function joinSegments(
  bytes: Uint8Array,
): Decoded<FirstSegment & { readonly fragment: Uint8Array; readonly length: number }> {
  const fragment = writeOctets('DNP3 fragment')
  let first: FirstSegment | undefined
  let at = 0
  for (let count = 0; ; count++) {
    const outcome = decodeDnp3Link(bytes.subarray(at))
    if (!outcome.ok) return outcome
    const { frame: link, length } = outcome.value
    const octet = link.userData[0]
    if (octet === undefined) {
      return faulty('DNP3 message', { code: 'protocol', offset: at, field: 'user data' }, 'the frame carries none')
    }
    first ??= { link, sequence: octet & 0x3f }
    const isNext =
      (octet & 0x3f) === ((first.sequence + count) & 0x3f) && ((octet & dnp3TransportBit.first) !== 0) === (count === 0)
    if (!isNext) {
      const fault = { code: 'value', offset: at + 10, field: 'transport octet' } as const
      return faulty('DNP3 message', fault, 'segments do not follow each other')
    }
    if (link.source !== first.link.source || link.destination !== first.link.destination) {
      const fault = { code: 'value', offset: at + 4, field: 'addresses' } as const
      return faulty('DNP3 message', fault, 'segments belong to other stations')
    }
    fragment.bytes(link.userData.subarray(1))
    at += length
    if ((octet & dnp3TransportBit.final) !== 0) return decoded({ ...first, fragment: fragment.done(), length: at })
  }
}

/**
 * Tells how the application refuses a fragment that it cannot read (IEEE 1815 clause 4.2.2.6): its control, and the
 * indications; undefined where not even the control can be read.
 */
export function judgeUnread(bytes: Uint8Array): { readonly control: number; readonly mistake: number } | undefined {
  const link = decodeDnp3Link(bytes)
  const [, control, code] = link.ok ? link.value.frame.userData : []
  const outcome = decodeDnp3(bytes)
  if (control === undefined || code === undefined || outcome.ok) return undefined
  const { code: fault, field } = outcome.fault
  if (fault !== 'unsupported') return { control, mistake: dnp3Indication.parameterError }
  const isFunction = field === 'function code'
  return { control, mistake: isFunction ? dnp3Indication.noFunctionCodeSupport : dnp3Indication.objectUnknown }
}
