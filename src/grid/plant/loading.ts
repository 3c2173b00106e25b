/** The network of a moment: breakers, loads by profile and noise, set points of the machines. */

import { memo, memoNewest } from '../../base/memo.ts'
import { createRandom } from '../../base/random.ts'
import type { Configuration } from '../configuration.ts'
import { findNetwork } from '../network/find-network.ts'
import { loadNoise, profileShare, stepLoadNoise } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { loadsAt } from '../power-flow/voltage-loads.ts'
import { applyFrequency } from './frequency-islands.ts'
import { limitedGenerators } from './machine-limits.ts'
import type { Plant } from './state.ts'
import { withTaps } from './tap-changers.ts'

/** Seconds in one step. */
export const stepSeconds = 0.1

/** Factor on the case's loads at a step: the profile relative to its peak, the random walk, the operator's scale. */
export function profileFactor(plant: Plant, configuration: Configuration, step: number): number {
  const seconds = configuration.start_hour * 3600 + step * stepSeconds * configuration.load_speed
  return profileShare(configuration.day, seconds) * (1 + plant.noise) * plant.loadScale
}

/** Shares of constant impedance and current: a design rule; the reactive power follows the voltage more than the active. */
const loadShares = { active: { impedance: 0.3, current: 0.4 }, reactive: { impedance: 0.6, current: 0.3 } } as const

/** At the voltages of the case's own solution its loads are those that it lists. */
const withLoadModel = memo(
  (base: Network): Network => ({ ...base, loadModel: { ...loadShares, referencePu: solvePowerFlow(base).vmPu } }),
)

/** The network of a session with the behaviour of its loads; the same value every time. */
export function plantNetwork(configuration: Configuration): Network {
  const base = findNetwork(configuration)
  return configuration.load_model === 'zip' ? withLoadModel(base) : base
}

/** Advances the part of the noise that is each load's, by a second. */
export function stepBusNoise(
  plant: Plant,
  { bus_noise: sigma, seed }: Configuration,
  base: Network,
  step: number,
): void {
  if (!(sigma > 0)) return
  const random = createRandom(seed, `load of each bus ${step}`)
  const { busNoise = [] } = plant
  plant.busNoise = base.loads.map((_, index) => stepLoadNoise(busNoise[index] ?? 0, 1, random, { ...loadNoise, sigma }))
}

/** The active power of each load of the case in MW before the common factor, as if connected and with voltage. */
export function demandsOf({ busNoise }: Pick<Plant, 'busNoise'>, base: Network, vmPu: readonly number[]): number[] {
  const voltages = base.loadModel?.referencePu.map((usual, bus) => vmPu[bus] || usual) ?? []
  return loadsAt(base, voltages).map(({ pMw }, index) => pMw * (1 + (busNoise?.[index] ?? 0)))
}

/** The network of this moment before machines: breakers, the loads that are connected, set points. */
export function withLoads(base: Network, plant: Plant, factor: number): Network {
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

/** The branches with their breakers as they are: one list for as long as no breaker moves, so that plans of it are kept. */
const switchedBranches = memoNewest((open: readonly number[], base: Network['branches']) => {
  if (open.length === 0) return base
  const numbers = new Set(open)
  return base.map((branch) => (numbers.has(branch.number) ? { ...branch, inService: false } : branch))
})

/** The share of a bus's load that is connected, 0 to 1. */
export function connectedShare({ shed }: Pick<Plant, 'shed'>, bus: number): number {
  return 1 - (shed[bus] ?? 0)
}

/** The grid at a step, for studies: open breakers, loads less what was shed, machines and loads at what they take. */
export function presentNetwork(plant: Plant, configuration: Configuration, step: number): Network {
  const network = withLoads(plantNetwork(configuration), plant, profileFactor(plant, configuration, step))
  const { loadModel: _, ...held } = { ...network, loads: loadsAt(network, plant.solution.vmPu) }
  return applyFrequency(plant.frequency, held)
}
