/**
 * The polls of outstations: the gap between requests and their random lateness, the measured values, and what the control
 * centre accepts of the answers.
 */

import type { ControlCentre } from '../../control-centre/context.ts'
import { superviseLimits } from '../../control-centre/limit-alarms.ts'
import { superviseBreaker, superviseVoltage } from '../../control-centre/supervision.ts'
import { meterSigma } from '../../estimation/measurements.ts'
import { busPosition } from '../../network/network.ts'
import { injectionAt } from '../../plant/observables.ts'
import type { Outstation, OutstationProtocol, Point } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'
import type { World } from '../world.ts'
import { countEnergy, deadBand } from './outstation-state.ts'

/** Microseconds from the start of a step to the first request in it, and between two stations' requests. */
const firstRequestUs = 5_000
const requestSpacingUs = 2_500

/** Microseconds after a handshake at which the first request may leave. */
export const afterHandshakeUs = 900

/** Tests that a new scan begins with this step: all outstations take their measurements at this one moment. */
export function isScanStart({ step, configuration }: Pick<World, 'step' | 'configuration'>): boolean {
  return step % (configuration.scan_s * 10) === 0
}

/** The outstations of a protocol where a scan begins with this step; else none. */
export function scannedOutstations({ world, plan }: Pick<StepScene, 'world' | 'plan'>, protocol: OutstationProtocol) {
  return isScanStart(world) ? plan.outstations.filter((outstation) => outstation.protocol === protocol) : []
}

/** Takes the measurements of the scan at every outstation, and counts the energy of it. */
export function takeSamples(scene: Pick<StepScene, 'world' | 'network' | 'plan' | 'random'>): void {
  const { world, plan } = scene
  const noise = scene.random('meters')
  for (const outstation of plan.outstations) {
    const before = world.samples[outstation.node]
    const values = outstation.points.map((point) => trueValue(scene, point) + meterSigma[point.kind] * noise.normal())
    const sample = {
      values,
      closed: outstation.branches.map((branch) => !world.plant.open.includes(branch)),
      ...(outstation.protocol !== 'Modbus' ? { reported: before?.reported ?? values } : {}),
    }
    world.samples[outstation.node] = sample
    countEnergy(scene, outstation, sample)
  }
}

/** Measures each point of an outstation again whose true value has left its dead band since it was last reported. */
export function measureAgain(scene: Pick<StepScene, 'world' | 'network' | 'random'>, outstation: Outstation): void {
  const { samples } = scene.world
  const sample = samples[outstation.node]
  if (sample === undefined) return
  const { reported = sample.values } = sample
  const noise = scene.random('events')
  const values = outstation.points.map((point, index) => {
    const truth = trueValue(scene, point)
    const hasLeft = Math.abs(truth - (reported[index] ?? 0)) > deadBand[point.kind]
    return hasLeft ? truth + meterSigma[point.kind] * noise.normal() : (sample.values[index] ?? 0)
  })
  samples[outstation.node] = { ...sample, values }
}

/** The true value of a point in per unit. */
export function trueValue({ world, network }: Pick<StepScene, 'world' | 'network'>, { kind, element }: Point): number {
  const { solution } = world.plant
  const base = network.baseMva
  switch (kind) {
    case 'v':
      return solution.vmPu[busPosition(network, element)] ?? 0
    case 'p_inj':
      return injectionAt(world.plant, network, element).pMw / base
    case 'q_inj':
      return injectionAt(world.plant, network, element).qMvar / base
    case 'p_flow':
      return (solution.branches[element - 1]?.fromMw ?? 0) / base
    case 'q_flow':
      return (solution.branches[element - 1]?.fromMvar ?? 0) / base
  }
}

/** The outstations of a protocol whose turn in the scan is this step, each with the moment of its request. */
export function dueOutstations(
  { world, plan, startUs, random }: Pick<StepScene, 'world' | 'plan' | 'startUs' | 'random'>,
  protocol: Outstation['protocol'],
): readonly { readonly outstation: Outstation; readonly timeUs: number }[] {
  const { step, configuration } = world
  const { outstations } = plan
  // Requests fill the first four fifths of the scan, so that every answer is there when it ends.
  const slots = Math.max(1, Math.floor(configuration.scan_s * 8))
  const phase = step % (configuration.scan_s * 10)
  return outstations
    .filter((_, index) => Math.floor((index * slots) / outstations.length) === phase)
    .map((outstation, order) => ({ outstation, timeUs: startUs + firstRequestUs + order * requestSpacingUs }))
    .filter(({ outstation }) => outstation.protocol === protocol)
    .map(({ outstation, timeUs }) => ({ outstation, timeUs: timeUs + lateUs(random) }))
}

/** Microseconds by which a poll leaves late: a master with a nominal second has a deviation of 2.3 to 3.5 ms. */
function lateUs(random: StepScene['random']): number {
  return Math.floor(Math.min(12_000, Math.abs(random('polls').normal(0, 3_000))))
}

/** Microseconds that a station takes to answer. */
export function answerDelayUs({ random }: Pick<StepScene, 'random'>): number {
  return 1_800 + Math.floor(random('latency').uniform() * 1_400)
}

/** Takes measured values in at the control centre. */
export function acceptValues(
  context: ControlCentre,
  outstation: Outstation,
  values: readonly number[],
  timeUs: number,
): void {
  const { view } = context.world
  for (const [index, { name }] of outstation.points.entries()) {
    const value = values[index]
    if (value === undefined || !Number.isFinite(value)) continue
    view.values[name] = value
    view.fresh.push(name)
  }
  view.heardUs[outstation.node] = timeUs
  superviseVoltage(context, outstation)
  superviseLimits(context, outstation)
}

/** Takes breaker states in at the control centre, in the order of the outstation's branches. */
export function acceptStates(
  context: ControlCentre,
  outstation: Outstation,
  states: readonly { readonly index: number; readonly closed: boolean }[],
): void {
  const { view } = context.world
  for (const { index, closed } of states) {
    const branch = outstation.branches[index]
    if (branch === undefined) continue
    superviseBreaker(context, outstation, branch, closed)
    if (view.closed[branch] === closed) continue
    if (view.closed[branch] !== undefined) view.switched = true
    view.closed[branch] = closed
  }
}

/** Reads the last scan of the outstations by name of the point and by branch. */
export function lastSamples({ world, plan }: StepScene) {
  const values = plan.outstations.flatMap(({ node, points }) =>
    points.flatMap(({ name }, index) => {
      const value = world.samples[node]?.values[index]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const closed = plan.outstations.flatMap(({ node, branches }) =>
    branches.map((branch, index) => [branch, world.samples[node]?.closed[index] ?? true] as const),
  )
  return { values: Object.fromEntries(values), closed: Object.fromEntries(closed) }
}
