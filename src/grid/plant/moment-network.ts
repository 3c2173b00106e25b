/** The network of a moment: breakers, taps, loads, machines in service and their set points. */

import { memoNewest } from '../../base/memo.ts'
import type { Configuration } from '../configuration.ts'
import type { Network } from '../network/network.ts'
import { loadsAt } from '../power-flow/voltage-loads.ts'
import { applyFrequency } from './frequency-islands.ts'
import { connectedShare, plantNetwork, profileFactor } from './loads.ts'
import { limitedGenerators } from './machine-limits.ts'
import type { Plant } from './state.ts'
import { withTaps } from './tap-changers.ts'

/** The network of this moment: breakers, taps, loads, machines in service and set points; not yet their outputs. */
export function networkAtMoment(base: Network, plant: Plant, factor: number): Network {
  const lost = new Set(plant.lostMachines.map(({ generator }) => generator))
  return {
    ...base,
    branches: switchedBranches(plant.open, withTaps(base, plant.taps).branches),
    loads: base.loads.map(({ bus, pMw, qMvar }, index) => {
      const scale = factor * connectedShare(plant, bus) * (1 + (plant.busNoise?.[index] ?? 0))
      return { bus, pMw: pMw * scale, qMvar: qMvar * scale }
    }),
    generators: limitedGenerators(base).map((unit, index) => ({
      ...unit,
      inService: unit.inService && !lost.has(index),
      vSetpointPu: plant.setpoints[index] ?? unit.vSetpointPu,
    })),
  }
}

/** Takes open branches out: the same list as long as no breaker moves, so that memos keyed by it stay valid. */
const switchedBranches = memoNewest((open: readonly number[], base: Network['branches']) => {
  if (open.length === 0) return base
  const numbers = new Set(open)
  return base.map((branch) => (numbers.has(branch.number) ? { ...branch, inService: false } : branch))
})

/** The network at a step, for studies, with the outputs of machines; every load is constant at what it takes now. */
export function presentNetwork(plant: Plant, configuration: Configuration, step: number): Network {
  const network = networkAtMoment(plantNetwork(configuration), plant, profileFactor(plant, configuration, step))
  const { loadModel: _, ...constant } = { ...network, loads: loadsAt(network, plant.solution.vmPu) }
  return applyFrequency(plant.frequency, constant)
}
