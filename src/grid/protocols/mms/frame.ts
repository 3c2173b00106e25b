/** MMS over TCP port 102: a PDU inside TPKT (RFC 1006), COTP class 0 (ISO 8073), session, presentation and ACSE. */

import { concatBytes } from '#base/bytes.ts'
import { type Decoded, decoded, faulty, readOctets } from '../../link/octet-reader.ts'
import { writeOctets } from '../../link/octet-writer.ts'
import type { MmsPdu } from './pdu.ts'
import { decodePresentation, decodeUserData, encodePresentation, encodeUserData, type MmsNode } from './presentation.ts'
import { decodeParameters, encodeSession, type Parameter, takeParameters } from './session.ts'

/** TCP port of MMS servers. */
export const mmsPort = 102

type ConnectionKind = 'connection_request' | 'connection_confirm'

/** One TPKT. */
export type MmsFrame =
  | {
      readonly kind: ConnectionKind
      readonly destinationReference: number
      readonly sourceReference: number
      /** Class in the high four bits, options in the low ones. */
      readonly serviceClass: number
      /** C0 size of a TPDU, C1 calling TSAP, C2 called TSAP. */
      readonly parameters: readonly Parameter[]
    }
  /** CONNECT and ACCEPT of the session: parameters before the user data (C1), and the presentation as a tree. */
  | {
      readonly kind: 'associate_request' | 'associate_response'
      readonly parameters: readonly Parameter[]
      readonly presentation: MmsNode
    }
  /** A PDU on an association. */
  | { readonly kind: 'data'; readonly context: number; readonly pdu: MmsPdu }
  /** Other TPDUs: parts of one that was divided, and those that end a session. */
  | { readonly kind: 'other'; readonly octets: Uint8Array }

/** Types of TPDUs (ISO 8073 clause 13) and of SPDUs (ISO 8327-1 clause 8). */
const tpdu = { connection_request: 0xe0, connection_confirm: 0xd0, data: 0xf0 } as const
const spdu = { associate_request: 0x0d, associate_response: 0x0e } as const

/** GIVE TOKENS and DATA TRANSFER, both without parameters (ISO 8327-1 clause 8.3). */
const dataTransfer = Uint8Array.of(1, 0, 1, 0)

/**
 * Encodes a frame: the octets of one TPKT.
 *
 * ```
 * 0   2       03 00
 * 2   2  BE   length of all
 * 4   1       length of the COTP header behind it
 * 5   1       E0 request, D0 confirm: 6 2 BE destination, 8 2 BE source, 10 1 class, then code 1, length 1, value
 *             F0 data: 6 1 end of TPDU 80; behind it the session:
 *             0D connect, 0E accept: length (FF and 2 BE from 255 on), parameters, C1 with the presentation
 *             01 00 01 00: 61 with 30: 02 presentation context, A0 PDU
 * ```
 *
 * Source: RFC 1006 clause 6, ISO 8073 clause 13, ISO 8327-1 clause 8, ISO 8823-1, ISO 8650-1.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeMms(frame: MmsFrame): Uint8Array {
  switch (frame.kind) {
    case 'connection_request':
    case 'connection_confirm':
      return encodeTpkt(encodeConnection(frame))
    case 'associate_request':
    case 'associate_response':
      return encodeDataTpdu(encodeSession(spdu[frame.kind], frame.parameters, encodePresentation(frame.presentation)))
    case 'data':
      return encodeDataTpdu(concatBytes(dataTransfer, encodeUserData(frame)))
    case 'other':
      return encodeTpkt(frame.octets)
  }
}

function encodeConnection(frame: MmsFrame & { readonly kind: ConnectionKind }): Uint8Array {
  const header = writeOctets('COTP')
    .u8(tpdu[frame.kind], 'type')
    .u16(frame.destinationReference, 'destination reference')
    .u16(frame.sourceReference, 'source reference')
    .u8(frame.serviceClass, 'class')
  for (const { code, value } of frame.parameters) {
    header.u8(code, 'parameter').u8(value.length, 'parameter length').bytes(value)
  }
  const octets = header.done()
  return writeOctets('COTP').u8(octets.length, 'length').bytes(octets).done()
}

function encodeTpkt(octets: Uint8Array): Uint8Array {
  return writeOctets('TPKT')
    .u16(0x0300, 'version')
    .u16(octets.length + 4, 'length')
    .bytes(octets)
    .done()
}

function encodeDataTpdu(octets: Uint8Array): Uint8Array {
  return encodeTpkt(concatBytes(Uint8Array.of(2, tpdu.data, 0x80), octets))
}

/** Decodes one TPKT. Faults: `truncated`, `trailing`, `protocol`, `length`, those of the PDU; without one: `other`. */
export function decodeMms(octets: Uint8Array): Decoded<MmsFrame> {
  const reader = readOctets(octets, 'TPKT')
  const version = reader.u16('version')
  const length = reader.u16('length')
  const rest = reader.take(reader.remaining(), 'TPDU')
  const outer = reader.finish(rest)
  if (!outer.ok) return outer
  if (version !== 0x0300)
    return faulty('TPKT', { code: 'protocol', offset: 0, field: 'version' }, 'the version is not 3')
  if (length !== octets.length || rest.length < 3) {
    return faulty(
      'TPKT',
      { code: 'length', offset: 2, field: 'length' },
      `length is ${length}, ${octets.length} octets are there`,
    )
  }
  const type = rest[1]
  if (type === tpdu.connection_request || type === tpdu.connection_confirm) return decodeConnection(rest)
  const isWhole = type === tpdu.data && rest[0] === 2 && rest[2] === 0x80
  return isWhole ? decodeSession(rest) : decoded({ kind: 'other', octets: rest })
}

function decodeConnection(octets: Uint8Array): Decoded<MmsFrame> {
  const reader = readOctets(octets, 'COTP')
  const length = reader.u8('length')
  const kind = reader.u8('type') === tpdu.connection_request ? 'connection_request' : 'connection_confirm'
  const frame = {
    kind,
    destinationReference: reader.u16('destination reference'),
    sourceReference: reader.u16('source reference'),
    serviceClass: reader.u8('class'),
  } as const
  const parameters = takeParameters(reader, () => reader.u8('parameter length'))
  if (length !== octets.length - 1) reader.fail('length', 'length', `length is ${length}`)
  return reader.finish({ ...frame, parameters })
}

function decodeSession(octets: Uint8Array): Decoded<MmsFrame> {
  const session = octets.subarray(3)
  if (dataTransfer.every((octet, at) => session[at] === octet)) {
    const data = decodeUserData(session.subarray(dataTransfer.length))
    return data.ok ? decoded({ kind: 'data', ...data.value }) : data
  }
  const [type] = session
  if (type !== spdu.associate_request && type !== spdu.associate_response) return decoded({ kind: 'other', octets })
  const outcome = decodeParameters(session)
  if (!outcome.ok) return outcome
  const user = outcome.value.at(-1)
  if (user?.code !== 0xc1) return decoded({ kind: 'other', octets })
  const presentation = decodePresentation(user.value)
  if (!presentation.ok) return presentation
  const kind = type === spdu.associate_request ? 'associate_request' : 'associate_response'
  return decoded({ kind, parameters: outcome.value.slice(0, -1), presentation: presentation.value })
}
