/** The physical grid as it runs: loads, machines, breakers and relays, and the solution that the meters see. */

import type { Random } from '../../base/random.ts'
import type { Configuration } from '../configuration.ts'
import { findCase } from '../network/cases/catalogue.ts'
import { stepLoadNoise } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { stepFrequency } from './frequency.ts'
import {
  applyFrequency,
  createFrequencyState,
  type FrequencyState,
  followIslands,
} from './frequency-islands.ts'
import { profileFactor, settingsFor, stepSeconds, withLoads } from './loading.ts'
import { lossesIn } from './observables.ts'
import { stepProtection } from './plant-protection.ts'
import {
  type BreakerFailureState,
  createRelayState,
  type RelayState,
  relaysFor,
  type UnderVoltageState,
} from './protection.ts'
import { emptySolution, type Solution, toSolution } from './solution.ts'

/** Everything physical that the next step depends on. */
export interface Plant {
  /** Numbers of the branches whose breakers are open. */
  open: readonly number[]
  /** Buses whose load was tripped by its under-voltage relay. */
  trippedLoads: readonly number[]
  /** Machines that are disconnected for the rest of the session, by position. */
  lostMachines: readonly number[]
  /** Share of all loads that is left after voltage collapses: what could still be solved. */
  solvableShare: number
  /** Voltage set points that outstations wrote, by position of the machine. */
  setpoints: Readonly<Record<number, number>>
  loadScale: number
  noise: number
  frequency: FrequencyState
  relays: RelayState
  underVoltage: UnderVoltageState
  /** Breakers that were ordered open and have not moved; absent while there are none. */
  breakerFailure?: BreakerFailureState
  solution: Solution
  /** Whether something changed that the solution does not show yet. */
  isStale: boolean
}

/** A frequency in Hz that the control centre has of a bus. */
export interface MeasuredFrequency {
  readonly bus: number
  readonly hz: number
}

/** Steps between two solutions when nothing switches: one second. */
const solveSteps = 10

/** Starts at the case's own loads, scaled, with every machine at its dispatch. */
export function createPlant(configuration: Configuration): Plant {
  const base = findCase(configuration.case)
  const idle: Plant = {
    open: [],
    trippedLoads: [],
    lostMachines: [],
    solvableShare: 1,
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
  const network = asDispatched(withLoads(base, idle, share), share)
  const result = solvePowerFlow(network)
  return {
    ...idle,
    frequency: createFrequencyState(network, result, settingsFor(configuration)),
    solution: toSolution(network, result, share),
  }
}

/** Scales the dispatch like the loads, so that the frequency starts at nominal when the start is not at the peak. */
function asDispatched(network: Network, share: number): Network {
  return {
    ...network,
    generators: network.generators.map((unit) => ({ ...unit, pMw: unit.pMw * share })),
  }
}

/** What a step of the plant asks of the devices around it. */
export interface PlantStep {
  /** Numbers of the branches that their over-current relays want open. */
  readonly trips: readonly number[]
  /** What happened by itself, for people. */
  readonly happenings: readonly string[]
}

/**
 * Advances the plant by 100 ms: loads, frequency, relays, and a new solution when something switched or a second
 * has passed.
 *
 * @param measured - The frequency that the control centre measured, for secondary control of the island of that bus.
 */
export function stepPlant(
  plant: Plant,
  configuration: Configuration,
  step: number,
  random: Random,
  measured: MeasuredFrequency | undefined,
): PlantStep {
  const base = findCase(configuration.case)
  const happenings: string[] = []
  if (configuration.load_noise > 0) {
    const noise = { sigma: configuration.load_noise, tauSeconds: 60 }
    plant.noise = stepLoadNoise(plant.noise, stepSeconds, random, noise)
  }
  const factor = profileFactor(plant, configuration, step)
  const network = withLoads(base, plant, factor)
  stepMachines(plant, configuration, network, measured, happenings)
  const trips = stepProtection(plant, configuration, base, happenings)
  if (plant.isStale || step % solveSteps === 0) solve(plant, configuration, base, factor, happenings)
  return { trips, happenings }
}

function stepMachines(
  plant: Plant,
  configuration: Configuration,
  network: Network,
  measured: MeasuredFrequency | undefined,
  happenings: string[],
): void {
  const before = plant.frequency
  const inputs = before.islands.map(({ buses }) => {
    const here = new Set(buses)
    const loadMw = network.loads.reduce((sum, { bus, pMw }) => (here.has(bus) ? sum + pMw : sum), 0)
    // A frequency says nothing of an island where it was not measured: there each machine follows its own.
    const measuredHz = measured !== undefined && here.has(measured.bus) ? measured.hz : undefined
    return { loadMw, lossesMw: lossesIn(plant, network, here, loadMw), measuredHz }
  })
  plant.frequency = stepFrequency(before, network, stepSeconds, inputs, settingsFor(configuration))
  noteIslands(plant, before, happenings)
}

/** Tells of islands that shed load or lost their frequency in this step. */
function noteIslands(plant: Plant, before: FrequencyState, happenings: string[]): void {
  plant.frequency.islands.forEach((island, index) => {
    const earlier = before.islands[index]
    if (island.shedShare > (earlier?.shedShare ?? 0)) {
      happenings.push(`under-frequency load shedding took ${percent(island.shedShare)} of the load`)
      plant.isStale = true
    }
    if (island.collapsed && earlier?.collapsed !== true) {
      happenings.push(`an island of ${island.buses.length} buses lost its frequency and went dark`)
      plant.lostMachines = [...plant.lostMachines, ...island.machines.map(({ generator }) => generator)]
      plant.isStale = true
    }
  })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function solve(
  plant: Plant,
  configuration: Configuration,
  base: Network,
  factor: number,
  happenings: string[],
): void {
  const network = applyFrequency(plant.frequency, withLoads(base, plant, factor))
  const { vmPu, vaRad } = plant.solution
  const result = solvePowerFlow(network, { start: { vmPu, vaRad } })
  if (!result.converged) {
    plant.solvableShare *= Math.max(result.solvedShare, 0.01)
    happenings.push(`the voltages collapsed; ${percent(1 - result.solvedShare)} of the load was lost`)
  }
  const before = plant.solution.islands
  plant.solution = toSolution(network, result, factor)
  if (plant.isStale || before.length !== result.islands.length) {
    plant.frequency = followIslands(plant.frequency, network, result, settingsFor(configuration))
  }
  plant.isStale = !result.converged
}

/** Moves a breaker; false when it is in that state already. */
export function operateBreaker(plant: Plant, branch: number, closed: boolean): boolean {
  const isOpen = plant.open.includes(branch)
  if (isOpen === !closed) return false
  plant.open = closed
    ? plant.open.filter((number) => number !== branch)
    : [...plant.open, branch].sort((a, b) => a - b)
  plant.isStale = true
  return true
}
