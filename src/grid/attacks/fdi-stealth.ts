/** FDI_STEALTH: changes all meters that depend on one bus together, so that the estimator finds another state. */

import { toRadians } from '../angles.ts'
import { GridError } from '../errors.ts'
import { estimateState } from '../estimation/state-estimation.ts'
import { designStealth } from '../estimation/stealth.ts'
import { busPosition, type Network, openBranches } from '../network/network.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import { lastSamples } from '../step/samples.ts'
import type { StepScene } from '../step/step-context.ts'
import { meterPoints, readMeters } from '../telecontrol/meters.ts'
import { type AttackScene, defineAttack } from './definition.ts'
import { type Params, parameterMistake } from './params.ts'
import { isPhasorData, rewritePhasors } from './phasor-frames.ts'
import { techniques } from './techniques.ts'
import { isTelemetry, rewriteTelemetry } from './telemetry-frames.ts'

const params = {
  // An imported network numbers its buses as it likes.
  bus: { type: 'integer', default: 14, min: 1, max: Number.MAX_SAFE_INTEGER },
  angle_shift_deg: { type: 'number', default: -5, min: -30, max: 30, unit: 'deg' },
  vm_shift_pu: { type: 'number', default: -0.03, min: -0.2, max: 0.2, unit: 'pu' },
  model: { type: 'string', default: 'ac', enum: ['ac', 'dc'] },
  coverage: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1,
    description: 'share of the needed meters that the attacker controls; below 1 residuals give him away',
  },
} as const

/** Stealthy false data injection after Liu, Ning and Reiter (2009), with the AC equations by default. */
export const fdiStealth = defineAttack({
  type: 'FDI_STEALTH',
  name: 'Stealth false data injection (a = H c)',
  protocol: 'C37.118 + telemetry',
  technique: techniques.reportingMessage,
  secondaryTechniques: [techniques.adversaryInTheMiddle, techniques.manipulationOfView],
  severity: 'HIGH',
  status: 'attacked',
  params,
  frameEffect: 'all meters at the bus and around it are changed together',
  gridEffect: 'the state estimate moves while J stays',
  expectedDetection:
    'none by residuals for model ac and coverage 1, residuals for little coverage; the current into a branch of the bus that a phasor unit measures at its other end',
  defaults: (_, { outstations }) => {
    const last = outstations.at(-1)
    return last === undefined || outstations.some((one) => one.bus === params.bus.default) ? {} : { bus: last.bus }
  },
  // The meters that depend on the state of a bus: those there and at the other ends of its branches, and its unit.
  links: ({ bus }, { outstations, pmus, neighbours }) => [
    ...outstations.filter((one) => one.bus === bus || neighbours.get(bus)?.includes(one.bus)).map(({ link }) => link),
    ...pmus.filter((unit) => unit.bus === bus).map(({ link }) => link),
  ],
  check: ({ bus }, plan) =>
    plan.outstations.some((one) => one.bus === bus)
      ? []
      : [parameterMistake('bus', `is ${bus}, which is not in the network`)],
  touches: (message) => isTelemetry(message) || isPhasorData(message),
  alter(message, scene) {
    const { context, params: target, memory } = scene
    if (!hasBegun(scene)) return undefined
    const offsets = findOffsets(context, target, memory)
    const description = `Stealth injection at bus ${target.bus}: ${target.angle_shift_deg} deg, ${target.vm_shift_pu} pu`
    const site = context.plan.pmus.find(({ link }) => link === message.link)
    const payload =
      site === undefined
        ? rewriteTelemetry(context, message, { value: (point, value) => value + (offsets[point.name] ?? 0) })
        : rewritePhasors(context, message, (measurement) => {
            // Only a unit at the bus itself measures its voltage.
            if (site.bus !== target.bus) return measurement
            const [voltage, ...currents] = measurement.phasors
            if (voltage === undefined) return measurement
            const magnitude = voltage.magnitude + (offsets[`PMU_V_${site.bus}`] ?? 0) * 120
            const angle = voltage.angle + toRadians(target.angle_shift_deg)
            return { ...measurement, phasors: [{ magnitude, angle }, ...currents] }
          })
    return payload && { kind: 'modify', payload, description }
  },
})

/** Tests that a scan has begun since the order, so that all its meters change; an order of some frames waits for none. */
function hasBegun({ context: { world }, attackId, memory }: AttackScene<Params<typeof params>>): boolean {
  const order = world.attacks.find((attack) => attack.order.attack_id === attackId)?.order
  if (order !== undefined && order.schedule.duration_frames > 0) return true
  const scanSteps = world.configuration.scan_s * 10
  memory.begins ??= Math.ceil(world.step / scanSteps) * scanSteps
  return world.step >= Number(memory.begins)
}

/** Offsets by name of the point, designed once for each scan from the state as the scan found it. */
function findOffsets(context: StepScene, target: Params<typeof params>, memory: Record<string, unknown>) {
  const scan = Math.floor(context.world.step / (context.world.configuration.scan_s * 10))
  if (memory.scan !== scan) Object.assign(memory, { scan, offsets: designOffsets(context, target) })
  return memory.offsets as Readonly<Record<string, number>> // written above, in this or an earlier step
}

function designOffsets(
  context: StepScene,
  { bus, angle_shift_deg, vm_shift_pu, model, coverage }: Params<typeof params>,
): Readonly<Record<string, number>> {
  const seen = openBranches(context.network, new Set(context.world.plant.open))
  const meters = meterPoints(context.plan)
  const points = meters.map(({ point }) => point)
  const { vmPu, vaRad } = estimateForAttacker(context, seen)
  if (!((vmPu[busPosition(context.network, bus)] ?? 0) > 0)) return {}
  const shift = { bus, angleShiftDeg: angle_shift_deg, vmShiftPu: vm_shift_pu, model, coverage }
  const data = designStealth(seen, points, { vmPu, vaRad }, shift)
  return Object.fromEntries(data.map(({ index, offset }) => [meters[index]?.name ?? '', offset]))
}

/** The state as the attacker estimates it from the meters: around the true state, J would move by the noise. */
function estimateForAttacker(context: StepScene, seen: Network): VoltageProfile {
  const { world, plan } = context
  const measurements = readMeters(plan, lastSamples(context).values)
  try {
    const estimate = estimateState(seen, measurements, { removals: 0, start: world.plant.solution })
    return estimate.converged ? estimate : world.plant.solution
  } catch (error) {
    // The meters do not determine the state: the attacker uses the true one.
    if (error instanceof GridError && error.code === 'not_observable') return world.plant.solution
    throw error
  }
}
