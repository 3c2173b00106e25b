/** Rewrites phasor data frames: decode, change, encode again with a right checksum. */

import { decodeC37118, encodeC37118 } from '../protocols/c37118.ts'
import { type C37118Measurement, toPolar } from '../protocols/c37118-data.ts'
import type { StepScene } from '../step/step-context.ts'
import type { Message } from '../telecontrol/message.ts'
import { secondary, type Telecontrol } from '../telecontrol/telecontrol.ts'
import type { AttackDefinition } from './definition.ts'
import { type Mistake, parameterMistake } from './params.ts'
import { techniques } from './techniques.ts'

/** Tests that a message is a phasor data frame on its way to the concentrator. */
export function isPhasorData({ protocol, purpose }: Message): boolean {
  return protocol === 'C37.118' && purpose === 'reporting'
}

/** The links of all phasor units, with any parameters of the attack. */
export function phasorLinks(_: unknown, { pmus }: Telecontrol): readonly string[] {
  return pmus.map(({ link }) => link)
}

/** The parameter of attacks on one phasor; -1 means all phasors, which every unit has. */
interface Indexed {
  readonly phasor_idx: number
}

/** The links of the units whose frames have a phasor at an index: a unit reports its voltage and then its currents. */
export function indexedLinks({ phasor_idx }: Indexed, { pmus }: Telecontrol): readonly string[] {
  return pmus.filter(({ currents }) => phasor_idx <= currents.length).map(({ link }) => link)
}

/** Finds the mistake of a phasor's index that no unit of the network reaches. */
export function checkPhasorIndex({ phasor_idx }: Indexed, plan: Telecontrol): readonly Mistake[] {
  if (indexedLinks({ phasor_idx }, plan).length > 0) return []
  const last = Math.max(...plan.pmus.map(({ currents }) => currents.length))
  const state = `is ${phasor_idx}, and the phasors of the network's units go up to ${last}`
  return [parameterMistake('phasor_idx', state)]
}

/** Fields that every attack on phasors has in common. */
export const falsePhasors = {
  protocol: 'C37.118',
  technique: techniques.reportingMessage,
  secondaryTechniques: [techniques.manipulationOfView],
  severity: 'HIGH',
  status: 'attacked',
  links: phasorLinks,
  touches: isPhasorData,
} as const satisfies Partial<AttackDefinition>

/** One phasor as attacks handle it: volts or amperes, and radians. */
export interface PolarPhasor {
  readonly magnitude: number
  readonly angle: number
}

/** A data frame's block with its phasors in polar form. */
export interface PolarMeasurement extends Omit<C37118Measurement, 'phasors'> {
  readonly phasors: readonly PolarPhasor[]
}

/** Changes the measurement in a data frame and nothing else; undefined for octets that are not one of the stream. */
export function rewritePhasors(
  { configurationOf }: StepScene,
  { link, payload }: Message,
  change: (measurement: PolarMeasurement) => PolarMeasurement,
): Uint8Array | undefined {
  const configuration = configurationOf(link)
  const decoded = decodeC37118(payload, configuration)
  if (configuration === undefined || !decoded.ok || decoded.value.kind !== 'data') return undefined
  const pmus = decoded.value.pmus.map((unit) => change({ ...unit, phasors: unit.phasors.map(toPolar) }))
  return encodeC37118({ ...decoded.value, pmus }, configuration)
}

/** The secondary value of 1 pu in a channel's own unit: volts for the first phasor, amperes for the others. */
export function channelBase(index: number): number {
  return index === 0 ? secondary.volts : secondary.amperes
}

/** Adds volts to the magnitude of one phasor, or of all for -1; a current gets the same share of its base. */
export function addToMagnitudes(measurement: PolarMeasurement, index: number, volts: () => number): PolarMeasurement {
  return changeMagnitudes(
    measurement,
    index,
    (magnitude, channel) => magnitude + (volts() * channelBase(channel)) / secondary.volts,
  )
}

/** Changes the magnitude of one phasor, or of all for an index of -1; nothing falls below zero. */
export function changeMagnitudes(
  measurement: PolarMeasurement,
  index: number,
  change: (magnitude: number, channel: number) => number,
): PolarMeasurement {
  return changePhasors(measurement, index, (phasor, channel) => {
    return { ...phasor, magnitude: Math.max(0, change(phasor.magnitude, channel)) }
  })
}

/** Changes one phasor, or all for an index of -1. */
export function changePhasors(
  measurement: PolarMeasurement,
  index: number,
  change: (phasor: PolarPhasor, channel: number) => PolarPhasor,
): PolarMeasurement {
  const phasors = measurement.phasors.map((phasor, channel) =>
    index === -1 || index === channel ? change(phasor, channel) : phasor,
  )
  return { ...measurement, phasors }
}
