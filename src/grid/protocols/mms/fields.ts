/** Fields that the services of MMS share: their tags, texts, flags and parts. */

import { decodeAscii, encodeAscii } from '../../link/ascii.ts'
import type { OctetReader } from '../../link/octet-reader.ts'
import { type BerElement, encodeElement, listElements, listInside } from '../ber.ts'

/** Tags of requests and of their responses; identify asks without contents. */
export const serviceTags = { getNameList: 0xa1, identify: 0x82, identity: 0xa2, read: 0xa4, write: 0xa5 } as const

/** Encodes ASCII as an element. */
export function encodeText(tag: number, value: string): Uint8Array {
  return encodeElement(tag, encodeAscii(value, 'MMS PDU'))
}

/** Encodes a flag as an element of one octet. */
export function encodeFlag(tag: number, value: boolean): Uint8Array {
  return encodeElement(tag, Uint8Array.of(value ? 1 : 0))
}

/** Reads an element as ASCII; empty where it is missing. Fault: `value`. */
export function readText(reader: OctetReader, found: BerElement | undefined): string {
  return decodeAscii(reader, found?.contents ?? new Uint8Array(0), 'text')
}

/** Reads an element as a flag. */
export function readFlag({ contents }: BerElement): boolean {
  return contents[0] !== 0
}

/** Lists the parts of a service. */
export function listParts(reader: OctetReader, octets: Uint8Array): readonly BerElement[] {
  const [whole] = listElements(reader, octets, 'service')
  return listInside(reader, whole, 'service')
}
