/** The Network Time Protocol: requests of clients and answers of servers, without extensions. */

import { type Codec, type CodecValue, fields, number } from '../link/codec.ts'
import { type Decoded, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'

/** UDP port of a server, and of clients that use it at both ends. */
export const ntpPort = 123

/** Modes of a packet; broadcasts, symmetric peers and control messages are not read. */
const modes = { client: 3, server: 4 } as const

/** Seconds from the first day of 1900 to that of 1970. */
const epochSeconds = 2_208_988_800

/** Seconds, and the fraction in units of 2^-32 s. */
const time = fields({ seconds: number('u32', 'seconds'), fraction: number('u32', 'fraction') })

/** A time since 1900, both parts modulo 2^32; zero for one that is unknown. */
export type NtpTime = CodecValue<typeof time>

/** An exponent of 2, -128 to 127. */
function exponent(field: string): Codec<number> {
  return { put: (writer, value) => writer.u8(value & 0xff, field), take: (reader) => (reader.u8(field) << 24) >> 24 }
}

/** The fields behind the first octet. */
const body = fields({
  /** 1 for a server with a reference clock; 0 in a request. */
  stratum: number('u8', 'stratum'),
  /** Seconds between two requests, and the resolution of the clock. */
  poll: exponent('poll'),
  precision: exponent('precision'),
  /** In units of 2^-16 s. */
  rootDelay: number('u32', 'root delay'),
  rootDispersion: number('u32', 'root dispersion'),
  /** Four octets as a number: letters such as `GPS` for a server of stratum 1, an address below it. */
  referenceId: number('u32', 'reference identifier'),
  reference: time,
  origin: time,
  receive: time,
  transmit: time,
})

/** One packet; `leap` is 0 to 2 for a leap second, 3 for a clock that was never set. */
export type NtpPacket = CodecValue<typeof body> & {
  readonly leap: number
  readonly version: number
  readonly mode: keyof typeof modes
}

/** The time that a packet leaves out. */
export const noNtpTime: NtpTime = { seconds: 0, fraction: 0 }

/** Converts integer microseconds since the Unix epoch; the seconds begin again at 0 in 2036. */
export function toNtpTime(timeUs: number): NtpTime {
  const seconds = Math.floor(timeUs / 1e6)
  const fraction = Math.floor(((timeUs - seconds * 1e6) * 2 ** 32) / 1e6)
  return { seconds: (seconds + epochSeconds) % 2 ** 32, fraction }
}

/**
 * Encodes one packet, the 48 octets that `decodeNtp` draws.
 *
 * @throws GridError malformed_frame when a number does not fit.
 */
export function encodeNtp(packet: NtpPacket): Uint8Array {
  const { leap, version, mode } = packet
  const writer = writeOctets('NTP packet').u8((leap << 6) | (version << 3) | modes[mode], 'flags')
  body.put(writer, packet)
  return writer.done()
}

/**
 * Decodes one packet.
 *
 * ```
 *  0   1       leap(2) version(3) mode(3): 3 client, 4 server
 *  1   1       stratum
 *  2   1       poll, signed exponent
 *  3   1       precision, signed exponent
 *  4   4  BE   root delay, 16.16
 *  8   4  BE   root dispersion, 16.16
 * 12   4       reference identifier
 * 16   8  BE   reference time, 32.32
 * 24   8  BE   origin time
 * 32   8  BE   receive time
 * 40   8  BE   transmit time
 * ```
 *
 * Source: RFC 5905 section 7.3.
 * Faults: `truncated`, `trailing`, `unsupported`.
 */
export function decodeNtp(bytes: Uint8Array): Decoded<NtpPacket> {
  const reader = readOctets(bytes, 'NTP packet')
  const flags = reader.u8('flags')
  const [version, mode] = [(flags >>> 3) & 7, flags & 7]
  if (version < 1 || version > 4) reader.fail('unsupported', 'version', `version is ${version}, expected 1 to 4`)
  if (mode !== modes.client && mode !== modes.server) {
    reader.fail('unsupported', 'mode', `mode is ${mode}, expected 3 (client) or 4 (server)`)
  }
  const name = mode === modes.client ? 'client' : 'server'
  return reader.finish({ leap: flags >>> 6, version, mode: name, ...body.take(reader) })
}
