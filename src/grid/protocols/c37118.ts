/** IEEE C37.118.2 synchrophasor frames: data, header, configurations 1 and 2, commands. */

import { decodeAscii, encodeAscii } from '../link/ascii.ts'
import { namesByCode } from '../link/codec.ts'
import { type Decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { type C37118Configuration, putConfiguration, refuseC37118, takeConfiguration } from './c37118-configuration.ts'
import { type C37118Measurement, putData, takeData } from './c37118-data.ts'
import { crcCcitt } from './crc.ts'

/** The ports that the standard gives (clause E.2); dissectors know the protocol by them. */
export const c37118Port = { tcp: 4712, udp: 4713 } as const

/** Command words (table 15). */
export const c37118Command = {
  data_off: 1,
  data_on: 2,
  send_header: 3,
  send_configuration_1: 4,
  send_configuration_2: 5,
  send_configuration_3: 6,
  extended: 8,
} as const

/** The name of a command. */
export type C37118CommandName = keyof typeof c37118Command

/** Second of century and fraction, with the message time quality octet (clause 6.2.2). */
export interface C37118Time {
  readonly seconds: number
  /** Counts of 1 / TIME_BASE s, 24 bits. */
  readonly fraction: number
  readonly quality: number
}

/** One frame; `idCode` names the stream. */
export type C37118Frame = { readonly idCode: number; readonly time: C37118Time } & (
  | { readonly kind: 'data'; readonly pmus: readonly C37118Measurement[] }
  | { readonly kind: 'header'; readonly text: string }
  | { readonly kind: 'configuration_1' | 'configuration_2'; readonly configuration: C37118Configuration }
  | { readonly kind: 'command'; readonly command: C37118CommandName; readonly extension: Uint8Array }
)

/** Converts integer microseconds since the Unix epoch to a frame's time. */
export function toC37118Time(timeUs: number, timeBase = 1_000_000, quality = 0): C37118Time {
  const seconds = Math.floor(timeUs / 1e6)
  return { seconds, fraction: Math.floor(((timeUs - seconds * 1e6) * timeBase) / 1e6), quality }
}

/** Converts a frame's time to microseconds since the Unix epoch. */
export function fromC37118Time(time: C37118Time, timeBase = 1_000_000): number {
  return time.seconds * 1e6 + Math.round((time.fraction * 1e6) / timeBase)
}

/**
 * Encodes one frame.
 *
 * ```
 *  0   2  BE   SYNC: AA, then type << 4 (data 0, header 1, CFG-1 2, CFG-2 3, command 4) + version 1
 *  2   2  BE   FRAMESIZE: all octets with the CRC
 *  4   2  BE   IDCODE of the stream
 *  6   4  BE   SOC: Unix seconds
 * 10   4  BE   FRACSEC: quality 1, fraction 3
 * 14   .       data, per PMU: STAT 2; phasors (float 4 + 4, integer 2 + 2: magnitude and angle in rad or
 *              10^-4 rad, or real and imaginary); FREQ (float Hz 4, integer mHz from nominal 2);
 *              DFREQ (float Hz/s 4, integer 10^-2 Hz/s 2); analogues (4 or 2); digitals 2 each
 *              configuration: TIME_BASE 4, NUM_PMU 2, per PMU: STN 16, IDCODE 2, FORMAT 2, PHNMR 2, ANNMR 2,
 *              DGNMR 2, CHNAM 16 each (16 per digital word), PHUNIT 4 each, ANUNIT 4 each, DIGUNIT 4 each,
 *              FNOM 2, CFGCNT 2; then DATA_RATE 2
 *              header: ASCII · command: CMD 2, extension
 *  .   2  BE   CRC-CCITT of everything before
 * ```
 *
 * Source: IEEE C37.118.2-2011 clause 6.
 *
 * @param configuration - needed for data frames: their values lie as it says.
 * @throws GridError malformed_frame when a value does not fit or a data frame does not match its configuration.
 */
export function encodeC37118(frame: C37118Frame, configuration?: C37118Configuration): Uint8Array {
  const writer = writeOctets('C37.118 frame')
    .u8(0xaa, 'SYNC')
    .u8(typeCodes[frame.kind] * 16 + 1, 'SYNC')
    .u16(0, 'FRAMESIZE')
    .u16(frame.idCode, 'IDCODE')
    .u32(frame.time.seconds, 'SOC')
    .u8(frame.time.quality, 'time quality')
    .u24(frame.time.fraction, 'FRACSEC')
  if (frame.kind === 'data') putData(writer, frame.pmus, configuration)
  else if (frame.kind === 'header') writer.bytes(encodeAscii(frame.text, 'C37.118 frame'))
  else if (frame.kind === 'command') writer.u16(c37118Command[frame.command], 'CMD').bytes(frame.extension)
  else putConfiguration(writer, frame.configuration)
  const bytes = writer.u16(0, 'CRC').done()
  if (bytes.length > 0xffff) throw refuseC37118(`${bytes.length} octets do not fit FRAMESIZE`)
  const view = new DataView(bytes.buffer)
  view.setUint16(2, bytes.length)
  view.setUint16(bytes.length - 2, crcCcitt(bytes.subarray(0, -2)))
  return bytes
}

/**
 * Decodes one frame, the whole of `bytes`. Faults: `truncated`, `trailing`, `protocol` (SYNC), `length`, `checksum`,
 * `unsupported` (type, command, data without a configuration), `value`.
 */
export function decodeC37118(bytes: Uint8Array, configuration?: C37118Configuration): Decoded<C37118Frame> {
  const reader = readOctets(bytes.subarray(0, Math.max(14, bytes.length - 2)), 'C37.118 frame')
  const sync = reader.u16('SYNC')
  if (sync >>> 8 !== 0xaa) reader.fail('protocol', 'SYNC', 'first octet is not AA', 0)
  const size = reader.u16('FRAMESIZE')
  if (size !== bytes.length || size < 16) {
    reader.fail('length', 'FRAMESIZE', `FRAMESIZE is ${size}, ${bytes.length} octets are there`, 2)
  }
  const idCode = reader.u16('IDCODE')
  const seconds = reader.u32('SOC')
  const quality = reader.u8('time quality')
  const time = { seconds, fraction: reader.u24('FRACSEC'), quality }
  const check = bytes.subarray(-2)
  if (!reader.failed() && crcCcitt(bytes.subarray(0, -2)) !== (check[0] ?? 0) * 256 + (check[1] ?? 0)) {
    reader.fail('checksum', 'CRC', 'CRC does not match the frame', bytes.length - 2)
  }
  const body = takeBody(reader, (sync >>> 4) & 7, configuration)
  return body === undefined ? reader.refuse() : reader.finish({ idCode, time, ...body })
}

const typeCodes = { data: 0, header: 1, configuration_1: 2, configuration_2: 3, command: 4 } as const

type Body<Frame = C37118Frame> = Frame extends unknown ? Omit<Frame, 'idCode' | 'time'> : never

function takeBody(reader: OctetReader, type: number, configuration: C37118Configuration | undefined): Body | undefined {
  switch (type) {
    case typeCodes.data: {
      const pmus = takeData(reader, configuration)
      return pmus && { kind: 'data', pmus }
    }
    case typeCodes.header:
      return { kind: 'header', text: decodeAscii(reader, reader.take(reader.remaining(), 'header'), 'header') }
    case typeCodes.configuration_1:
      return { kind: 'configuration_1', configuration: takeConfiguration(reader) }
    case typeCodes.configuration_2:
      return { kind: 'configuration_2', configuration: takeConfiguration(reader) }
    case typeCodes.command: {
      const code = reader.u16('CMD')
      const command = commandNames.get(code)
      if (command === undefined) {
        reader.fail('unsupported', 'CMD', `command ${code} is not one that we read`, 14)
        return undefined
      }
      return { kind: 'command', command, extension: reader.take(reader.remaining(), 'extension') }
    }
    default:
      reader.fail('unsupported', 'SYNC', `frame type ${type} is not one that we read`, 1)
      return undefined
  }
}

const commandNames = namesByCode(c37118Command, (code) => code)
