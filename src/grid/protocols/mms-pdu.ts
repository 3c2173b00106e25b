/** PDUs of MMS (ISO 9506-2) as IEC 61850-8-1 uses them: association, names, read, write, reports. */

import { encodeAscii } from '../link/ascii.ts'
import { namesByCode } from '../link/codec.ts'
import { adopt, type Decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { type BerElement, fromIntegerOctets, putElement, takeElement, toIntegerOctets } from './ber.ts'
import { encodeEntries, type MmsData, takeEntries } from './mms-data.ts'

/** The name of a variable or a list of variables. */
export type MmsName =
  | { readonly scope: 'vmd' | 'association'; readonly item: string }
  | { readonly scope: 'domain'; readonly domain: string; readonly item: string }

/** The variables of a read, a write or a report. */
export type MmsVariables = { readonly names: readonly MmsName[] } | { readonly list: MmsName }

/** A value that was read, or the code of the error in its place (ISO 9506-2 DataAccessError). */
export type MmsResult = MmsData | { readonly kind: 'failure'; readonly code: number }

/** A request of a client; other services are kept as their octets. */
export type MmsRequest =
  | {
      readonly service: 'get_name_list'
      /** 0 a named variable, 2 a list of variables, 9 a domain. */
      readonly objectClass: number
      /** A domain; undefined for the whole device. */
      readonly domain?: string
      readonly continueAfter?: string
    }
  | { readonly service: 'identify' }
  | { readonly service: 'read'; readonly withSpecification?: boolean; readonly variables: MmsVariables }
  | { readonly service: 'write'; readonly variables: MmsVariables; readonly data: readonly MmsData[] }
  | { readonly service: 'other'; readonly octets: Uint8Array }

/** An answer of a server. */
export type MmsResponse =
  | { readonly service: 'get_name_list'; readonly names: readonly string[]; readonly moreFollows?: boolean }
  | { readonly service: 'identify'; readonly vendor: string; readonly model: string; readonly revision: string }
  | { readonly service: 'read'; readonly variables?: MmsVariables; readonly results: readonly MmsResult[] }
  /** The code of an error, or null for success, for each variable. */
  | { readonly service: 'write'; readonly results: readonly (number | null)[] }
  | { readonly service: 'other'; readonly octets: Uint8Array }

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

const element = (tag: number, ...contents: readonly Uint8Array[]): Uint8Array => {
  const inner = writeOctets('MMS PDU')
  for (const part of contents) inner.bytes(part)
  return putElement(writeOctets('MMS PDU'), tag, inner.done()).done()
}
const integer = (tag: number, value: number) => element(tag, toIntegerOctets(value))
const text = (tag: number, value: string) => element(tag, encodeAscii(value, 'MMS PDU'))
const flag = (tag: number, value: boolean) => element(tag, Uint8Array.of(value ? 1 : 0))
/** A part that may be absent. */
const optional = <Value>(value: Value | undefined, write: (value: Value) => Uint8Array): readonly Uint8Array[] =>
  value === undefined ? [] : [write(value)]

const none = new Uint8Array(0)

/** Tags of the PDUs that are not about one service. */
const tags = {
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
      return element(0xa0, integer(0x02, pdu.invokeId), encodeRequest(pdu.request))
    case 'confirmed_response':
      return element(0xa1, integer(0x02, pdu.invokeId), encodeResponse(pdu.response))
    case 'information_report':
      return element(
        0xa3,
        element(0xa0, encodeVariables(pdu.variables), element(0xa0, ...pdu.results.map(encodeResult))),
      )
    case 'conclude_request':
    case 'conclude_response':
      return element(tags[pdu.kind])
    case 'other':
      return pdu.octets
    default:
      return element(
        tags[pdu.kind],
        ...optional(pdu.largestPdu, (size) => integer(0x80, size)),
        integer(0x81, pdu.outstandingCalling),
        integer(0x82, pdu.outstandingCalled),
        ...optional(pdu.nesting, (levels) => integer(0x83, levels)),
        element(
          0xa4,
          integer(0x80, pdu.version),
          element(0x81, pdu.parameterSupport),
          element(0x82, pdu.servicesSupported),
        ),
      )
  }
}

function encodeRequest(request: MmsRequest): Uint8Array {
  switch (request.service) {
    case 'get_name_list': {
      const { objectClass, domain, continueAfter } = request
      const scope = domain === undefined ? element(0x80) : text(0x81, domain)
      const after = optional(continueAfter, (name) => text(0x82, name))
      return element(0xa1, element(0xa0, integer(0x80, objectClass)), element(0xa1, scope), ...after)
    }
    case 'identify':
      return element(0x82)
    case 'read': {
      const specification = optional(request.withSpecification, (value) => flag(0x80, value))
      return element(0xa4, ...specification, element(0xa1, encodeVariables(request.variables)))
    }
    case 'write':
      return element(0xa5, encodeVariables(request.variables), element(0xa0, encodeEntries(request.data)))
    case 'other':
      return request.octets
  }
}

function encodeResponse(response: MmsResponse): Uint8Array {
  switch (response.service) {
    case 'get_name_list': {
      const more = optional(response.moreFollows, (value) => flag(0x81, value))
      return element(0xa1, element(0xa0, ...response.names.map((name) => text(0x1a, name))), ...more)
    }
    case 'identify':
      return element(0xa2, text(0x80, response.vendor), text(0x81, response.model), text(0x82, response.revision))
    case 'read': {
      const variables = optional(response.variables, (names) => element(0xa0, encodeVariables(names)))
      return element(0xa4, ...variables, element(0xa1, ...response.results.map(encodeResult)))
    }
    case 'write':
      return element(0xa5, ...response.results.map((code) => (code === null ? element(0x81) : integer(0x80, code))))
    case 'other':
      return response.octets
  }
}

function encodeVariables(variables: MmsVariables): Uint8Array {
  if ('list' in variables) return element(0xa1, encodeName(variables.list))
  return element(0xa0, ...variables.names.map((name) => element(0x30, element(0xa0, encodeName(name)))))
}

function encodeName(name: MmsName): Uint8Array {
  if (name.scope !== 'domain') return text(name.scope === 'vmd' ? 0x80 : 0x82, name.item)
  return element(0xa1, text(0x1a, name.domain), text(0x1a, name.item))
}

function encodeResult(result: MmsResult): Uint8Array {
  return result.kind === 'failure' ? integer(0x80, result.code) : encodeEntries([result])
}

/** Decodes a PDU. Faults: `truncated`, `length`, `value`, `unsupported` (a kind of data, or of names). */
export function decodeMmsPdu(octets: Uint8Array): Decoded<MmsPdu> {
  const reader = readOctets(octets, 'MMS PDU')
  const { tag, contents } = takeElement(reader, 'PDU')
  const pdu = reader.failed() ? undefined : takePdu(reader, tag, contents, octets)
  return reader.finish(pdu ?? { kind: 'other', octets })
}

const kindsByTag = namesByCode(tags, (tag) => tag)

function takePdu(reader: OctetReader, tag: number, contents: Uint8Array, octets: Uint8Array): MmsPdu {
  const kind = kindsByTag.get(tag)
  if (kind === 'conclude_request' || kind === 'conclude_response') return { kind }
  if (kind !== undefined) return takeInitiate(reader, kind, contents)
  if (tag === 0xa3) return takeReport(reader, contents, octets)
  if (tag !== 0xa0 && tag !== 0xa1) return { kind: 'other', octets }
  const [id, service] = takeTwo(reader, contents)
  const invokeId = readNumber(reader, id, 'invokeID')
  return tag === 0xa0
    ? { kind: 'confirmed_request', invokeId, request: takeRequest(reader, service) }
    : { kind: 'confirmed_response', invokeId, response: takeResponse(reader, service) }
}

/** The invoke id, and what follows it: services of high tags are not read as elements. */
function takeTwo(reader: OctetReader, contents: Uint8Array): readonly [BerElement, Uint8Array] {
  const inner = readOctets(contents, 'MMS PDU')
  const id = takeElement(inner, 'invokeID')
  const rest = inner.take(inner.remaining(), 'service')
  adopt(reader, inner.finish(rest))
  return [id, rest]
}

function listElements(reader: OctetReader, contents: Uint8Array, field: string): readonly BerElement[] {
  const inner = readOctets(contents, 'MMS PDU')
  const found: BerElement[] = []
  while (inner.remaining() > 0 && !inner.failed()) found.push(takeElement(inner, field))
  return adopt(reader, inner.finish(found)) ?? []
}

/** The elements inside one; none where it is missing. */
function listInside(reader: OctetReader, found: BerElement | undefined, field: string): readonly BerElement[] {
  return listElements(reader, found?.contents ?? none, field)
}

function readNumber(reader: OctetReader, found: BerElement | undefined, field: string): number {
  const value = found === undefined ? undefined : fromIntegerOctets(found.contents)
  if (value === undefined) reader.fail('value', field, `${field} is missing or is not an integer`)
  return value ?? 0
}

const readText = (found: BerElement | undefined) => String.fromCharCode(...(found?.contents ?? []))
const findTag = (elements: readonly BerElement[], tag: number) => elements.find((one) => one.tag === tag)

function takeInitiate(reader: OctetReader, kind: MmsInitiate['kind'], contents: Uint8Array): MmsInitiate {
  const parts = listElements(reader, contents, 'initiate')
  const detail = listInside(reader, findTag(parts, 0xa4), 'initDetail')
  const [size, nesting] = [findTag(parts, 0x80), findTag(parts, 0x83)]
  return {
    kind,
    ...(size !== undefined && { largestPdu: readNumber(reader, size, 'localDetail') }),
    outstandingCalling: readNumber(reader, findTag(parts, 0x81), 'maxServOutstandingCalling'),
    outstandingCalled: readNumber(reader, findTag(parts, 0x82), 'maxServOutstandingCalled'),
    ...(nesting !== undefined && { nesting: readNumber(reader, nesting, 'dataStructureNestingLevel') }),
    version: readNumber(reader, findTag(detail, 0x80), 'versionNumber'),
    parameterSupport: findTag(detail, 0x81)?.contents ?? none,
    servicesSupported: findTag(detail, 0x82)?.contents ?? none,
  }
}

function takeReport(reader: OctetReader, contents: Uint8Array, octets: Uint8Array): MmsPdu {
  const [report] = listElements(reader, contents, 'unconfirmed service')
  if (report?.tag !== 0xa0) return { kind: 'other', octets }
  const [variables, results] = listElements(reader, report.contents, 'information report')
  return {
    kind: 'information_report',
    variables: takeVariables(reader, variables),
    results: takeResults(reader, results?.contents ?? none),
  }
}

function takeRequest(reader: OctetReader, octets: Uint8Array): MmsRequest {
  const tag = octets[0] ?? 0
  if (tag === 0x82) return { service: 'identify' }
  if (tag !== 0xa1 && tag !== 0xa4 && tag !== 0xa5) return { service: 'other', octets }
  const [whole] = listElements(reader, octets, 'service')
  const parts = listInside(reader, whole, 'service')
  if (tag === 0xa1) return takeNameRequest(reader, parts)
  if (tag === 0xa4) {
    const specification = findTag(parts, 0x80)
    const [variables] = listInside(reader, findTag(parts, 0xa1), 'variables')
    return {
      service: 'read',
      ...(specification !== undefined && { withSpecification: specification.contents[0] !== 0 }),
      variables: takeVariables(reader, variables),
    }
  }
  const [variables, data] = parts
  return {
    service: 'write',
    variables: takeVariables(reader, variables),
    data: takeEntries(reader, data?.contents ?? none, 0) ?? [],
  }
}

function takeNameRequest(reader: OctetReader, parts: readonly BerElement[]): MmsRequest {
  const [kind] = listInside(reader, findTag(parts, 0xa0), 'objectClass')
  const [scope] = listInside(reader, findTag(parts, 0xa1), 'objectScope')
  const after = findTag(parts, 0x82)
  return {
    service: 'get_name_list',
    objectClass: readNumber(reader, kind, 'objectClass'),
    ...(scope?.tag === 0x81 && { domain: readText(scope) }),
    ...(after !== undefined && { continueAfter: readText(after) }),
  }
}

function takeResponse(reader: OctetReader, octets: Uint8Array): MmsResponse {
  const tag = octets[0] ?? 0
  if (tag !== 0xa1 && tag !== 0xa2 && tag !== 0xa4 && tag !== 0xa5) return { service: 'other', octets }
  const [whole] = listElements(reader, octets, 'service')
  const parts = listInside(reader, whole, 'service')
  if (tag === 0xa1) {
    const names = listInside(reader, findTag(parts, 0xa0), 'name')
    const more = findTag(parts, 0x81)
    return {
      service: 'get_name_list',
      names: names.map(readText),
      ...(more !== undefined && { moreFollows: more.contents[0] !== 0 }),
    }
  }
  if (tag === 0xa2) {
    const [vendor = '', model = '', revision = ''] = [0x80, 0x81, 0x82].map((one) => readText(findTag(parts, one)))
    return { service: 'identify', vendor, model, revision }
  }
  if (tag === 0xa5) {
    const read = (one: BerElement) => (one.tag === 0x81 ? null : readNumber(reader, one, 'failure'))
    return { service: 'write', results: parts.map(read) }
  }
  const named = findTag(parts, 0xa0)
  const [variables] = listInside(reader, named, 'variables')
  return {
    service: 'read',
    ...(named !== undefined && { variables: takeVariables(reader, variables) }),
    results: takeResults(reader, findTag(parts, 0xa1)?.contents ?? none),
  }
}

function takeVariables(reader: OctetReader, found: BerElement | undefined): MmsVariables {
  if (found?.tag === 0xa1) {
    const [name] = listElements(reader, found.contents, 'variableListName')
    return { list: takeName(reader, name) }
  }
  if (found?.tag !== 0xa0) reader.fail('unsupported', 'variables', 'the variables are neither names nor a list')
  const items = listInside(reader, found, 'listOfVariable')
  const names = items.map(({ contents }) => {
    const [specification, more] = listElements(reader, contents, 'variable')
    const isName = specification?.tag === 0xa0 && more === undefined
    if (!isName) reader.fail('unsupported', 'variable', 'a variable is not given by its name alone')
    const [name] = listInside(reader, specification, 'name')
    return takeName(reader, name)
  })
  return { names }
}

function takeName(reader: OctetReader, found: BerElement | undefined): MmsName {
  if (found?.tag === 0x80 || found?.tag === 0x82) {
    return { scope: found.tag === 0x80 ? 'vmd' : 'association', item: readText(found) }
  }
  if (found?.tag !== 0xa1) reader.fail('value', 'objectName', 'an object name has another tag, expected 80, A1 or 82')
  const [domain, item] = listInside(reader, found, 'objectName')
  return { scope: 'domain', domain: readText(domain), item: readText(item) }
}

function takeResults(reader: OctetReader, contents: Uint8Array): readonly MmsResult[] {
  return listElements(reader, contents, 'accessResult').flatMap((one): readonly MmsResult[] => {
    if (one.tag === 0x80) return [{ kind: 'failure', code: readNumber(reader, one, 'failure') }]
    return takeEntries(reader, element(one.tag, one.contents), 0) ?? []
  })
}
