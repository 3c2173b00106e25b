/** Requests of MMS (ISO 9506-2) that IEC 61850-8-1 uses: names, identity, read and write. */

import type { OctetReader } from '../../link/octet-reader.ts'
import {
  type BerElement,
  encodeElement,
  encodeInteger,
  encodeOptional,
  findTag,
  listInside,
  readInteger,
} from '../ber.ts'
import { encodeEntries, type MmsData, takeEntries } from '../mms-data.ts'
import { encodeFlag, encodeText, listParts, readFlag, readText, serviceTags } from './fields.ts'
import { encodeVariables, type MmsVariables, takeVariables } from './variables.ts'

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

/** Encodes the service of a request, as `encodeMmsPdu` draws it. */
export function encodeRequest(request: MmsRequest): Uint8Array {
  switch (request.service) {
    case 'get_name_list': {
      const { objectClass, domain, continueAfter } = request
      const scope = domain === undefined ? encodeElement(0x80) : encodeText(0x81, domain)
      const after = encodeOptional(continueAfter, (name) => encodeText(0x82, name))
      return encodeElement(
        serviceTags.getNameList,
        encodeElement(0xa0, encodeInteger(0x80, objectClass)),
        encodeElement(0xa1, scope),
        ...after,
      )
    }
    case 'identify':
      return encodeElement(serviceTags.identify)
    case 'read': {
      const specification = encodeOptional(request.withSpecification, (value) => encodeFlag(0x80, value))
      return encodeElement(serviceTags.read, ...specification, encodeElement(0xa1, encodeVariables(request.variables)))
    }
    case 'write':
      return encodeElement(
        serviceTags.write,
        encodeVariables(request.variables),
        encodeElement(0xa0, encodeEntries(request.data)),
      )
    case 'other':
      return request.octets
  }
}

/** Decodes the service of a request; one that is not read is kept as its octets. */
export function takeRequest(reader: OctetReader, octets: Uint8Array): MmsRequest {
  switch (octets[0]) {
    case serviceTags.identify:
      return { service: 'identify' }
    case serviceTags.getNameList:
      return takeNameRequest(reader, listParts(reader, octets))
    case serviceTags.read:
      return takeReadRequest(reader, listParts(reader, octets))
    case serviceTags.write:
      return takeWriteRequest(reader, listParts(reader, octets))
    default:
      return { service: 'other', octets }
  }
}

function takeNameRequest(reader: OctetReader, parts: readonly BerElement[]): MmsRequest {
  const [kind] = listInside(reader, findTag(parts, 0xa0), 'objectClass')
  const [scope] = listInside(reader, findTag(parts, 0xa1), 'objectScope')
  const after = findTag(parts, 0x82)
  return {
    service: 'get_name_list',
    objectClass: readInteger(reader, kind, 'objectClass'),
    ...(scope?.tag === 0x81 && { domain: readText(reader, scope) }),
    ...(after !== undefined && { continueAfter: readText(reader, after) }),
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
    data: takeEntries(reader, data?.contents ?? new Uint8Array(), 0) ?? [],
  }
}
