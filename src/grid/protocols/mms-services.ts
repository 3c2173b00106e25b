/** The services of MMS (ISO 9506-2) that IEC 61850-8-1 uses: names, identity, read, write, and the values of reports. */

import { concatBytes } from '../../base/bytes.ts'
import { encodeAscii } from '../link/ascii.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import {
  type BerElement,
  encodeElement,
  encodeInteger,
  encodeOptional,
  findTag,
  listElements,
  listInside,
  readInteger,
} from './ber.ts'
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

/** Tags of requests and of their responses; identify asks without contents. */
const tags = { getNameList: 0xa1, identify: 0x82, identity: 0xa2, read: 0xa4, write: 0xa5 } as const

const encodeText = (tag: number, value: string) => encodeElement(tag, encodeAscii(value, 'MMS PDU'))
const encodeFlag = (tag: number, value: boolean) => encodeElement(tag, Uint8Array.of(value ? 1 : 0))

const readText = (found: BerElement | undefined) => String.fromCharCode(...(found?.contents ?? []))
const readFlag = ({ contents }: BerElement) => contents[0] !== 0

const none = new Uint8Array(0)

/** Encodes the service of a request, as `encodeMmsPdu` draws it. */
export function encodeRequest(request: MmsRequest): Uint8Array {
  switch (request.service) {
    case 'get_name_list': {
      const { objectClass, domain, continueAfter } = request
      const scope = domain === undefined ? encodeElement(0x80) : encodeText(0x81, domain)
      const after = encodeOptional(continueAfter, (name) => encodeText(0x82, name))
      return encodeElement(
        tags.getNameList,
        encodeElement(0xa0, encodeInteger(0x80, objectClass)),
        encodeElement(0xa1, scope),
        ...after,
      )
    }
    case 'identify':
      return encodeElement(tags.identify)
    case 'read': {
      const specification = encodeOptional(request.withSpecification, (value) => encodeFlag(0x80, value))
      return encodeElement(tags.read, ...specification, encodeElement(0xa1, encodeVariables(request.variables)))
    }
    case 'write':
      return encodeElement(
        tags.write,
        encodeVariables(request.variables),
        encodeElement(0xa0, encodeEntries(request.data)),
      )
    case 'other':
      return request.octets
  }
}

/** Encodes the service of a response, as `encodeMmsPdu` draws it. */
export function encodeResponse(response: MmsResponse): Uint8Array {
  switch (response.service) {
    case 'get_name_list': {
      const more = encodeOptional(response.moreFollows, (value) => encodeFlag(0x81, value))
      return encodeElement(
        tags.getNameList,
        encodeElement(0xa0, ...response.names.map((name) => encodeText(0x1a, name))),
        ...more,
      )
    }
    case 'identify':
      return encodeElement(
        tags.identity,
        encodeText(0x80, response.vendor),
        encodeText(0x81, response.model),
        encodeText(0x82, response.revision),
      )
    case 'read': {
      const variables = encodeOptional(response.variables, (names) => encodeElement(0xa0, encodeVariables(names)))
      return encodeElement(tags.read, ...variables, encodeElement(0xa1, encodeResults(response.results)))
    }
    case 'write':
      return encodeElement(
        tags.write,
        ...response.results.map((code) => (code === null ? encodeElement(0x81) : encodeInteger(0x80, code))),
      )
    case 'other':
      return response.octets
  }
}

/** Encodes the variables of a read, a write or a report. */
export function encodeVariables(variables: MmsVariables): Uint8Array {
  if ('list' in variables) return encodeElement(0xa1, encodeName(variables.list))
  return encodeElement(
    0xa0,
    ...variables.names.map((name) => encodeElement(0x30, encodeElement(0xa0, encodeName(name)))),
  )
}

function encodeName(name: MmsName): Uint8Array {
  if (name.scope !== 'domain') return encodeText(name.scope === 'vmd' ? 0x80 : 0x82, name.item)
  return encodeElement(0xa1, encodeText(0x1a, name.domain), encodeText(0x1a, name.item))
}

/** Encodes values and errors behind each other. */
export function encodeResults(results: readonly MmsResult[]): Uint8Array {
  return concatBytes(
    ...results.map((one) => (one.kind === 'failure' ? encodeInteger(0x80, one.code) : encodeEntries([one]))),
  )
}

/** Decodes the service of a request; one that is not read is kept as its octets. */
export function takeRequest(reader: OctetReader, octets: Uint8Array): MmsRequest {
  switch (octets[0]) {
    case tags.identify:
      return { service: 'identify' }
    case tags.getNameList:
      return takeNameRequest(reader, listParts(reader, octets))
    case tags.read:
      return takeReadRequest(reader, listParts(reader, octets))
    case tags.write:
      return takeWriteRequest(reader, listParts(reader, octets))
    default:
      return { service: 'other', octets }
  }
}

function listParts(reader: OctetReader, octets: Uint8Array): readonly BerElement[] {
  const [whole] = listElements(reader, octets, 'service')
  return listInside(reader, whole, 'service')
}

function takeNameRequest(reader: OctetReader, parts: readonly BerElement[]): MmsRequest {
  const [kind] = listInside(reader, findTag(parts, 0xa0), 'objectClass')
  const [scope] = listInside(reader, findTag(parts, 0xa1), 'objectScope')
  const after = findTag(parts, 0x82)
  return {
    service: 'get_name_list',
    objectClass: readInteger(reader, kind, 'objectClass'),
    ...(scope?.tag === 0x81 && { domain: readText(scope) }),
    ...(after !== undefined && { continueAfter: readText(after) }),
  }
}

function takeReadRequest(reader: OctetReader, parts: readonly BerElement[]): MmsRequest {
  const specification = findTag(parts, 0x80)
  const [variables] = listInside(reader, findTag(parts, 0xa1), 'variables')
  return {
    service: 'read',
    ...(specification !== undefined && { withSpecification: readFlag(specification) }),
    variables: takeVariables(reader, variables),
  }
}

function takeWriteRequest(reader: OctetReader, [variables, data]: readonly BerElement[]): MmsRequest {
  return {
    service: 'write',
    variables: takeVariables(reader, variables),
    data: takeEntries(reader, data?.contents ?? none, 0) ?? [],
  }
}

/** Decodes the service of a response; one that is not read is kept as its octets. */
export function takeResponse(reader: OctetReader, octets: Uint8Array): MmsResponse {
  switch (octets[0]) {
    case tags.getNameList:
      return takeNames(reader, listParts(reader, octets))
    case tags.identity:
      return takeIdentity(listParts(reader, octets))
    case tags.read:
      return takeReadResponse(reader, listParts(reader, octets))
    case tags.write:
      return takeWriteResponse(reader, listParts(reader, octets))
    default:
      return { service: 'other', octets }
  }
}

function takeNames(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  const names = listInside(reader, findTag(parts, 0xa0), 'name')
  const more = findTag(parts, 0x81)
  return {
    service: 'get_name_list',
    names: names.map(readText),
    ...(more !== undefined && { moreFollows: readFlag(more) }),
  }
}

function takeIdentity(parts: readonly BerElement[]): MmsResponse {
  const readPart = (tag: number) => readText(findTag(parts, tag))
  return { service: 'identify', vendor: readPart(0x80), model: readPart(0x81), revision: readPart(0x82) }
}

function takeReadResponse(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  const named = findTag(parts, 0xa0)
  const [variables] = listInside(reader, named, 'variables')
  return {
    service: 'read',
    ...(named !== undefined && { variables: takeVariables(reader, variables) }),
    results: takeResults(reader, findTag(parts, 0xa1)?.contents ?? none),
  }
}

function takeWriteResponse(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  return {
    service: 'write',
    results: parts.map((one) => (one.tag === 0x81 ? null : readInteger(reader, one, 'failure'))),
  }
}

/** Takes the variables of a read, a write or a report. Faults: `unsupported`, `value`. */
export function takeVariables(reader: OctetReader, found: BerElement | undefined): MmsVariables {
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

/** Takes values and errors that follow each other. */
export function takeResults(reader: OctetReader, contents: Uint8Array): readonly MmsResult[] {
  return listElements(reader, contents, 'accessResult').flatMap((one): readonly MmsResult[] => {
    if (one.tag === 0x80) return [{ kind: 'failure', code: readInteger(reader, one, 'failure') }]
    return takeEntries(reader, encodeElement(one.tag, one.contents), 0) ?? []
  })
}
