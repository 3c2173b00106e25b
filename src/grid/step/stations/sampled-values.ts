/** Merging units, which publish sampled values, and the over-current protection that listens to each. */

import { reportSequence } from '../../control-centre/link-monitor.ts'
import { busPosition, type Network } from '../../network/network.ts'
import { rotationAt } from '../../plant/observables.ts'
import { processBusVlan } from '../../protocols/process-bus.ts'
import { decodeSampledValues, encodeSampledValues, type SampledAsdu } from '../../protocols/sampled-values.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { MergingUnit } from '../../telecontrol/telecontrol.ts'
import { type Outgoing, type StepContext, type StepScene, send } from '../step-context.ts'
import type { SampledState, World } from '../world.ts'
import type { Station } from './station.ts'
import { isClosed } from './switching.ts'

/**
 * Samples in a second, and in a frame. A real unit sends 4,800 in a second, which would fill the capture in seconds: 80
 * are four samples in three periods of 60 Hz, from which the amplitude follows, and a frame in each step.
 */
export const sampling = { perSecond: 80, perFrame: 8 } as const

/** Microseconds from the beginning of a step to its frame, behind the last sample, and by how much it may be late. */
const frameUs = 88_000
const lateUs = 200

/** The deviation of a sample, as a share of its amplitude: an instrument transformer of class 0.2. */
const sampleSigma = 0.0007

/** The instantaneous element operates at this multiple of the pick-up of the line, in every sample of a frame. */
const instantaneousMultiple = 3

/** Quality of a value that is computed from others (guideline 9-2LE). */
const derived = 0x2000

/** Units of an integer: a milliampere and a hundredth of a volt (guideline 9-2LE). */
const perUnit = { ampere: 1_000, volt: 100 } as const

/** Merging units, and the protection that listens. */
export const sampledValuesStation: Station = { poll, receive }

/** Sends trips that the last frames asked for to the publishers of GOOSE, and publishes a frame of every unit. */
function poll(context: StepContext): void {
  for (const unit of context.plan.mergingUnits) {
    const state = stateOf(context.world, unit)
    if (state.isTripping && isClosed(context, unit.branch)) context.trips.push(unit.branch)
    state.isTripping = false
    const noise = context.random(`merging unit ${unit.node}`)
    const payload = sampledFrame(context, unit, 1, () => noise.normal())
    publishSamples(context, unit, payload, context.startUs + frameUs + Math.floor(noise.uniform() * lateUs), null)
  }
}

function stateOf(world: World, { node }: MergingUnit): SampledState {
  world.sampled ??= {}
  const known = world.sampled[node]
  if (known !== undefined) return known
  const state: SampledState = { accepted: null, isTripping: false }
  world.sampled[node] = state
  return state
}

/**
 * Encodes the frame of a step; forgers use it with other currents.
 *
 * @param factor - On the currents.
 */
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
function baseOf(network: Network, { bus }: MergingUnit): { readonly volts: number; readonly amperes: number } {
  const kv = network.buses[busPosition(network, bus)]?.baseKv || nominalKv
  return { volts: (kv * 1_000) / Math.sqrt(3), amperes: (network.baseMva * 1_000) / (Math.sqrt(3) * kv) }
}

/** The voltage of networks that state none. */
const nominalKv = 110

/** Sends a frame to the protection that listens to a unit. */
export function publishSamples(
  outgoing: Pick<Outgoing, 'queue'>,
  { link, node: srcNode, listener: dstNode }: MergingUnit,
  payload: Uint8Array,
  timeUs: number,
  forged: Message['forged'],
): void {
  const ends = { protocol: 'SV', link, carrier: { kind: 'ethernet' }, srcNode, dstNode } as const
  send(outgoing, { ...ends, timeUs, payload, purpose: 'reporting', forged })
}

/** Takes in a frame at the protection: it accepts samples in their order from any sender, and judges their currents. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const decoded = decodeSampledValues(payload)
  const unit = context.plan.mergingUnits.find(({ link }) => link === message.link)
  if (!decoded.ok || unit === undefined) return
  const asdus = decoded.value.asdus.filter(({ id }) => id === unit.streamId)
  const [first, last] = [asdus[0], asdus.at(-1)]
  if (first === undefined || last === undefined) return
  const state = stateOf(context.world, unit)
  const ahead = (first.sampleCount - (state.accepted ?? -1) + sampling.perSecond) % sampling.perSecond
  if (state.accepted !== null && (ahead === 0 || ahead > sampling.perSecond / 2)) {
    reportSequence(context, unit.node, `smpCnt ${first.sampleCount} after ${state.accepted}: two publishers`)
    return
  }
  state.accepted = last.sampleCount
  if (!isOverCurrent(context, unit, asdus)) return
  state.isTripping = true
  context.effects.push({ protection: unit.listener, state: 'trip', cause: `sampled values of ${unit.node}` })
}

/**
 * Tests that a phase carries more than the instantaneous element allows, in each pair of samples that follow each other.
 *
 * Two samples x and y of a sine, apart by the angle d, give its amplitude: A^2 = (x^2 + y^2 - 2 x y cos d) / sin^2 d.
 */
function isOverCurrent(
  { network }: Pick<StepScene, 'network'>,
  unit: MergingUnit,
  asdus: readonly SampledAsdu[],
): boolean {
  const { securePickupMva = 0 } = network.branches.find(({ number }) => number === unit.branch) ?? {}
  const share = (instantaneousMultiple * securePickupMva) / network.baseMva
  const limit = share * baseOf(network, unit).amperes * Math.SQRT2 * perUnit.ampere
  const turn = (2 * Math.PI * network.f0Hz) / sampling.perSecond
  return [0, 1, 2].some((phase) => {
    const values = asdus.map((asdu) => asdu.values[phase]?.value ?? 0)
    const pairs = values.slice(1).map((next, at) => [values[at] ?? 0, next] as const)
    const squares = pairs.map(([x, y]) => (x * x + y * y - 2 * x * y * Math.cos(turn)) / Math.sin(turn) ** 2)
    return squares.length > 0 && squares.every((square) => square > limit * limit)
  })
}
