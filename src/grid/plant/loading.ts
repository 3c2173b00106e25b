/** The network of a moment: breakers, loads by profile and noise, set points of the machines. */

import { memoWhile } from '../../base/memo.ts'
import type { Configuration } from '../configuration.ts'
import { findNetwork } from '../network/find-network.ts'
import { profileShare } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import { applyFrequency } from './frequency-islands.ts'
import { limitedGenerators } from './machine-limits.ts'
import type { Plant } from './state.ts'

/** Seconds in one step. */
export const stepSeconds = 0.1

/** Factor on the case's loads at a step: the profile relative to its peak, the random walk, the operator's scale. */
export function profileFactor(plant: Plant, configuration: Configuration, step: number): number {
  const seconds = configuration.start_hour * 3600 + step * stepSeconds * configuration.load_speed
  return profileShare(configuration.day, seconds) * (1 + plant.noise) * plant.loadScale
}

/** The network of this moment before machines: breakers, the loads that are connected, set points. */
export function withLoads(base: Network, plant: Plant, factor: number): Network {
  const lost = new Set(plant.lostMachines.map(({ generator }) => generator))
  return {
    ...base,
    branches: switchedBranches(base.branches, plant.open),
    loads: base.loads.map(({ bus, pMw, qMvar }) => {
      const scale = factor * connectedShare(plant, bus)
      return { bus, pMw: pMw * scale, qMvar: qMvar * scale }
    }),
    generators: limitedGenerators(base).map((unit, index) => ({
      ...unit,
      inService: unit.inService && !lost.has(index),
      vSetpointPu: plant.setpoints[index] ?? unit.vSetpointPu,
    })),
  }
}

const findSwitched = memoWhile(
  (
    { base }: { readonly base: Network['branches']; readonly branches: Network['branches'] },
    branches: Network['branches'],
  ) => base === branches,
  (open: readonly number[], base: Network['branches']) => {
    const numbers = new Set(open)
    const branches = base.map((branch) => (numbers.has(branch.number) ? { ...branch, inService: false } : branch))
    return { base, branches }
  },
)

/** The branches with their breakers as they are: one list for as long as no breaker moves, so that what follows is kept. */
function switchedBranches(base: Network['branches'], open: readonly number[]): Network['branches'] {
  return open.length === 0 ? base : findSwitched(open, base).branches
}

/** The share of a bus's load that is connected, 0 to 1. */
export function connectedShare({ shed }: Pick<Plant, 'shed'>, bus: number): number {
  return 1 - (shed[bus] ?? 0)
}

/** The grid at a step, for studies: open breakers, loads less what was shed, machines at their present output. */
export function presentNetwork(plant: Plant, configuration: Configuration, step: number): Network {
  const base = findNetwork(configuration)
  return applyFrequency(plant.frequency, withLoads(base, plant, profileFactor(plant, configuration, step)))
}
