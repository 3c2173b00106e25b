/** Responses of MMS (ISO 9506-2) to the requests that IEC 61850-8-1 uses. */

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
import { encodeFlag, encodeText, listParts, readFlag, readText, serviceTags } from './fields.ts'
import {
  encodeResults,
  encodeVariables,
  type MmsResult,
  type MmsVariables,
  takeResults,
  takeVariables,
} from './variables.ts'

/** An answer of a server. */
export type MmsResponse =
  | { readonly service: 'get_name_list'; readonly names: readonly string[]; readonly moreFollows?: boolean }
  | { readonly service: 'identify'; readonly vendor: string; readonly model: string; readonly revision: string }
  | { readonly service: 'read'; readonly variables?: MmsVariables; readonly results: readonly MmsResult[] }
  /** The code of an error, or null for success, for each variable. */
  | { readonly service: 'write'; readonly results: readonly (number | null)[] }
  | { readonly service: 'other'; readonly octets: Uint8Array }

/** Encodes the service of a response, as `encodeMmsPdu` draws it. */
export function encodeResponse(response: MmsResponse): Uint8Array {
  switch (response.service) {
    case 'get_name_list': {
      const more = encodeOptional(response.moreFollows, (value) => encodeFlag(0x81, value))
      return encodeElement(
        serviceTags.getNameList,
        encodeElement(0xa0, ...response.names.map((name) => encodeText(0x1a, name))),
        ...more,
      )
    }
    case 'identify':
      return encodeElement(
        serviceTags.identity,
        encodeText(0x80, response.vendor),
        encodeText(0x81, response.model),
        encodeText(0x82, response.revision),
      )
    case 'read': {
      const variables = encodeOptional(response.variables, (names) => encodeElement(0xa0, encodeVariables(names)))
      return encodeElement(serviceTags.read, ...variables, encodeElement(0xa1, encodeResults(response.results)))
    }
    case 'write':
      return encodeElement(
        serviceTags.write,
        ...response.results.map((code) => (code === null ? encodeElement(0x81) : encodeInteger(0x80, code))),
      )
    case 'other':
      return response.octets
  }
}

/** Decodes the service of a response; one that is not read is kept as its octets. */
export function takeResponse(reader: OctetReader, octets: Uint8Array): MmsResponse {
  switch (octets[0]) {
    case serviceTags.getNameList:
      return takeNames(reader, listParts(reader, octets))
    case serviceTags.identity:
      return takeIdentity(reader, listParts(reader, octets))
    case serviceTags.read:
      return takeReadResponse(reader, listParts(reader, octets))
    case serviceTags.write:
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
    names: names.map((name) => readText(reader, name)),
    ...(more !== undefined && { moreFollows: readFlag(more) }),
  }
}

function takeIdentity(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  const readPart = (tag: number) => readText(reader, findTag(parts, tag))
  return { service: 'identify', vendor: readPart(0x80), model: readPart(0x81), revision: readPart(0x82) }
}

function takeReadResponse(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  const named = findTag(parts, 0xa0)
  const [variables] = listInside(reader, named, 'variables')
  return {
    service: 'read',
    ...(named !== undefined && { variables: takeVariables(reader, variables) }),
    results: takeResults(reader, findTag(parts, 0xa1)?.contents ?? new Uint8Array()),
  }
}

function takeWriteResponse(reader: OctetReader, parts: readonly BerElement[]): MmsResponse {
  return {
    service: 'write',
    results: parts.map((one) => (one.tag === 0x81 ? null : readInteger(reader, one, 'failure'))),
  }
}
