/** The solution of the plant: computed anew from the last one, and replaced by that of a fault while one is fed. */

import { stepSeconds } from '../configuration.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { solveFault } from './fault-voltages.ts'
import { applyFrequency, followIslands } from './frequency-islands.ts'
import { computeDemands, connectedShare } from './loads.ts'
import { networkAtMoment } from './moment-network.ts'
import type { PlantScene } from './scene.ts'
import { rearmStages } from './shed-load.ts'
import { toSolution } from './solution.ts'
import type { Plant, VoltageDip } from './state.ts'

/** Solves the plant anew; where its voltages collapse, it loses the load that cannot be solved. */
export function solvePlant({ plant, configuration, base, factor, events }: PlantScene): void {
  const network = applyFrequency(plant.frequency, networkAtMoment(base, plant, factor))
  const { dip } = plant
  const previous = dip?.before ?? plant.solution
  const { vmPu, vaRad, limited } = previous
  const reactiveLimits = configuration.reactive_limits === 'case'
  const result = solvePowerFlow(network, { start: { vmPu, vaRad, limited }, reactiveLimits })
  if (!result.converged) {
    const solved = Math.max(result.solvedShare, 0.01)
    plant.shed = Object.fromEntries(base.loads.map(({ bus }) => [bus, 1 - connectedShare(plant, bus) * solved]))
    events.push(`the voltages collapsed; ${percent(1 - result.solvedShare)} of the load was lost`)
  }
  plant.solution = toSolution(network, result, totalDemandMw(plant, base, result.vmPu) * factor)
  if (plant.isStale || previous.islands.length !== result.islands.length) {
    plant.frequency = followIslands(plant.frequency, network, result)
    rearmStages(plant, base)
  }
  plant.isStale = !result.converged
  if (dip !== undefined) showFault(plant, network, dip)
}

/** Advances the dip of the voltages by 100 ms: it is there as long as closed lines carry current into their faults. */
export function stepDip({ plant, base, factor }: PlantScene, branches: readonly number[]): void {
  const { dip } = plant
  if (dip !== undefined) plant.solution = dip.before
  delete plant.dip
  if (branches.length === 0) return
  const network = applyFrequency(plant.frequency, networkAtMoment(base, plant, factor))
  showFault(plant, network, { branches, seconds: (dip?.seconds ?? 0) + stepSeconds })
}

function showFault(plant: Plant, network: Network, { branches, seconds }: Omit<VoltageDip, 'before'>): void {
  plant.dip = { branches, seconds, before: plant.solution }
  plant.solution = solveFault(network, plant.solution, branches)
}

/** The active power of all loads of the case in MW before the common factor, at voltages in per unit. */
export function totalDemandMw(plant: Plant, base: Network, vmPu: readonly number[]): number {
  return computeDemands(plant, base, vmPu).reduce((sum, mw) => sum + mw, 0)
}

/** Writes a share with one digit behind the point. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
