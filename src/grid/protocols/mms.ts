/** MMS over TCP port 102: a PDU inside TPKT (RFC 1006), COTP class 0 (ISO 8073), session, presentation and ACSE. */

import { concatBytes } from '../../base/bytes.ts'
import { type Decoded, decoded, faulty, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { type BerElement, encodeElement, encodeInteger, fromIntegerOctets, takeElement, takeTagged } from './ber.ts'
import { decodeMmsPdu, encodeMmsPdu, type MmsPdu } from './mms-pdu.ts'

/** TCP port of MMS servers. */
export const mmsPort = 102

/** A parameter of COTP or of the session: its code, and its octets. */
interface Parameter {
  readonly code: number
  readonly value: Uint8Array
}

/** An element of the presentation or of ACSE: a leaf with its octets, one with the elements in it, or the PDU. */
export type MmsNode =
  | { readonly tag: number; readonly octets: Uint8Array }
  | { readonly tag: number; readonly nodes: readonly MmsNode[] }
  | { readonly pdu: MmsPdu }

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
      return encodeDataTpdu(encodeSession(spdu[frame.kind], frame.parameters, encodeNode(frame.presentation)))
    case 'data': {
      const pdu = encodeElement(0xa0, encodeMmsPdu(frame.pdu))
      const userData = encodeElement(0x61, encodeElement(0x30, encodeInteger(0x02, frame.context), pdu))
      return encodeDataTpdu(concatBytes(dataTransfer, userData))
    }
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

function encodeSession(type: number, parameters: readonly Parameter[], presentation: Uint8Array): Uint8Array {
  const inner = writeOctets('session')
  for (const parameter of [...parameters, { code: 0xc1, value: presentation }]) putParameter(inner, parameter)
  const whole = writeOctets('session')
  putParameter(whole, { code: type, value: inner.done() })
  return whole.done()
}

/** Appends a code, a length of one octet, or of FF and two, and the value. */
function putParameter(writer: OctetWriter, { code, value }: Parameter): void {
  writer.u8(code, 'code')
  if (value.length < 255) writer.u8(value.length, 'length').bytes(value)
  else writer.u8(255, 'length').u16(value.length, 'length').bytes(value)
}

function encodeNode(node: MmsNode): Uint8Array {
  if ('pdu' in node) return encodeMmsPdu(node.pdu)
  return encodeElement(node.tag, ...('octets' in node ? [node.octets] : node.nodes.map(encodeNode)))
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
  if (dataTransfer.every((octet, at) => session[at] === octet)) return decodeData(session.subarray(4))
  const [type] = session
  if (type !== spdu.associate_request && type !== spdu.associate_response) return decoded({ kind: 'other', octets })
  const reader = readOctets(session, 'session')
  reader.u8('type')
  takeSessionLength(reader)
  const outcome = reader.finish(takeParameters(reader, () => takeSessionLength(reader)))
  if (!outcome.ok) return outcome
  const user = outcome.value.at(-1)
  if (user?.code !== 0xc1) return decoded({ kind: 'other', octets })
  const presentation = decodePresentation(user.value)
  if (!presentation.ok) return presentation
  const kind = type === spdu.associate_request ? 'associate_request' : 'associate_response'
  return decoded({ kind, parameters: outcome.value.slice(0, -1), presentation: presentation.value })
}

function takeParameters(reader: OctetReader, nextLength: () => number): readonly Parameter[] {
  const parameters: Parameter[] = []
  while (reader.remaining() > 0 && !reader.failed()) {
    const code = reader.u8('parameter')
    parameters.push({ code, value: reader.take(nextLength(), 'parameter') })
  }
  return parameters
}

function takeSessionLength(reader: OctetReader): number {
  const first = reader.u8('length')
  return first === 255 ? reader.u16('length') : first
}

function decodePresentation(octets: Uint8Array): Decoded<MmsNode> {
  const reader = readOctets(octets, 'presentation')
  const outermost = reader.finish(takeElement(reader, 'element'))
  return outermost.ok ? decodeNode(outermost.value, octets, 0) : outermost
}

/** Depth of ACSE in the presentation, under 31 A2 61 30 A0: A8 and A9 above it are not an initiate. */
const acseDepth = 5
/** Deepest nesting that is followed; an initiate is at 9. */
const mostDepth = 16

/** Tags of the requests and responses of an initiate, in the user information of ACSE. */
const initiateTags: readonly number[] = [0xa8, 0xa9]

/** The node of an element, whose octets are `whole`: a PDU, a leaf, or the elements in it. */
function decodeNode({ tag, contents }: BerElement, whole: Uint8Array, depth: number): Decoded<MmsNode> {
  if (depth >= acseDepth && initiateTags.includes(tag)) {
    const pdu = decodeMmsPdu(whole)
    return pdu.ok ? decoded({ pdu: pdu.value }) : pdu
  }
  const isConstructed = (tag & 0x20) !== 0
  if (!isConstructed) return decoded({ tag, octets: contents })
  if (depth > mostDepth)
    return faulty('presentation', { code: 'value', offset: 0, field: 'element' }, `it nests deeper than ${mostDepth}`)
  const nodes = decodeNodes(contents, depth + 1)
  return nodes.ok ? decoded({ tag, nodes: nodes.value }) : nodes
}

function decodeNodes(octets: Uint8Array, depth: number): Decoded<readonly MmsNode[]> {
  const nodes: MmsNode[] = []
  for (let rest = octets; rest.length > 0; ) {
    const reader = readOctets(rest, 'presentation')
    const element = reader.result(takeElement(reader, 'element'))
    if (!element.ok) return element
    const end = element.value.offset + element.value.contents.length
    const node = decodeNode(element.value, rest.subarray(0, end), depth)
    if (!node.ok) return node
    nodes.push(node.value)
    rest = rest.subarray(end)
  }
  return decoded(nodes)
}

function decodeData(octets: Uint8Array): Decoded<MmsFrame> {
  const outer = readOctets(octets, 'presentation')
  const userData = outer.finish(takeTagged(outer, 0x61, 'fully encoded data'))
  if (!userData.ok) return userData
  const inner = readOctets(userData.value, 'presentation')
  const pdvList = inner.finish(takeTagged(inner, 0x30, 'PDV list'))
  if (!pdvList.ok) return pdvList
  const reader = readOctets(pdvList.value, 'presentation')
  // An integer of no octets, or of more than six, reads as context 0.
  const context = fromIntegerOctets(takeTagged(reader, 0x02, 'context')) ?? 0
  const single = reader.finish(takeTagged(reader, 0xa0, 'single ASN.1 type'))
  if (!single.ok) return single
  const pdu = decodeMmsPdu(single.value)
  return pdu.ok ? decoded({ kind: 'data', context, pdu: pdu.value }) : pdu
}
