/** The physical grid as it runs: loads, machines, breakers and relays, and the solution that the meters see. */

import type { Random } from '../../base/random.ts'
import type { Configuration } from '../configuration.ts'
import { stepLoadNoise } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { solveFault } from './fault-voltages.ts'
import { stepFaults } from './faults.ts'
import { stepFrequency } from './frequency.ts'
import {
  applyFrequency,
  createFrequencyState,
  type FrequencyState,
  followIslands,
  type IslandFrequency,
} from './frequency-islands.ts'
import {
  connectedShare,
  demandsOf,
  plantNetwork,
  profileFactor,
  stepBusNoise,
  stepSeconds,
  withLoads,
} from './loading.ts'
import { lossesIn } from './observables.ts'
import { stepProtection } from './plant-protection.ts'
import { createRelayState, relaysFor } from './protection.ts'
import { bookShedding, loseMachines, measureLoad, rearmStages, stepRestoration } from './restoration.ts'
import { emptySolution, toSolution } from './solution.ts'
import type { Plant, VoltageDip } from './state.ts'
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
  const network = asDispatched(withLoads(base, idle, share), share)
  const result = solvePowerFlow(network, { reactiveLimits: configuration.reactive_limits === 'case' })
  return {
    ...idle,
    frequency: createFrequencyState(network, result),
    solution: toSolution(network, result, totalDemandMw(idle, base, result.vmPu) * share),
  }
}

/** Scales the dispatch like the loads, so that the frequency starts at nominal when the start is not at the peak. */
function asDispatched(network: Network, share: number): Network {
  return { ...network, generators: network.generators.map((unit) => ({ ...unit, pMw: unit.pMw * share })) }
}

/**
 * Advances the plant by 100 ms: loads, frequency, relays, and a new solution when something switched or a second has
 * passed; `measured` is the frequency that the control centre knows.
 */
export function stepPlant(
  plant: Plant,
  configuration: Configuration,
  step: number,
  random: Random,
  measured: MeasuredFrequency | undefined,
) {
  const base = plantNetwork(configuration)
  const events: string[] = []
  if (configuration.load_noise > 0) {
    const noise = { sigma: configuration.load_noise, tauSeconds: 60 }
    plant.noise = stepLoadNoise(plant.noise, stepSeconds, random, noise)
  }
  if (step % solveSteps === 0) stepBusNoise(plant, configuration, base, step)
  const factor = profileFactor(plant, configuration, step)
  stepMachines(plant, configuration, base, factor, measured, events)
  const loadOf = ({ buses }: IslandFrequency) => measureLoad(plant, base, buses, factor).loadMw
  const faults = stepFaults(plant, base, events)
  stepDip(plant, base, factor, faults.trips)
  const closing = stepSynchronizer(plant, base, stepSeconds, loadOf, events)
  if (configuration.restoration === 'automatic') stepRestoration(plant, base, factor, events)
  if (configuration.unit_protection === 'on') stepUnitProtection(plant, base, events)
  const areTapsMoved = configuration.tap_changers === 'on' && stepTapChangers(plant, base, stepSeconds, events)
  const trips = stepProtection(plant, configuration, base, faults.trips, events)
  if (plant.isStale || step % solveSteps === 0) solve(plant, configuration, base, factor, events)
  const closings = [
    ...(closing === undefined ? [] : [{ branch: closing, cause: 'synchronizer' } as const]),
    ...faults.reclosings.map((branch) => ({ branch, cause: 'recloser' }) as const),
  ]
  return { trips, closings, areTapsMoved, events }
}

function stepMachines(
  plant: Plant,
  configuration: Configuration,
  base: Network,
  factor: number,
  measured: MeasuredFrequency | undefined,
  events: string[],
): void {
  const network = withLoads(base, plant, factor)
  const before = plant.frequency
  const steered = steeredBuses(plant, base)
  const inputs = before.islands.map(({ buses }) => {
    const here = new Set(buses)
    const { loadMw, shedMw } = measureLoad(plant, base, buses, factor)
    // A frequency says nothing of an island where it was not measured: there each machine follows its own.
    const hz = measured !== undefined && here.has(measured.bus) ? measured.hz : undefined
    // The synchronizer has the references of the island that it steers: secondary control sees no deviation there.
    const measuredHz = steered.length > 0 && here.has(steered[0] ?? 0) ? base.f0Hz : hz
    return { loadMw, shedMw, lossesMw: lossesIn(plant, network, here, loadMw), measuredHz }
  })
  plant.frequency = stepFrequency(before, network, stepSeconds, inputs, configuration.agc_gain)
  reportIslands(plant, before, base, events)
}

/** Reports islands that shed load or lost their frequency in this step. */
function reportIslands(plant: Plant, before: FrequencyState, base: Network, events: string[]): void {
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

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function solve(plant: Plant, configuration: Configuration, base: Network, factor: number, events: string[]): void {
  const network = applyFrequency(plant.frequency, withLoads(base, plant, factor))
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
function stepDip(plant: Plant, base: Network, factor: number, branches: readonly number[]): void {
  const { dip } = plant
  if (dip !== undefined) plant.solution = dip.before
  delete plant.dip
  if (branches.length === 0) return
  const network = applyFrequency(plant.frequency, withLoads(base, plant, factor))
  showFault(plant, network, { branches, seconds: (dip?.seconds ?? 0) + stepSeconds })
}

function showFault(plant: Plant, network: Network, { branches, seconds }: Omit<VoltageDip, 'before'>): void {
  plant.dip = { branches, seconds, before: plant.solution }
  plant.solution = solveFault(network, plant.solution, branches)
}

function totalDemandMw(plant: Plant, base: Network, vmPu: readonly number[]): number {
  return demandsOf(plant, base, vmPu).reduce((sum, mw) => sum + mw, 0)
}

/** Moves a breaker; false when it is in that state already. */
export function operateBreaker(plant: Plant, branch: number, closed: boolean): boolean {
  const isOpen = plant.open.includes(branch)
  if (isOpen === !closed) return false
  plant.open = closed ? plant.open.filter((number) => number !== branch) : [...plant.open, branch].sort((a, b) => a - b)
  plant.isStale = true
  return true
}
