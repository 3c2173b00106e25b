/** The measurements of a C37.118 data frame: phasors, frequency and channels in the form that its configuration names. */

import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import {
  type C37118Configuration,
  type C37118Format,
  type C37118PhasorChannel,
  type C37118Pmu,
  refuseC37118,
} from './c37118-configuration.ts'

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

/** Converts a phasor to magnitude and angle in radians, from -pi to pi. */
export function toPolar(phasor: Phasor): { readonly magnitude: number; readonly angle: number } {
  if ('magnitude' in phasor) return phasor
  return { magnitude: Math.hypot(phasor.real, phasor.imaginary), angle: Math.atan2(phasor.imaginary, phasor.real) }
}

/** Converts a phasor to its real and imaginary parts. */
export function toRectangular(phasor: Phasor): { readonly real: number; readonly imaginary: number } {
  if ('real' in phasor) return phasor
  return { real: phasor.magnitude * Math.cos(phasor.angle), imaginary: phasor.magnitude * Math.sin(phasor.angle) }
}

/**
 * Appends the body of a data frame, as `encodeC37118` draws it.
 *
 * @throws GridError malformed_frame when a value does not fit or the measurements do not match the configuration.
 */
export function putData(
  writer: OctetWriter,
  measurements: readonly C37118Measurement[],
  configuration: C37118Configuration | undefined,
): void {
  if (configuration === undefined) throw refuseC37118('a data frame needs its configuration')
  if (measurements.length !== configuration.pmus.length) {
    throw refuseC37118(`data of ${measurements.length} PMUs, ${configuration.pmus.length} are configured`)
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
    throw refuseC37118(`the channels of "${pmu.stationName}" do not match its configuration`)
  }
  writer.u16(measurement.status, 'STAT')
  for (const [at, channel] of pmu.phasors.entries()) {
    const phasor = phasors[at]
    if (phasor !== undefined) putPhasor(writer, phasor, pmu.format, channel)
  }
  if (pmu.format.frequencyNumber === 'float') writer.f32(frequencyHz).f32(rocofHzPerS)
  else {
    writer.i16(Math.round((frequencyHz - pmu.nominalHz) * countsPer.hertz), 'FREQ')
    writer.i16(Math.round(rocofHzPerS * countsPer.hertzPerSecond), 'DFREQ')
  }
  for (const value of analogs) {
    if (pmu.format.analogNumber === 'float') writer.f32(value)
    else writer.i16(value, 'ANALOG')
  }
  for (const word of digitals) writer.u16(word, 'DIGITAL')
}

/** Counts of integers: the frequency is a deviation from the nominal one. */
const countsPer = { hertz: 1_000, hertzPerSecond: 100, radian: 1e4 } as const

/** Octets of a frame before its data. */
const headerLength = 14

/** Volts or amperes per count of an integer phasor: the scale of a channel is in 10^-5 of them. */
function toUnit(channel: C37118PhasorChannel): number {
  return channel.scale * 1e-5
}

function putPhasor(writer: OctetWriter, phasor: Phasor, format: C37118Format, channel: C37118PhasorChannel): void {
  const isFloat = format.phasorNumber === 'float'
  if (!isFloat && channel.scale === 0) throw refuseC37118(`integer phasor "${channel.name}" needs a scale above 0`)
  if (format.phasors === 'polar') {
    const { magnitude, angle } = toPolar(phasor)
    if (isFloat) writer.f32(magnitude).f32(angle)
    else {
      writer.u16(Math.round(magnitude / toUnit(channel)), 'phasor magnitude')
      writer.i16(Math.round(angle * countsPer.radian), 'phasor angle')
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

/** Takes the body of a data frame: a measurement for each configured PMU. Faults: `unsupported`, `length`. */
export function takeData(
  reader: OctetReader,
  configuration: C37118Configuration | undefined,
): readonly C37118Measurement[] | undefined {
  if (configuration === undefined) {
    reader.fail('unsupported', 'configuration', 'a data frame cannot be read before its configuration', headerLength)
    return undefined
  }
  const expected = configuration.pmus.reduce((sum, pmu) => sum + measurementLength(pmu), 0)
  if (expected !== reader.remaining()) {
    const state = `the body has ${reader.remaining()} octets, ${expected} are configured`
    reader.fail('length', 'body', state)
  }
  return configuration.pmus.map((pmu) => takeMeasurement(reader, pmu))
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
    frequencyHz: isFloat ? reader.f32('FREQ') : pmu.nominalHz + reader.i16('FREQ') / countsPer.hertz,
    rocofHzPerS: isFloat ? reader.f32('DFREQ') : reader.i16('DFREQ') / countsPer.hertzPerSecond,
    analogs: pmu.analogs.map(() => (format.analogNumber === 'float' ? reader.f32('ANALOG') : reader.i16('ANALOG'))),
    digitals: pmu.digitals.map(() => reader.u16('DIGITAL')),
  }
}

function takePhasor(reader: OctetReader, format: C37118Format, channel: C37118PhasorChannel): Phasor {
  const isFloat = format.phasorNumber === 'float'
  if (format.phasors === 'polar') {
    return isFloat
      ? { magnitude: reader.f32('phasor'), angle: reader.f32('phasor') }
      : { magnitude: reader.u16('phasor') * toUnit(channel), angle: reader.i16('phasor') / countsPer.radian }
  }
  return isFloat
    ? { real: reader.f32('phasor'), imaginary: reader.f32('phasor') }
    : { real: reader.i16('phasor') * toUnit(channel), imaginary: reader.i16('phasor') * toUnit(channel) }
}
