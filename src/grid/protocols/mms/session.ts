/** The session of an association (ISO 8327-1): an SPDU with its parameters, of which the last one is the presentation. */

import { type Decoded, type OctetReader, readOctets } from '../../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../../link/octet-writer.ts'

/** A parameter of COTP or of the session: its code, and its octets. */
export interface Parameter {
  readonly code: number
  readonly value: Uint8Array
}

/** Encodes an SPDU of a type, with the presentation behind its parameters. */
export function encodeSession(type: number, parameters: readonly Parameter[], presentation: Uint8Array): Uint8Array {
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

/** Decodes the parameters of an SPDU of any type. */
export function decodeParameters(session: Uint8Array): Decoded<readonly Parameter[]> {
  const reader = readOctets(session, 'session')
  reader.u8('type')
  takeSessionLength(reader)
  return reader.finish(takeParameters(reader, () => takeSessionLength(reader)))
}

/** Takes parameters up to the end, each a code, a length and the value. */
export function takeParameters(reader: OctetReader, nextLength: () => number): readonly Parameter[] {
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
