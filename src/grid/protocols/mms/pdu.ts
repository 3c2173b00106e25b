/** PDUs of MMS (ISO 9506-2) as IEC 61850-8-1 uses them: association, confirmed services, reports. */

import { namesByCode } from '../../link/codec.ts'
import { adopt, type Decoded, type OctetReader, readOctets } from '../../link/octet-reader.ts'
import {
  encodeElement,
  encodeInteger,
  encodeOptional,
  findTag,
  listElements,
  listInside,
  readInteger,
  takeElement,
} from '../ber.ts'
import { encodeRequest, type MmsRequest, takeRequest } from './requests.ts'
import { encodeResponse, type MmsResponse, takeResponse } from './responses.ts'
import {
  encodeResults,
  encodeVariables,
  type MmsResult,
  type MmsVariables,
  takeResults,
  takeVariables,
} from './variables.ts'

/** The bounds and abilities that both sides state as an association begins. */
export interface MmsInitiate {
  readonly kind: 'initiate_request' | 'initiate_response'
  /** Octets of the largest PDU. */
  readonly largestPdu?: number
  readonly outstandingCalling: number
  readonly outstandingCalled: number
  readonly nesting?: number
  readonly version: number
  /** Bit strings: the octet of unused bits first. */
  readonly parameterSupport: Uint8Array
  readonly servicesSupported: Uint8Array
}

/** One PDU; errors and rejections are kept as their octets. */
export type MmsPdu =
  | { readonly kind: 'confirmed_request'; readonly invokeId: number; readonly request: MmsRequest }
  | { readonly kind: 'confirmed_response'; readonly invokeId: number; readonly response: MmsResponse }
  | { readonly kind: 'information_report'; readonly variables: MmsVariables; readonly results: readonly MmsResult[] }
  | MmsInitiate
  | { readonly kind: 'conclude_request' | 'conclude_response' }
  | { readonly kind: 'other'; readonly octets: Uint8Array }

const none = new Uint8Array(0)

/** Tags of the PDUs. */
const tags = {
  confirmed_request: 0xa0,
  confirmed_response: 0xa1,
  information_report: 0xa3,
  initiate_request: 0xa8,
  initiate_response: 0xa9,
  conclude_request: 0x8b,
  conclude_response: 0x8c,
} as const

/**
 * Encodes a PDU in BER.
 *
 * ```
 * A0 request:  02 invoke id, then A1 names, 82 identify, A4 read or A5 write
 * A1 answer:   02 invoke id, then the same tags
 * A3 report:   A0: variables, A0 values (each 80 error, or data)
 * A8, A9 initiate: 80 size *, 81, 82 outstanding, 83 nesting *, A4: 80 version, 81 parameters, 82 services
 * 8B, 8C conclude
 * variables:   A0: a 30 with A0 and a name for each; or A1 with the name of a list
 * name:        80 of the device, A1 with 1A domain and 1A item, 82 of the association
 * ```
 *
 * Fields with a star may be absent. Source: ISO 9506-2 clause 7 and its annex of abstract syntax.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeMmsPdu(pdu: MmsPdu): Uint8Array {
  switch (pdu.kind) {
    case 'confirmed_request':
      return encodeElement(tags[pdu.kind], encodeInteger(0x02, pdu.invokeId), encodeRequest(pdu.request))
    case 'confirmed_response':
      return encodeElement(tags[pdu.kind], encodeInteger(0x02, pdu.invokeId), encodeResponse(pdu.response))
    case 'information_report': {
      const values = encodeElement(0xa0, encodeResults(pdu.results))
      return encodeElement(tags[pdu.kind], encodeElement(0xa0, encodeVariables(pdu.variables), values))
    }
    case 'conclude_request':
    case 'conclude_response':
      return encodeElement(tags[pdu.kind])
    case 'other':
      return pdu.octets
    default:
      return encodeInitiate(pdu)
  }
}

function encodeInitiate(pdu: MmsInitiate): Uint8Array {
  return encodeElement(
    tags[pdu.kind],
    ...encodeOptional(pdu.largestPdu, (size) => encodeInteger(0x80, size)),
    encodeInteger(0x81, pdu.outstandingCalling),
    encodeInteger(0x82, pdu.outstandingCalled),
    ...encodeOptional(pdu.nesting, (levels) => encodeInteger(0x83, levels)),
    encodeElement(
      0xa4,
      encodeInteger(0x80, pdu.version),
      encodeElement(0x81, pdu.parameterSupport),
      encodeElement(0x82, pdu.servicesSupported),
    ),
  )
}

/** Decodes a PDU. Faults: `truncated`, `length`, `value`, `unsupported` (a kind of data, or of names). */
export function decodeMmsPdu(octets: Uint8Array): Decoded<MmsPdu> {
  const reader = readOctets(octets, 'MMS PDU')
  const { tag, contents } = takeElement(reader, 'PDU')
  const pdu = reader.failed() ? undefined : takePdu(reader, tag, contents)
  return reader.finish(pdu ?? { kind: 'other', octets })
}

const kindsByTag = namesByCode(tags, (tag) => tag)

/** Takes a PDU by its tag; undefined for one that is not read. */
function takePdu(reader: OctetReader, tag: number, contents: Uint8Array): MmsPdu | undefined {
  const kind = kindsByTag.get(tag)
  switch (kind) {
    case undefined:
      return undefined
    case 'conclude_request':
    case 'conclude_response':
      return { kind }
    case 'initiate_request':
    case 'initiate_response':
      return takeInitiate(reader, kind, contents)
    case 'information_report':
      return takeReport(reader, contents)
    case 'confirmed_request': {
      const { invokeId, service } = takeConfirmed(reader, contents)
      return { kind, invokeId, request: takeRequest(reader, service) }
    }
    case 'confirmed_response': {
      const { invokeId, service } = takeConfirmed(reader, contents)
      return { kind, invokeId, response: takeResponse(reader, service) }
    }
  }
}

/** Takes the invoke id, and the service behind it as octets: one of a high tag is not read as an element. */
function takeConfirmed(reader: OctetReader, contents: Uint8Array) {
  const inner = readOctets(contents, 'MMS PDU')
  const id = takeElement(inner, 'invokeID')
  const service = inner.take(inner.remaining(), 'service')
  adopt(reader, inner.finish(service))
  return { invokeId: readInteger(reader, id, 'invokeID'), service }
}

function takeInitiate(reader: OctetReader, kind: MmsInitiate['kind'], contents: Uint8Array): MmsInitiate {
  const parts = listElements(reader, contents, 'initiate')
  const detail = listInside(reader, findTag(parts, 0xa4), 'initDetail')
  const [size, nesting] = [findTag(parts, 0x80), findTag(parts, 0x83)]
  return {
    kind,
    ...(size !== undefined && { largestPdu: readInteger(reader, size, 'localDetail') }),
    outstandingCalling: readInteger(reader, findTag(parts, 0x81), 'maxServOutstandingCalling'),
    outstandingCalled: readInteger(reader, findTag(parts, 0x82), 'maxServOutstandingCalled'),
    ...(nesting !== undefined && { nesting: readInteger(reader, nesting, 'dataStructureNestingLevel') }),
    version: readInteger(reader, findTag(detail, 0x80), 'versionNumber'),
    parameterSupport: findTag(detail, 0x81)?.contents ?? none,
    servicesSupported: findTag(detail, 0x82)?.contents ?? none,
  }
}

function takeReport(reader: OctetReader, contents: Uint8Array): MmsPdu | undefined {
  const [report] = listElements(reader, contents, 'unconfirmed service')
  if (report?.tag !== 0xa0) return undefined
  const [variables, results] = listElements(reader, report.contents, 'information report')
  return {
    kind: 'information_report',
    variables: takeVariables(reader, variables),
    results: takeResults(reader, results?.contents ?? none),
  }
}
