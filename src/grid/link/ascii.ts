/** Printable ASCII in frames, characters 32 to 126. */

import { GridError } from '../errors.ts'
import type { OctetReader } from './octet-reader.ts'

/**
 * Encodes a text; `what` is the frame that holds it.
 *
 * @throws GridError malformed_frame when it has other characters.
 */
export function encodeAscii(text: string, what: string): Uint8Array {
  if (!/^[\x20-\x7e]*$/.test(text)) {
    throw new GridError('malformed_frame', `Cannot encode ${what}: text "${text}" holds more than ASCII`)
  }
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** Decodes the octets of a field. Fault: `value`. */
export function decodeAscii(reader: OctetReader, octets: Uint8Array, field: string): string {
  if (octets.some((octet) => octet < 0x20 || octet > 0x7e)) {
    reader.fail('value', field, `${field} holds more than ASCII`)
  }
  let text = ''
  for (const octet of octets) text += String.fromCharCode(octet)
  return text
}
