/** The frames that a phasor measurement unit writes: its configuration, and the phasors that it measures. */

import { wrapAngle } from '../../angles.ts'
import { phasorSigma } from '../../estimation/measurements.ts'
import { busPosition } from '../../network/network.ts'
import { rotationAt } from '../../plant/observables.ts'
import type { BranchFlow } from '../../power-flow/result.ts'
import { encodeC37118, toC37118Time } from '../../protocols/c37118.ts'
import type { C37118Measurement } from '../../protocols/c37118-data.ts'
import { type PmuSite, secondary } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'

/**
 * Encodes the configuration of a unit's stream.
 *
 * @throws Error when the link has no stream.
 */
export function configurationFrame(
  scene: StepScene,
  { link, idCode }: PmuSite,
  kind: 1 | 2,
  timeUs: number,
): Uint8Array {
  const configuration = scene.configurationOf(link)
  if (configuration === undefined) throw new Error(`no configuration for ${link}`)
  return encodeC37118({ idCode, time: toC37118Time(timeUs), kind: `configuration_${kind}`, configuration })
}

/** Encodes the phasors of a unit at a moment of the step. */
export function dataFrame(scene: StepScene, site: PmuSite, measuredUs: number): Uint8Array {
  const pmus = [measure(scene, site, measuredUs)]
  const frame = { idCode: site.idCode, time: toC37118Time(measuredUs), kind: 'data', pmus } as const
  return encodeC37118(frame, scene.configurationOf(site.link))
}

/** Secondary phasors: angles turn with the integral of f - f0, so that angle and frequency agree. */
function measure(scene: StepScene, site: PmuSite, measuredUs: number): C37118Measurement {
  const { world, network, startUs } = scene
  const noise = scene.random(`pmu ${site.node}`)
  const { solution } = world.plant
  const position = busPosition(network, site.bus)
  const vm = solution.vmPu[position] ?? 0
  const va = solution.vaRad[position] ?? 0
  // Frames between two steps of the plant: magnitudes are those of the step, angle and frequency go on.
  const later = { seconds: Math.max(0, (measuredUs - startUs) / 1e6), f0Hz: network.f0Hz }
  const { frequencyHz, rocofHzPerS, angleRad } = rotationAt(world.plant, site.bus, later)
  const phasor = (magnitude: number, angle: number, unit: number) => ({
    magnitude: Math.max(0, (magnitude + phasorSigma.magnitudePu * noise.normal()) * unit),
    angle: wrapAngle(angle + angleRad + phasorSigma.angleRad * noise.normal()),
  })
  const currents = site.currents.map(({ branch, end }) => {
    const [p, q] = flowInto(solution.branches[branch - 1], end, network.baseMva)
    // I = conj(S / V)
    return phasor(vm > 0 ? Math.hypot(p, q) / vm : 0, va - Math.atan2(q, p), secondary.amperes)
  })
  return {
    status: 0,
    phasors: [phasor(vm, va, secondary.volts), ...currents],
    frequencyHz: frequencyHz + phasorSigma.frequencyHz * noise.normal(),
    rocofHzPerS,
    analogs: [],
    digitals: [],
  }
}

/** Active and reactive power into a branch at one end, in per unit. */
function flowInto(flow: BranchFlow | undefined, end: 'from' | 'to', baseMva: number): readonly [p: number, q: number] {
  const [mw = 0, mvar = 0] = end === 'from' ? [flow?.fromMw, flow?.fromMvar] : [flow?.toMw, flow?.toMvar]
  return [mw / baseMva, mvar / baseMva]
}
