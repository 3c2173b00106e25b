/** Cuts a stream of octets into messages by their lengths; the outstation judges everything else. */

import type { MessageProtocol } from '../protocols/catalogue.ts'

/** Protocols that a master speaks with an outstation or a phasor unit over TCP. */
export type FieldProtocol = Exclude<MessageProtocol, 'GOOSE' | 'SV'>

/** The length of a protocol's messages in octets. */
interface Framing {
  /** Octets at the start of a message that tell its length. */
  readonly head: number
  /** Reads the length; 0 where the octets do not start a message. */
  readonly measure: (octets: Uint8Array) => number
  readonly shortest: number
  readonly longest: number
}

const u16 = (octets: Uint8Array, at: number): number => (octets[at] ?? 0) * 256 + (octets[at + 1] ?? 0)

const framings: Readonly<Record<FieldProtocol, Framing>> = {
  // The length counts from the unit identifier, behind the six octets of the header that tell it.
  Modbus: { head: 6, measure: (octets) => 6 + u16(octets, 4), shortest: 8, longest: 260 },
  IEC104: { head: 2, measure: (octets) => (octets[0] === 0x68 ? 2 + (octets[1] ?? 0) : 0), shortest: 6, longest: 255 },
  // The length counts five octets of the header of ten and the data, without the CRC behind each 16 octets of data.
  DNP3: {
    head: 3,
    measure(octets) {
      const data = (octets[2] ?? 0) - 5
      return u16(octets, 0) === 0x0564 && data >= 0 ? 10 + data + 2 * Math.ceil(data / 16) : 0
    },
    shortest: 10,
    longest: 292,
  },
  // The length of TPKT counts its own header.
  MMS: { head: 4, measure: (octets) => (octets[0] === 3 ? u16(octets, 2) : 0), shortest: 7, longest: 1024 },
  // Masters send commands only, with at most an extended frame.
  'C37.118': { head: 4, measure: (octets) => (octets[0] === 0xaa ? u16(octets, 2) : 0), shortest: 16, longest: 1024 },
}

/** The whole messages at the start of a stream, and what is left; undefined where no length can be found. */
export function cutMessages(
  protocol: FieldProtocol,
  octets: Uint8Array,
): { readonly messages: readonly Uint8Array[]; readonly rest: Uint8Array } | undefined {
  const { head, measure, shortest, longest } = framings[protocol]
  const messages: Uint8Array[] = []
  let rest = octets
  while (rest.length >= head) {
    const length = measure(rest)
    if (length < shortest || length > longest) return undefined
    if (rest.length < length) break
    messages.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return { messages, rest }
}
