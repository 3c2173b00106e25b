/** Merging units, which publish sampled values, and the over-current protection that listens to each. */

import { reportSequence } from '../../control-centre/link-monitor.ts'
import { decodeSampledValues, type SampledAsdu } from '../../protocols/sampled-values.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { MergingUnit } from '../../telecontrol/telecontrol.ts'
import { type Outgoing, type StepContext, type StepScene, send } from '../step-context.ts'
import type { SampledState, World } from '../world.ts'
import { baseOf, perUnit, sampledFrame, sampling } from './sampled-frames.ts'
import type { Station } from './station.ts'
import { isClosed } from './switching.ts'

/** Microseconds from the beginning of a step to its frame, behind the last sample, and by how much it may be late. */
const frameUs = 88_000
const lateUs = 200

/** The instantaneous element operates at this multiple of the pick-up of the line, in every sample of a frame. */
const instantaneousMultiple = 3

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
    const timeUs = context.startUs + frameUs + Math.floor(noise.uniform() * lateUs)
    publishSamples(context, unit, { payload, timeUs, forged: null })
  }
}

function stateOf(world: World, { node }: MergingUnit): SampledState {
  world.sampled ??= {}
  world.sampled[node] ??= { accepted: null, isTripping: false }
  return world.sampled[node]
}

/** Sends a frame to the protection that listens to a unit. */
export function publishSamples(
  outgoing: Pick<Outgoing, 'queue'>,
  { link, node: srcNode, listener: dstNode }: MergingUnit,
  frame: Pick<Message, 'payload' | 'timeUs' | 'forged'>,
): void {
  const ends = { protocol: 'SV', link, carrier: { kind: 'ethernet' }, srcNode, dstNode } as const
  send(outgoing, { ...ends, purpose: 'reporting', ...frame })
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
