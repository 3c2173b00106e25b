/** The physical grid as it runs: loads, machines, breakers and relays, and the solution that the meters see. */

import type { Random } from '../../base/random.ts'
import { type Configuration, stepSeconds } from '../configuration.ts'
import { stepLoadNoise } from '../network/load-profile.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { stepFaults } from './faults.ts'
import { stepFrequency } from './frequency.ts'
import { createFrequencyState, type FrequencyState } from './frequency-islands.ts'
import { plantNetwork, profileFactor, stepBusNoise } from './loads.ts'
import { loseMachines } from './machine-connection.ts'
import { networkAtMoment } from './moment-network.ts'
import { lossesIn } from './observables.ts'
import { stepProtection } from './plant-protection.ts'
import { createRelayState, relaysFor } from './protection.ts'
import { stepRestoration } from './restoration.ts'
import type { PlantScene } from './scene.ts'
import { bookShedding, measureLoad } from './shed-load.ts'
import { emptySolution, toSolution } from './solution.ts'
import { percent, solvePlant, stepDip, totalDemandMw } from './solve-plant.ts'
import type { Plant } from './state.ts'
import { steeredBuses, stepSynchronizer } from './synchronism.ts'
import { stepTapChangers } from './tap-changers.ts'
import { stepUnitProtection } from './unit-protection.ts'

/** A frequency in Hz that the control centre has of a bus. */
export interface MeasuredFrequency {
  readonly bus: number
  readonly hz: number
}

/** Steps between two solutions when nothing switches: one second. */
const solveSteps = 10

/** Starts at the case's own loads, scaled, with every machine at its dispatch. */
export function createPlant(configuration: Configuration): Plant {
  const base = plantNetwork(configuration)
  const idle: Plant = {
    open: [],
    shed: {},
    lostMachines: [],
    setpoints: {},
    loadScale: configuration.load_scale,
    noise: 0,
    frequency: { islands: [] },
    relays: createRelayState(relaysFor(base)),
    underVoltage: { seconds: [] },
    solution: emptySolution,
    isStale: false,
  }
  const share = profileFactor(idle, configuration, 0)
  const loaded = networkAtMoment(base, idle, share)
  // The dispatch is scaled like the loads, so that the frequency starts at nominal when the start is not at the peak.
  const network = { ...loaded, generators: loaded.generators.map((unit) => ({ ...unit, pMw: unit.pMw * share })) }
  const result = solvePowerFlow(network, { reactiveLimits: configuration.reactive_limits === 'case' })
  return {
    ...idle,
    frequency: createFrequencyState(network, result),
    solution: toSolution(network, result, totalDemandMw(idle, base, result.vmPu) * share),
  }
}

/** The inputs of a step of the plant. */
export interface PlantInput {
  readonly step: number
  /** Chance of the loads. */
  readonly random: Random
  /** The frequency that the control centre knows; absent before its first frame. */
  readonly measured?: MeasuredFrequency | undefined
}

/** Advances the plant by 100 ms, with a new solution when something switched or a second has passed. */
export function stepPlant(plant: Plant, configuration: Configuration, { step, random, measured }: PlantInput) {
  const base = plantNetwork(configuration)
  const isNewSecond = step % solveSteps === 0
  if (configuration.load_noise > 0) {
    const noise = { sigma: configuration.load_noise, tauSeconds: 60 }
    plant.noise = stepLoadNoise(plant.noise, stepSeconds, random, noise)
  }
  if (isNewSecond && configuration.bus_noise > 0) plant.busNoise = stepBusNoise(plant, configuration, base, step)
  const events: string[] = []
  const scene = { plant, configuration, base, factor: profileFactor(plant, configuration, step), events }
  stepMachines(scene, measured)
  const faults = stepFaults(scene)
  stepDip(scene, faults.trips)
  const joined = stepSynchronizer(scene)
  if (configuration.restoration === 'automatic') stepRestoration(scene)
  if (configuration.unit_protection === 'on') stepUnitProtection(scene)
  const areTapsMoved = configuration.tap_changers === 'on' && stepTapChangers(scene, stepSeconds)
  const trips = stepProtection(scene, faults.trips)
  if (plant.isStale || isNewSecond) solvePlant(scene)
  const closings = [
    ...(joined === undefined ? [] : [{ branch: joined, cause: 'synchronizer' } as const]),
    ...faults.reclosings.map((branch) => ({ branch, cause: 'recloser' }) as const),
  ]
  return { trips, closings, areTapsMoved, events }
}

function stepMachines(scene: PlantScene, measured: MeasuredFrequency | undefined): void {
  const { plant, configuration, base, factor } = scene
  const network = networkAtMoment(base, plant, factor)
  const before = plant.frequency
  const [steered] = steeredBuses(plant, base)
  const inputs = before.islands.map(({ buses }) => {
    const here = new Set(buses)
    const { loadMw, shedMw } = measureLoad(plant, base, buses, factor)
    // A frequency says nothing of an island where it was not measured: there each machine follows its own.
    const hz = measured !== undefined && here.has(measured.bus) ? measured.hz : undefined
    // The synchronizer has the references of the island that it steers: secondary control sees no deviation there.
    const measuredHz = steered !== undefined && here.has(steered) ? base.f0Hz : hz
    return { loadMw, shedMw, lossesMw: lossesIn(plant, network, here, loadMw), measuredHz }
  })
  plant.frequency = stepFrequency(before, network, {
    dtSeconds: stepSeconds,
    inputs,
    agcGainPerSecond: configuration.agc_gain,
  })
  reportIslands(scene, before)
}

/** Reports islands that shed load or lost their frequency in this step, and books the load to its buses. */
function reportIslands({ plant, base, events }: PlantScene, before: FrequencyState): void {
  const islands = plant.frequency.islands.map((island, index) => {
    if (island.shedShare > 0) {
      bookShedding(plant, base, island)
      const { loadMw, shedMw } = measureLoad(plant, base, island.buses, 1)
      events.push(`under-frequency load shedding took ${percent(loadMw > 0 ? shedMw / loadMw : 1)} of the load`)
      plant.isStale = true
    }
    if (island.collapsed && before.islands[index]?.collapsed !== true) {
      events.push(`an island of ${island.buses.length} buses lost its frequency and went dark`)
      const machines = island.machines.map(({ generator }) => generator)
      loseMachines(plant, base, machines, 'collapse')
    }
    return island.shedShare > 0 ? { ...island, shedShare: 0 } : island
  })
  plant.frequency = { islands }
}

/** Moves a breaker; false when it is in that state already. */
export function operateBreaker(plant: Plant, branch: number, closed: boolean): boolean {
  const isOpen = plant.open.includes(branch)
  if (isOpen === !closed) return false
  plant.open = closed ? plant.open.filter((number) => number !== branch) : [...plant.open, branch].sort((a, b) => a - b)
  plant.isStale = true
  return true
}
