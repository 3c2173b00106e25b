/** The physical grid as it runs: loads, machines, breakers and relays, and the solution that the meters see. */

import { memo } from '../../base/memo.ts'
import type { Random } from '../../base/random.ts'
import type { Configuration } from '../configuration.ts'
import { findCase } from '../network/cases/catalogue.ts'
import { profileShare, stepLoadNoise } from '../network/load-profile.ts'
import { busPosition, type Network, openBranches } from '../network/network.ts'
import { type BranchFlow, type PowerFlowResult, solvePowerFlow } from '../power-flow/power-flow.ts'
import {
  applyFrequency,
  createFrequencyState,
  defaultFrequencySettings,
  type FrequencySettings,
  type FrequencyState,
  followIslands,
  islandAt,
  stepFrequency,
} from './frequency.ts'
import {
  type BreakerFailureState,
  createRelayState,
  type RelaySetting,
  type RelayState,
  relaysFor,
  stepBreakerFailure,
  stepRelays,
  stepUnderVoltage,
  type UnderVoltageState,
} from './protection.ts'

/** What the meters of the whole grid would show without error. */
export interface Solution {
  readonly vmPu: readonly number[]
  readonly vaRad: readonly number[]
  /** In the order of the network's branches, MW and MVAr. */
  readonly branches: readonly BranchFlow[]
  readonly generators: PowerFlowResult['generators']
  readonly islands: PowerFlowResult['islands']
  readonly lossesMw: number
  /** Demand and what of it is served, in MW. */
  readonly demandMw: number
  readonly servedMw: number
}

/** Everything physical that the next step depends on. */
export interface Plant {
  /** Numbers of the branches whose breakers are open. */
  open: readonly number[]
  /** Buses whose load was tripped by its under-voltage relay. */
  trippedLoads: readonly number[]
  /** Machines that left the grid for good, by position. */
  lostMachines: readonly number[]
  /** Share of all loads that is left after voltage collapses: what could still be solved. */
  solvableShare: number
  /** Voltage set points that were written from outside, by position of the machine. */
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

/** Steps between two solutions when nothing switches: one second. */
const solveSteps = 10

/** Seconds in one step. */
const stepSeconds = 0.1

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

const emptySolution: Solution = {
  vmPu: [],
  vaRad: [],
  branches: [],
  generators: [],
  islands: [],
  lossesMw: 0,
  demandMw: 0,
  servedMw: 0,
}

/** At a start off the peak the machines share the difference in proportion, so that the frequency starts at rest. */
function asDispatched(network: Network, share: number): Network {
  return {
    ...network,
    generators: network.generators.map((unit) => ({ ...unit, pMw: unit.pMw * share })),
  }
}

function settingsFor({ agc_gain }: Configuration): FrequencySettings {
  return { ...defaultFrequencySettings, agcGainPerSecond: agc_gain }
}

/** Factor on the case's loads at a step: the profile relative to its peak, the random walk, the operator's scale. */
function profileFactor(plant: Plant, configuration: Configuration, step: number): number {
  const seconds = configuration.start_hour * 3600 + step * stepSeconds * configuration.load_speed
  return profileShare(configuration.day, seconds) * (1 + plant.noise) * plant.loadScale
}

/** The network of this moment before machines and shedding: breakers, loads, set points. */
function withLoads(base: Network, plant: Plant, factor: number): Network {
  const open = new Set(plant.open)
  const tripped = new Set(plant.trippedLoads)
  const lost = new Set(plant.lostMachines)
  const scale = factor * plant.solvableShare
  return {
    ...base,
    branches: base.branches.map((branch) =>
      open.has(branch.number) ? { ...branch, inService: false } : branch,
    ),
    loads: base.loads.map(({ bus, pMw, qMvar }) =>
      tripped.has(bus) ? { bus, pMw: 0, qMvar: 0 } : { bus, pMw: pMw * scale, qMvar: qMvar * scale },
    ),
    generators: base.generators.map((unit, index) => ({
      ...unit,
      inService: unit.inService && !lost.has(index),
      vSetpointPu: plant.setpoints[index] ?? unit.vSetpointPu,
    })),
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
 * @param measuredHz - What the control centre believes the frequency is; it steers the machines with it.
 */
export function stepPlant(
  plant: Plant,
  configuration: Configuration,
  step: number,
  random: Random,
  measuredHz: number | undefined,
): PlantStep {
  const base = findCase(configuration.case)
  const happenings: string[] = []
  if (configuration.load_noise > 0) {
    const noise = { sigma: configuration.load_noise, tauSeconds: 60 }
    plant.noise = stepLoadNoise(plant.noise, stepSeconds, random, noise)
  }
  const factor = profileFactor(plant, configuration, step)
  const network = withLoads(base, plant, factor)
  stepMachines(plant, configuration, network, measuredHz, happenings)
  const trips = stepProtection(plant, configuration, base, happenings)
  if (plant.isStale || step % solveSteps === 0) solve(plant, configuration, base, factor, happenings)
  return { trips, happenings }
}

function stepMachines(
  plant: Plant,
  configuration: Configuration,
  network: Network,
  measuredHz: number | undefined,
  happenings: string[],
): void {
  const before = plant.frequency
  const total = plant.solution.servedMw
  const inputs = before.islands.map(({ buses }, index) => {
    const here = new Set(buses)
    const loadMw = network.loads.reduce((sum, { bus, pMw }) => (here.has(bus) ? sum + pMw : sum), 0)
    const lossesMw = total > 0 ? plant.solution.lossesMw * Math.min(1, loadMw / total) : 0
    // Secondary control acts in the island of the slack, where the control centre's own meter is.
    return { loadMw, lossesMw, measuredHz: index === 0 ? measuredHz : undefined }
  })
  plant.frequency = stepFrequency(before, network, stepSeconds, inputs, settingsFor(configuration))
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

function stepProtection(
  plant: Plant,
  { pickup }: Configuration,
  base: Network,
  happenings: string[],
): readonly number[] {
  const { solution } = plant
  const voltage = stepUnderVoltage(plant.underVoltage, solution.vmPu, stepSeconds)
  plant.underVoltage = voltage.state
  for (const position of voltage.trips) {
    const bus = base.buses[position]?.id
    if (bus === undefined || plant.trippedLoads.includes(bus)) continue
    plant.trippedLoads = [...plant.trippedLoads, bus]
    plant.isStale = true
    happenings.push(`the load at bus ${bus} tripped on under-voltage`)
  }
  if (pickup === 'off') return []
  const settings = relays(base, pickup)
  const loadings = solution.branches.map(({ loadingMva }) => loadingMva)
  const relay = stepRelays(plant.relays, settings, loadings, stepSeconds)
  plant.relays = relay.state
  const trips = relay.trips.filter((branch) => !plant.open.includes(branch))
  return [...trips, ...backUp(plant, base, trips, happenings)]
}

/** Orders the neighbours of a breaker open that has not obeyed its trip; most steps have nothing to back up. */
function backUp(
  plant: Plant,
  base: Network,
  trips: readonly number[],
  happenings: string[],
): readonly number[] {
  const { breakerFailure: before = { waiting: [] } } = plant
  if (trips.length === 0 && before.waiting.length === 0) return []
  const { state, failed, backups } = stepBreakerFailure(
    before,
    openBranches(base, new Set(plant.open)),
    trips,
    stepSeconds,
  )
  if (state.waiting.length > 0) plant.breakerFailure = state
  else delete plant.breakerFailure
  for (const branch of failed) {
    happenings.push(`the breaker of branch ${branch} did not open; breaker failure protection acts around it`)
  }
  return backups
}

const relaysByPickup = memo((base: Network) => ({
  secure: relaysFor(base, 'secure'),
  fragile: relaysFor(base, 'fragile'),
}))

function relays(base: Network, pickup: 'secure' | 'fragile'): readonly RelaySetting[] {
  return relaysByPickup(base)[pickup]
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

/** Loads are the case's own times the factor: what is missing in the solved network is not served. */
function toSolution(network: Network, result: PowerFlowResult, factor: number): Solution {
  const live = new Set(result.islands.filter(({ energized }) => energized).flatMap(({ buses }) => buses))
  const caseLoadMw = findCase(network.name).loads.reduce((sum, { pMw }) => sum + pMw, 0)
  const { vmPu, vaRad, branches, generators, islands, lossesMw } = result
  return {
    vmPu,
    vaRad,
    branches,
    generators,
    islands,
    lossesMw,
    demandMw: caseLoadMw * factor,
    servedMw: network.loads.reduce((sum, { bus, pMw }) => (live.has(bus) ? sum + pMw : sum), 0),
  }
}

/** The grid at a step as studies compute with it: open breakers, loads, what was shed, machines at what they give. */
export function presentNetwork(plant: Plant, configuration: Configuration, step: number): Network {
  const base = findCase(configuration.case)
  return applyFrequency(plant.frequency, withLoads(base, plant, profileFactor(plant, configuration, step)))
}

/** Moves a breaker; false when it stood there already. */
export function operateBreaker(plant: Plant, branch: number, closed: boolean): boolean {
  const isOpen = plant.open.includes(branch)
  if (isOpen === !closed) return false
  plant.open = closed
    ? plant.open.filter((number) => number !== branch)
    : [...plant.open, branch].sort((a, b) => a - b)
  plant.isStale = true
  return true
}

/** Whether the machine at a bus takes a voltage set point in per unit; not where there is none or it is absurd. */
export function takesVoltageSetpoint(base: Network, bus: number, vPu: number): boolean {
  return base.generators.some((unit) => unit.bus === bus) && vPu >= 0.8 && vPu <= 1.2
}

/** Writes the voltage set point of the machine at a bus in per unit; false where it does not take it. */
export function writeVoltageSetpoint(plant: Plant, base: Network, bus: number, vPu: number): boolean {
  if (!takesVoltageSetpoint(base, bus, vPu)) return false
  const machine = base.generators.findIndex((unit) => unit.bus === bus)
  plant.setpoints = { ...plant.setpoints, [machine]: vPu }
  plant.isStale = true
  return true
}

/** Whether the machine at a bus takes a power reference in MW; not where there is none or it cannot give that. */
export function takesPowerReference(base: Network, bus: number, pMw: number): boolean {
  const unit = base.generators.find((one) => one.bus === bus)
  return unit !== undefined && pMw >= 0 && pMw <= unit.pMaxMw
}

/** Writes the power reference of the machine at a bus in MW; false where it does not take it. */
export function writePowerReference(plant: Plant, base: Network, bus: number, pMw: number): boolean {
  if (!takesPowerReference(base, bus, pMw)) return false
  const machine = base.generators.findIndex((unit) => unit.bus === bus)
  plant.frequency = {
    islands: plant.frequency.islands.map((island) => ({
      ...island,
      machines: island.machines.map((state) =>
        state.generator === machine ? { ...state, referenceMw: pMw } : state,
      ),
    })),
  }
  return true
}

/** Power into the grid at a bus in MW and MVAr: machines less load; zero at a dead bus. */
export function injectionAt(
  plant: Plant,
  base: Network,
  bus: number,
): { readonly pMw: number; readonly qMvar: number } {
  // What flows into the branches and the shunt of a bus is what is injected there.
  const position = busPosition(base, bus)
  const { branches, vmPu } = plant.solution
  const voltage = vmPu[position] ?? 0
  let pMw = 0
  let qMvar = 0
  for (const [index, { from, to }] of base.branches.entries()) {
    const flow = branches[index]
    if (flow === undefined) continue
    if (from === bus) {
      pMw += flow.fromMw
      qMvar += flow.fromMvar
    } else if (to === bus) {
      pMw += flow.toMw
      qMvar += flow.toMvar
    }
  }
  for (const shunt of base.shunts) {
    if (shunt.bus !== bus) continue
    pMw += shunt.gMw * voltage * voltage
    qMvar -= shunt.bMvar * voltage * voltage
  }
  return { pMw, qMvar }
}

/** Frequency and angle of a bus: what a phasor there turns with; zero Hz at a dead bus. */
export function rotationAt(
  plant: Plant,
  bus: number,
): { readonly frequencyHz: number; readonly rocofHzPerS: number; readonly angleRad: number } {
  const island = islandAt(plant.frequency, bus)
  if (island === undefined || island.collapsed) return { frequencyHz: 0, rocofHzPerS: 0, angleRad: 0 }
  return {
    frequencyHz: island.frequencyHz,
    rocofHzPerS: island.rocofHzPerSecond,
    angleRad: island.angleRad,
  }
}
