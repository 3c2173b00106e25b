/** Configurations of C37.118 streams: which PMUs and channels a stream has, and the octets that say so. */

import { GridError } from '../errors.ts'
import { decodeAscii, encodeAscii } from '../link/ascii.ts'
import { takeEach } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** The layout of a PMU's values in a data frame (FORMAT word of a configuration). */
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

/** The content of a configuration frame, which is needed to read a data frame. */
export interface C37118Configuration {
  /** Counts of the fraction in one second, 24 bits. */
  readonly timeBase: number
  readonly pmus: readonly C37118Pmu[]
  /** Frames per second, or when negative seconds per frame. */
  readonly dataRate: number
}

/** The error for a frame that cannot be encoded: `malformed_frame`, with the state after the colon. */
export function refuseC37118(state: string): GridError {
  return new GridError('malformed_frame', `Cannot encode C37.118 frame: ${state}`)
}

function putName(writer: OctetWriter, name: string): void {
  if (name.length > 16) throw refuseC37118(`name "${name}" has ${name.length} characters, expected at most 16`)
  writer.bytes(encodeAscii(name.padEnd(16, ' '), 'C37.118 frame'))
}

/**
 * Appends the body of a configuration frame, as `encodeC37118` draws it.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function putConfiguration(writer: OctetWriter, configuration: C37118Configuration): void {
  writer.u32(configuration.timeBase, 'TIME_BASE').u16(configuration.pmus.length, 'NUM_PMU')
  for (const pmu of configuration.pmus) putPmu(writer, pmu)
  writer.i16(configuration.dataRate, 'DATA_RATE')
}

function putPmu(writer: OctetWriter, pmu: C37118Pmu): void {
  putName(writer, pmu.stationName)
  writer
    .u16(pmu.idCode, 'IDCODE')
    .u16(toFormatWord(pmu.format), 'FORMAT')
    .u16(pmu.phasors.length, 'PHNMR')
    .u16(pmu.analogs.length, 'ANNMR')
    .u16(pmu.digitals.length, 'DGNMR')
  putChannelNames(writer, pmu)
  putChannelUnits(writer, pmu)
  writer.u16(pmu.nominalHz === 50 ? 1 : 0, 'FNOM').u16(pmu.configurationCount, 'CFGCNT')
}

function putChannelNames(writer: OctetWriter, { phasors, analogs, digitals }: C37118Pmu): void {
  for (const channel of phasors) putName(writer, channel.name)
  for (const channel of analogs) putName(writer, channel.name)
  for (const word of digitals) {
    if (word.names.length !== 16) throw refuseC37118(`a digital word has ${word.names.length} names, expected 16`)
    for (const name of word.names) putName(writer, name)
  }
}

function putChannelUnits(writer: OctetWriter, { phasors, analogs, digitals }: C37118Pmu): void {
  for (const channel of phasors) {
    writer.u8(channel.unit === 'volt' ? 0 : 1, 'PHUNIT').u24(channel.scale, 'PHUNIT scale')
  }
  for (const channel of analogs) {
    const scale = channel.scale < 0 ? channel.scale + 2 ** 24 : channel.scale
    writer.u8(analogUnits.indexOf(channel.unit), 'ANUNIT').u24(scale, 'ANUNIT scale')
  }
  for (const word of digitals) writer.u16(word.normal, 'DIGUNIT').u16(word.valid, 'DIGUNIT')
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

function takeName(reader: OctetReader, field: string): string {
  return decodeAscii(reader, reader.take(16, field), field).trimEnd()
}

/** Takes the body of a configuration frame. Faults: `truncated`, `value`, `unsupported`. */
export function takeConfiguration(reader: OctetReader): C37118Configuration {
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
  const digitalNames = takeEach(reader, digitalCount, () => takeEach(reader, 16, () => takeName(reader, 'CHNAM')))
  const phasors = phasorNames.map((name) => takePhasorUnit(reader, name))
  const analogs = analogNames.map((name) => takeAnalogUnit(reader, name))
  const digitals = digitalNames.map((names) => ({ names, normal: reader.u16('DIGUNIT'), valid: reader.u16('DIGUNIT') }))
  const nominalHz = (reader.u16('FNOM') & 1) === 1 ? 50 : 60
  const configurationCount = reader.u16('CFGCNT')
  return { stationName, idCode, format, phasors, analogs, digitals, nominalHz, configurationCount }
}

function takePhasorUnit(reader: OctetReader, name: string): C37118PhasorChannel {
  const unit = reader.u8('PHUNIT') === 0 ? 'volt' : 'ampere'
  return { name, unit, scale: reader.u24('PHUNIT scale') }
}

function takeAnalogUnit(reader: OctetReader, name: string): C37118AnalogChannel {
  const code = reader.u8('ANUNIT')
  const unit = analogUnits[code]
  if (unit === undefined) reader.fail('unsupported', 'ANUNIT', `analogue type ${code}, expected 0, 1 or 2`)
  const scale = reader.u24('ANUNIT scale')
  return { name, unit: unit ?? 'point_on_wave', scale: scale >= 2 ** 23 ? scale - 2 ** 24 : scale }
}

function toFormat(word: number): C37118Format {
  return {
    phasors: word & 1 ? 'polar' : 'rectangular',
    phasorNumber: word & 2 ? 'float' : 'integer',
    analogNumber: word & 4 ? 'float' : 'integer',
    frequencyNumber: word & 8 ? 'float' : 'integer',
  }
}
