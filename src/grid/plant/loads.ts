/** Loads of the plant: their profile and noise, their share that is connected, and how they follow the voltage. */

import { memo } from '../../base/memo.ts'
import { createRandom } from '../../base/random.ts'
import { type Configuration, stepSeconds } from '../configuration.ts'
import { findNetwork } from '../network/find-network.ts'
import { loadNoise, profileShare, stepLoadNoise } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { loadsAt } from '../power-flow/voltage-loads.ts'
import type { Plant } from './state.ts'

/** Factor on the case's loads at a step: the profile relative to its peak, the random walk, the operator's scale. */
export function profileFactor(plant: Plant, configuration: Configuration, step: number): number {
  const seconds = configuration.start_hour * 3600 + step * stepSeconds * configuration.load_speed
  return profileShare(configuration.day, seconds) * (1 + plant.noise) * plant.loadScale
}

/** Shares of constant impedance and current, a design rule: reactive power follows the voltage more than active. */
const loadShares = { active: { impedance: 0.3, current: 0.4 }, reactive: { impedance: 0.6, current: 0.3 } } as const

/** Adds the ZIP model: at the voltages of the case's solved power flow the loads are those of the case. */
const withLoadModel = memo(
  (base: Network): Network => ({ ...base, loadModel: { ...loadShares, referencePu: solvePowerFlow(base).vmPu } }),
)

/** The network of a session with the behaviour of its loads; the same value every time. */
export function plantNetwork(configuration: Configuration): Network {
  const base = findNetwork(configuration)
  return configuration.load_model === 'zip' ? withLoadModel(base) : base
}

/** Advances the random part of each load by one second; shares of the load, in the order of `loads`. */
export function stepBusNoise(
  { busNoise = [] }: Pick<Plant, 'busNoise'>,
  { bus_noise: sigma, seed }: Configuration,
  base: Network,
  step: number,
): readonly number[] {
  const random = createRandom(seed, `load of each bus ${step}`)
  return base.loads.map((_, index) => stepLoadNoise(busNoise[index] ?? 0, 1, random, { ...loadNoise, sigma }))
}

/** Computes the load at each bus in MW before `profileFactor` and shedding; a dead bus is at its reference voltage. */
export function computeDemands(
  { busNoise }: Pick<Plant, 'busNoise'>,
  base: Network,
  vmPu: readonly number[],
): number[] {
  const voltages = base.loadModel?.referencePu.map((reference, bus) => vmPu[bus] || reference) ?? []
  return loadsAt(base, voltages).map(({ pMw }, index) => pMw * (1 + (busNoise?.[index] ?? 0)))
}

/** The share of a bus's load that is connected, 0 to 1. */
export function connectedShare({ shed }: Pick<Plant, 'shed'>, bus: number): number {
  return 1 - (shed[bus] ?? 0)
}
