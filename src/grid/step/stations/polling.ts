/** The polls of outstations: when each request leaves, and what the control centre accepts of the answers. */

import type { ControlCentre } from '../../control-centre/context.ts'
import { superviseLimits } from '../../control-centre/limit-alarms.ts'
import { superviseBreaker, superviseVoltage } from '../../control-centre/supervision.ts'
import type { Outstation, OutstationProtocol } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'
import type { World } from '../world.ts'

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
