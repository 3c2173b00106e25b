/** The frames of sampled values that a merging unit writes: its currents and voltages by the solution of the grid. */

import { busPosition, type Network } from '../../network/network.ts'
import { rotationAt } from '../../plant/observables.ts'
import { processBusVlan } from '../../protocols/process-bus.ts'
import { encodeSampledValues, type SampledAsdu } from '../../protocols/sampled-values.ts'
import type { MergingUnit } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'

/**
 * Samples in a second, and in a frame. A real unit sends 4,800 in a second, which would fill the capture in seconds: 80
 * are four samples in three periods of 60 Hz, from which the amplitude follows, and a frame in each step.
 */
export const sampling = { perSecond: 80, perFrame: 8 } as const

/** The deviation of a sample, as a share of its amplitude: an instrument transformer of class 0.2. */
const sampleSigma = 0.0007

/** Quality of a value that is computed from others (guideline 9-2LE). */
const derived = 0x2000

/** Units of an integer: a milliampere and a hundredth of a volt (guideline 9-2LE). */
export const perUnit = { ampere: 1_000, volt: 100 } as const

/** Encodes the frame of a step; forgers use it with a `factor` on the currents. */
export function sampledFrame(
  scene: Pick<StepScene, 'world' | 'network' | 'startUs'>,
  unit: MergingUnit,
  factor: number,
  normal: () => number,
): Uint8Array {
  const { world, network, startUs } = scene
  const intervalUs = 1e6 / sampling.perSecond
  const firstCount = Math.floor((startUs % 1e6) / intervalUs)
  const quantities = readQuantities(scene, unit, factor)
  const busRad = world.plant.solution.vaRad[busPosition(network, unit.bus)] ?? 0
  const asdus = Array.from({ length: sampling.perFrame }, (_, at): SampledAsdu => {
    const count = (firstCount + at) % sampling.perSecond
    const { angleRad } = rotationAt(world.plant, unit.bus, { seconds: (at * intervalUs) / 1e6, f0Hz: network.f0Hz })
    const turned = (2 * Math.PI * network.f0Hz * count) / sampling.perSecond + angleRad + busRad
    return {
      id: unit.streamId,
      sampleCount: count,
      configurationRevision: 1,
      synchronization: 2,
      sampleRate: sampling.perSecond,
      values: quantities.flatMap((quantity) => samplePhases(quantity, turned, normal)),
      sampleMode: 1,
    }
  })
  const { destination, appId } = unit
  const source = unit.host.mac
  return encodeSampledValues({ destination, source, vlan: processBusVlan, appId, isSimulated: false, asdus })
}

/** A current or a voltage of three phases. */
interface PhaseQuantity {
  readonly amplitude: number
  /** Integers in one ampere or volt. */
  readonly scale: number
  /** Against the voltage of the bus. */
  readonly angleRad: number
}

/** The current and the voltage at a unit by the solution of the grid. */
function readQuantities(
  { world, network }: Pick<StepScene, 'world' | 'network'>,
  unit: MergingUnit,
  factor: number,
): readonly PhaseQuantity[] {
  const { solution } = world.plant
  const vm = solution.vmPu[busPosition(network, unit.bus)] ?? 0
  const { fromMw = 0, fromMvar = 0 } = solution.branches[unit.branch - 1] ?? {}
  const base = baseOf(network, unit)
  const amperes = vm > 0 ? (Math.hypot(fromMw, fromMvar) / network.baseMva / vm) * base.amperes * factor : 0
  return [
    // I = conj(S / V)
    { amplitude: amperes * Math.SQRT2, scale: perUnit.ampere, angleRad: -Math.atan2(fromMvar, fromMw) },
    { amplitude: vm * base.volts * Math.SQRT2, scale: perUnit.volt, angleRad: 0 },
  ]
}

/** Samples the three phases of a quantity, and their sum as the neutral. */
function samplePhases({ amplitude, scale, angleRad }: PhaseQuantity, turnedRad: number, normal: () => number) {
  const phases = [0, 1, 2].map((phase) => {
    const value = Math.cos(turnedRad + angleRad - (phase * 2 * Math.PI) / 3) + sampleSigma * normal()
    return { value: toInteger(amplitude * value * scale), quality: 0 }
  })
  return [...phases, { value: phases.reduce((sum, { value }) => sum + value, 0), quality: derived }]
}

/** Rounds and bounds a value to 30 bits with a sign, so that the sum of three fits too. */
export function toInteger(value: number): number {
  return Math.max(-(2 ** 29), Math.min(2 ** 29, Math.round(value)))
}

/** Volts between phase and earth, and amperes, for 1 pu at the bus of a unit. */
export function baseOf(network: Network, { bus }: MergingUnit): { readonly volts: number; readonly amperes: number } {
  const kv = network.buses[busPosition(network, bus)]?.baseKv || nominalKv
  return { volts: (kv * 1_000) / Math.sqrt(3), amperes: (network.baseMva * 1_000) / (Math.sqrt(3) * kv) }
}

/** The voltage of networks that state none. */
const nominalKv = 110
