/** IEEE C37.118.2 synchrophasor frames: data, header, configurations 1 and 2, commands. */

import { GridError } from '../errors.ts'
import { type Decoded, type OctetReader, type OctetWriter, readOctets, writeOctets } from '../link/octets.ts'
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
  /** Unix seconds. */
  readonly seconds: number
  /** Counts of 1 / TIME_BASE s, 24 bits. */
  readonly fraction: number
  readonly quality: number
}

/** How a PMU's values lie in a data frame (FORMAT word of a configuration). */
export interface C37118Format {
  readonly phasors: 'polar' | 'rectangular'
  readonly phasorNumber: 'float' | 'integer'
  readonly analogNumber: 'float' | 'integer'
  readonly frequencyNumber: 'float' | 'integer'
}

/** A phasor channel; `scale` is in 10^-5 V or A per count and matters for integers only (PHUNIT). */
export interface C37118PhasorChannel {
  readonly name: string
  readonly unit: 'volt' | 'ampere'
  readonly scale: number
}

/** An analogue channel (ANUNIT); the meaning of `scale` is the user's, signed 24 bits. */
export interface C37118AnalogChannel {
  readonly name: string
  readonly unit: 'point_on_wave' | 'rms' | 'peak'
  readonly scale: number
}

/** A word of 16 digital channels (DIGUNIT): names from bit 0 up, normal states, and which bits are used. */
export interface C37118DigitalWord {
  readonly names: readonly string[]
  readonly normal: number
  readonly valid: number
}

/** One PMU of a configuration. Names hold at most 16 ASCII characters. */
export interface C37118Pmu {
  readonly stationName: string
  readonly idCode: number
  readonly format: C37118Format
  readonly phasors: readonly C37118PhasorChannel[]
  readonly analogs: readonly C37118AnalogChannel[]
  readonly digitals: readonly C37118DigitalWord[]
  readonly nominalHz: 50 | 60
  readonly configurationCount: number
}

/** What a configuration frame says, and what a data frame needs to be read. */
export interface C37118Configuration {
  /** Counts of the fraction in one second, 24 bits. */
  readonly timeBase: number
  readonly pmus: readonly C37118Pmu[]
  /** Frames per second, or when negative seconds per frame. */
  readonly dataRate: number
}

/** Volts or amperes, and radians; or the real and imaginary parts. */
export type Phasor =
  | { readonly magnitude: number; readonly angle: number }
  | { readonly real: number; readonly imaginary: number }

/** One PMU's block of a data frame. */
export interface C37118Measurement {
  /** The STAT word. */
  readonly status: number
  /** In volts or amperes; encoding converts them to the configured form. */
  readonly phasors: readonly Phasor[]
  readonly frequencyHz: number
  readonly rocofHzPerS: number
  readonly analogs: readonly number[]
  /** One 16-bit word each. */
  readonly digitals: readonly number[]
}

/** One frame; `idCode` names the stream. */
export type C37118Frame = { readonly idCode: number; readonly time: C37118Time } & (
  | { readonly kind: 'data'; readonly pmus: readonly C37118Measurement[] }
  | { readonly kind: 'header'; readonly text: string }
  | {
      readonly kind: 'configuration_1' | 'configuration_2'
      readonly configuration: C37118Configuration
    }
  | { readonly kind: 'command'; readonly command: C37118CommandName; readonly extension: Uint8Array }
)

/** Converts a moment to a frame's time. @param timeUs - integer microseconds since the Unix epoch. */
export function toC37118Time(timeUs: number, timeBase = 1_000_000, quality = 0): C37118Time {
  const seconds = Math.floor(timeUs / 1e6)
  return { seconds, fraction: Math.floor(((timeUs - seconds * 1e6) * timeBase) / 1e6), quality }
}

/** Converts a frame's time to microseconds since the Unix epoch. */
export function fromC37118Time(time: C37118Time, timeBase = 1_000_000): number {
  return time.seconds * 1e6 + Math.round((time.fraction * 1e6) / timeBase)
}

/** Converts a phasor to magnitude and angle in radians, from -pi to pi. */
export function toPolar(phasor: Phasor): { readonly magnitude: number; readonly angle: number } {
  if ('magnitude' in phasor) return phasor
  return {
    magnitude: Math.hypot(phasor.real, phasor.imaginary),
    angle: Math.atan2(phasor.imaginary, phasor.real),
  }
}

/** Converts a phasor to its real and imaginary parts. */
export function toRectangular(phasor: Phasor): { readonly real: number; readonly imaginary: number } {
  if ('real' in phasor) return phasor
  return {
    real: phasor.magnitude * Math.cos(phasor.angle),
    imaginary: phasor.magnitude * Math.sin(phasor.angle),
  }
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
 * @throws GridError `malformed_frame` when a value does not fit or a data frame does not match its configuration.
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
  else if (frame.kind === 'header') putText(writer, frame.text)
  else if (frame.kind === 'command') writer.u16(c37118Command[frame.command], 'CMD').bytes(frame.extension)
  else putConfiguration(writer, frame.configuration)
  const bytes = writer.u16(0, 'CRC').done()
  if (bytes.length > 0xffff) throw refuse(`${bytes.length} octets do not fit FRAMESIZE`)
  const view = new DataView(bytes.buffer)
  view.setUint16(2, bytes.length)
  view.setUint16(bytes.length - 2, crcCcitt(bytes.subarray(0, -2)))
  return bytes
}

/**
 * Decodes one frame, which must be the whole of `bytes`.
 *
 * Faults: `truncated`, `trailing`, `protocol` (SYNC), `length` (FRAMESIZE, or a data body that does not match its
 * configuration), `checksum`, `unsupported` (frame type, command, or data without a configuration), `value`.
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

function refuse(state: string): GridError {
  return new GridError('malformed_frame', `Cannot encode C37.118 frame: ${state}`)
}

function putText(writer: OctetWriter, text: string): void {
  if (!/^[\x20-\x7e]*$/.test(text)) throw refuse(`text "${text}" holds more than ASCII`)
  writer.bytes(Uint8Array.from(text, (character) => character.charCodeAt(0)))
}

function putName(writer: OctetWriter, name: string): void {
  if (name.length > 16) throw refuse(`name "${name}" has ${name.length} characters, expected at most 16`)
  putText(writer, name.padEnd(16, ' '))
}

function putConfiguration(writer: OctetWriter, configuration: C37118Configuration): void {
  writer.u32(configuration.timeBase, 'TIME_BASE').u16(configuration.pmus.length, 'NUM_PMU')
  for (const pmu of configuration.pmus) {
    putName(writer, pmu.stationName)
    writer
      .u16(pmu.idCode, 'IDCODE')
      .u16(toFormatWord(pmu.format), 'FORMAT')
      .u16(pmu.phasors.length, 'PHNMR')
      .u16(pmu.analogs.length, 'ANNMR')
      .u16(pmu.digitals.length, 'DGNMR')
    for (const channel of pmu.phasors) putName(writer, channel.name)
    for (const channel of pmu.analogs) putName(writer, channel.name)
    for (const word of pmu.digitals) {
      if (word.names.length !== 16) throw refuse(`a digital word has ${word.names.length} names, expected 16`)
      for (const name of word.names) putName(writer, name)
    }
    for (const channel of pmu.phasors) {
      writer.u8(channel.unit === 'volt' ? 0 : 1, 'PHUNIT').u24(channel.scale, 'PHUNIT scale')
    }
    for (const channel of pmu.analogs) {
      const scale = channel.scale < 0 ? channel.scale + 2 ** 24 : channel.scale
      writer.u8(analogUnits.indexOf(channel.unit), 'ANUNIT').u24(scale, 'ANUNIT scale')
    }
    for (const word of pmu.digitals) writer.u16(word.normal, 'DIGUNIT').u16(word.valid, 'DIGUNIT')
    writer.u16(pmu.nominalHz === 50 ? 1 : 0, 'FNOM').u16(pmu.configurationCount, 'CFGCNT')
  }
  writer.i16(configuration.dataRate, 'DATA_RATE')
}

const analogUnits: readonly C37118AnalogChannel['unit'][] = ['point_on_wave', 'rms', 'peak']

function toFormatWord(format: C37118Format): number {
  return (
    (format.phasors === 'polar' ? 1 : 0) |
    (format.phasorNumber === 'float' ? 2 : 0) |
    (format.analogNumber === 'float' ? 4 : 0) |
    (format.frequencyNumber === 'float' ? 8 : 0)
  )
}

function putData(
  writer: OctetWriter,
  measurements: readonly C37118Measurement[],
  configuration: C37118Configuration | undefined,
): void {
  if (configuration === undefined) throw refuse('a data frame needs its configuration')
  if (measurements.length !== configuration.pmus.length) {
    throw refuse(`data of ${measurements.length} PMUs, ${configuration.pmus.length} are configured`)
  }
  for (const [at, pmu] of configuration.pmus.entries()) {
    const measurement = measurements[at]
    if (measurement !== undefined) putMeasurement(writer, measurement, pmu)
  }
}

function putMeasurement(writer: OctetWriter, measurement: C37118Measurement, pmu: C37118Pmu): void {
  const { phasors, analogs, digitals, frequencyHz, rocofHzPerS } = measurement
  if (
    phasors.length !== pmu.phasors.length ||
    analogs.length !== pmu.analogs.length ||
    digitals.length !== pmu.digitals.length
  ) {
    throw refuse(`the channels of "${pmu.stationName}" do not match its configuration`)
  }
  writer.u16(measurement.status, 'STAT')
  for (const [at, channel] of pmu.phasors.entries()) {
    const phasor = phasors[at]
    if (phasor !== undefined) putPhasor(writer, phasor, pmu.format, channel)
  }
  if (pmu.format.frequencyNumber === 'float') writer.f32(frequencyHz).f32(rocofHzPerS)
  else {
    writer.i16(Math.round((frequencyHz - pmu.nominalHz) * 1000), 'FREQ')
    writer.i16(Math.round(rocofHzPerS * 100), 'DFREQ')
  }
  for (const value of analogs) {
    if (pmu.format.analogNumber === 'float') writer.f32(value)
    else writer.i16(value, 'ANALOG')
  }
  for (const word of digitals) writer.u16(word, 'DIGITAL')
}

/** Volts or amperes per count of an integer phasor. */
function toUnit(channel: C37118PhasorChannel): number {
  return channel.scale * 1e-5
}

function putPhasor(
  writer: OctetWriter,
  phasor: Phasor,
  format: C37118Format,
  channel: C37118PhasorChannel,
): void {
  const isFloat = format.phasorNumber === 'float'
  if (!isFloat && channel.scale === 0) throw refuse(`integer phasor "${channel.name}" needs a scale above 0`)
  if (format.phasors === 'polar') {
    const { magnitude, angle } = toPolar(phasor)
    if (isFloat) writer.f32(magnitude).f32(angle)
    else {
      writer.u16(Math.round(magnitude / toUnit(channel)), 'phasor magnitude')
      writer.i16(Math.round(angle * 1e4), 'phasor angle')
    }
    return
  }
  const { real, imaginary } = toRectangular(phasor)
  if (isFloat) writer.f32(real).f32(imaginary)
  else {
    writer.i16(Math.round(real / toUnit(channel)), 'phasor real part')
    writer.i16(Math.round(imaginary / toUnit(channel)), 'phasor imaginary part')
  }
}

function takeBody(
  reader: OctetReader,
  type: number,
  configuration: C37118Configuration | undefined,
): Body | undefined {
  switch (type) {
    case typeCodes.data:
      return takeData(reader, configuration)
    case typeCodes.header:
      return { kind: 'header', text: takeText(reader, reader.remaining(), 'header') }
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

// Object.entries widens keys to string; the table above has no others.
const commandNames = new Map(
  Object.entries(c37118Command).map(([name, code]) => [code as number, name as C37118CommandName]),
)

function takeText(reader: OctetReader, length: number, field: string): string {
  const octets = reader.take(length, field)
  if (octets.some((octet) => octet < 0x20 || octet > 0x7e)) {
    reader.fail('value', field, `${field} holds more than ASCII`)
  }
  return Array.from(octets, (octet) => String.fromCharCode(octet)).join('')
}

function takeName(reader: OctetReader, field: string): string {
  return takeText(reader, 16, field).trimEnd()
}

/** Takes as many items as a count field says, but stops at the first fault. */
function takeEach<Item>(reader: OctetReader, count: number, take: () => Item): Item[] {
  const items: Item[] = []
  while (items.length < count && !reader.failed()) items.push(take())
  return items
}

function takeConfiguration(reader: OctetReader): C37118Configuration {
  const timeBase = reader.u32('TIME_BASE') & 0xffffff
  const count = reader.u16('NUM_PMU')
  const pmus = takeEach(reader, count, () => takePmu(reader))
  return { timeBase, pmus, dataRate: reader.i16('DATA_RATE') }
}

function takePmu(reader: OctetReader): C37118Pmu {
  const stationName = takeName(reader, 'STN')
  const idCode = reader.u16('IDCODE')
  const format = toFormat(reader.u16('FORMAT'))
  const phasorCount = reader.u16('PHNMR')
  const analogCount = reader.u16('ANNMR')
  const digitalCount = reader.u16('DGNMR')
  const phasorNames = takeEach(reader, phasorCount, () => takeName(reader, 'CHNAM'))
  const analogNames = takeEach(reader, analogCount, () => takeName(reader, 'CHNAM'))
  const digitalNames = takeEach(reader, digitalCount, () =>
    takeEach(reader, 16, () => takeName(reader, 'CHNAM')),
  )
  const phasors = phasorNames.map((name) => {
    const unit: C37118PhasorChannel['unit'] = reader.u8('PHUNIT') === 0 ? 'volt' : 'ampere'
    return { name, unit, scale: reader.u24('PHUNIT scale') }
  })
  const analogs = analogNames.map((name) => {
    const code = reader.u8('ANUNIT')
    const unit = analogUnits[code]
    if (unit === undefined) reader.fail('unsupported', 'ANUNIT', `analogue type ${code}, expected 0, 1 or 2`)
    const scale = reader.u24('ANUNIT scale')
    return { name, unit: unit ?? 'point_on_wave', scale: scale >= 2 ** 23 ? scale - 2 ** 24 : scale }
  })
  const digitals = digitalNames.map((names) => ({
    names,
    normal: reader.u16('DIGUNIT'),
    valid: reader.u16('DIGUNIT'),
  }))
  const nominalHz = (reader.u16('FNOM') & 1) === 1 ? 50 : 60
  const configurationCount = reader.u16('CFGCNT')
  return { stationName, idCode, format, phasors, analogs, digitals, nominalHz, configurationCount }
}

function toFormat(word: number): C37118Format {
  return {
    phasors: word & 1 ? 'polar' : 'rectangular',
    phasorNumber: word & 2 ? 'float' : 'integer',
    analogNumber: word & 4 ? 'float' : 'integer',
    frequencyNumber: word & 8 ? 'float' : 'integer',
  }
}

function takeData(reader: OctetReader, configuration: C37118Configuration | undefined): Body | undefined {
  if (configuration === undefined) {
    reader.fail('unsupported', 'configuration', 'a data frame cannot be read before its configuration', 14)
    return undefined
  }
  const expected = configuration.pmus.reduce((sum, pmu) => sum + measurementLength(pmu), 0)
  if (expected !== reader.remaining()) {
    const state = `the body has ${reader.remaining()} octets, ${expected} are configured`
    reader.fail('length', 'body', state)
  }
  return { kind: 'data', pmus: configuration.pmus.map((pmu) => takeMeasurement(reader, pmu)) }
}

function measurementLength(pmu: C37118Pmu): number {
  const { format } = pmu
  return (
    2 +
    pmu.phasors.length * (format.phasorNumber === 'float' ? 8 : 4) +
    (format.frequencyNumber === 'float' ? 8 : 4) +
    pmu.analogs.length * (format.analogNumber === 'float' ? 4 : 2) +
    pmu.digitals.length * 2
  )
}

function takeMeasurement(reader: OctetReader, pmu: C37118Pmu): C37118Measurement {
  const { format } = pmu
  const isFloat = format.frequencyNumber === 'float'
  return {
    status: reader.u16('STAT'),
    phasors: pmu.phasors.map((channel) => takePhasor(reader, format, channel)),
    frequencyHz: isFloat ? reader.f32('FREQ') : pmu.nominalHz + reader.i16('FREQ') / 1000,
    rocofHzPerS: isFloat ? reader.f32('DFREQ') : reader.i16('DFREQ') / 100,
    analogs: pmu.analogs.map(() =>
      format.analogNumber === 'float' ? reader.f32('ANALOG') : reader.i16('ANALOG'),
    ),
    digitals: pmu.digitals.map(() => reader.u16('DIGITAL')),
  }
}

function takePhasor(reader: OctetReader, format: C37118Format, channel: C37118PhasorChannel): Phasor {
  const isFloat = format.phasorNumber === 'float'
  if (format.phasors === 'polar') {
    return isFloat
      ? { magnitude: reader.f32('phasor'), angle: reader.f32('phasor') }
      : { magnitude: reader.u16('phasor') * toUnit(channel), angle: reader.i16('phasor') / 1e4 }
  }
  return isFloat
    ? { real: reader.f32('phasor'), imaginary: reader.f32('phasor') }
    : { real: reader.i16('phasor') * toUnit(channel), imaginary: reader.i16('phasor') * toUnit(channel) }
}
