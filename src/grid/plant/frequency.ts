/** Frequency of each island: centre of inertia, governors, turbines, secondary control and load shedding. */

import type { Island } from '../network/islands.ts'
import type { Network } from '../network/network.ts'
import type { PowerFlowResult } from '../power-flow/power-flow.ts'

/** One stage of under-frequency load shedding. */
export interface SheddingStage {
  readonly belowHz: number
  /** Share of the island's load before any shedding. */
  readonly share: number
  readonly delaySeconds: number
}

/** What the model is tuned with. */
export interface FrequencySettings {
  /** Per-unit frequency over per-unit power, on the machine's own rating. */
  readonly droop: number
  readonly governorSeconds: number
  readonly turbineSeconds: number
  /** Per-unit load over per-unit frequency. */
  readonly damping: number
  readonly shedding: readonly SheddingStage[]
  /** Share of the area control error that the references take up per second; 0 switches the control off. */
  readonly agcGainPerSecond: number
  readonly agcPeriodSeconds: number
  /** Longest step of the integration. */
  readonly substepSeconds: number
  /** Machines leave the grid outside this share of the nominal frequency, and the island goes dark. */
  readonly collapse: { readonly below: number; readonly above: number }
}

/** Values in common use; the shedding stages are those of the golden runs. */
export const defaultFrequencySettings: FrequencySettings = {
  droop: 0.05,
  governorSeconds: 0.2,
  turbineSeconds: 0.5,
  damping: 1,
  shedding: [
    { belowHz: 59.5, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.3, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.1, share: 0.08, delaySeconds: 0.2 },
    { belowHz: 58.9, share: 0.08, delaySeconds: 0.2 },
  ],
  agcGainPerSecond: 0.05,
  agcPeriodSeconds: 4,
  substepSeconds: 0.02,
  collapse: { below: 0.95, above: 1.05 },
}

/** One machine in MW: what it was told, what its valve admits, what its shaft gives. */
export interface MachineState {
  /** Position in `network.generators`. */
  readonly generator: number
  readonly referenceMw: number
  readonly valveMw: number
  readonly mechanicalMw: number
}

/** One live island. Plain JSON. */
export interface IslandFrequency {
  readonly buses: readonly number[]
  readonly frequencyHz: number
  readonly rocofHzPerSecond: number
  /**
   * The integral of 2 pi (f - f0) in radians, wrapped to (-pi, pi]. A phasor's angle is this plus its angle in the
   * power flow: so the frequency and the angle that a PMU reports agree.
   */
  readonly angleRad: number
  readonly machines: readonly MachineState[]
  /** Seconds since the last action of the secondary control. */
  readonly agcElapsedSeconds: number
  /** Seconds that the frequency has been below each stage; null once the stage has acted. */
  readonly stageSeconds: readonly (number | null)[]
  /** Share of the load that is shed, 0 to 1. */
  readonly shedShare: number
  /** True when the frequency left the range in which machines stay connected. */
  readonly collapsed: boolean
}

/** Every live island; dead ones have no frequency. Plain JSON. */
export interface FrequencyState {
  readonly islands: readonly IslandFrequency[]
}

/** What an island sees during a step, in the order of `state.islands`. */
export interface IslandInput {
  /** Load before shedding at nominal frequency. */
  readonly loadMw: number
  readonly lossesMw: number
  /** What the control centre believes the frequency is; default the true one. */
  readonly measuredHz?: number | undefined
}

/** Starts at nominal frequency with every machine giving what a solved power flow says. */
export function createFrequencyState(
  network: Network,
  result: Pick<PowerFlowResult, 'generators' | 'islands'>,
  settings = defaultFrequencySettings,
): FrequencyState {
  return followIslands({ islands: [] }, network, result, settings)
}

/**
 * Regroups machines after breakers have moved.
 *
 * A new island takes frequency and angle from the machines it inherits, weighed by inertia, and the shedding
 * stages of the heaviest of them. A machine that was not running starts at its output in `result`.
 */
export function followIslands(
  state: FrequencyState,
  network: Network,
  result: Pick<PowerFlowResult, 'generators' | 'islands'>,
  settings = defaultFrequencySettings,
): FrequencyState {
  const live = result.islands.filter(({ energized }) => energized)
  return { islands: live.map((island) => inheritIsland(state, network, result, island, settings)) }
}

function inheritIsland(
  state: FrequencyState,
  network: Network,
  { generators }: Pick<PowerFlowResult, 'generators'>,
  { buses }: Island,
  settings: FrequencySettings,
): IslandFrequency {
  const here = new Set(buses)
  const inherited = state.islands
    .flatMap((parent) => parent.machines.map((machine) => ({ parent, machine })))
    .filter(({ machine }) => here.has(network.generators[machine.generator]?.bus ?? Number.NaN))
  const inertiaOf = ({ machine }: { machine: MachineState }): number =>
    network.generators[machine.generator]?.inertiaS ?? 0
  const total = inherited.reduce((sum, entry) => sum + inertiaOf(entry), 0)
  const heaviest = inherited.reduce<(typeof inherited)[number] | undefined>(
    (best, entry) => (best === undefined || inertiaOf(entry) > inertiaOf(best) ? entry : best),
    undefined,
  )
  const mean = (value: (parent: IslandFrequency) => number, fallback: number): number =>
    total > 0
      ? inherited.reduce((sum, entry) => sum + value(entry.parent) * inertiaOf(entry), 0) / total
      : fallback
  const machines = network.generators.flatMap(({ bus, inService }, generator): MachineState[] => {
    if (!inService || !here.has(bus)) return []
    const known = inherited.find(({ machine }) => machine.generator === generator)
    const pMw = generators[generator]?.pMw ?? 0
    return [known?.machine ?? { generator, referenceMw: pMw, valveMw: pMw, mechanicalMw: pMw }]
  })
  return {
    buses,
    frequencyHz: mean(({ frequencyHz }) => frequencyHz, network.f0Hz),
    rocofHzPerSecond: mean(({ rocofHzPerSecond }) => rocofHzPerSecond, 0),
    // Angles are circular; the heaviest machine's is a mean that cannot jump.
    angleRad: heaviest?.parent.angleRad ?? 0,
    machines,
    agcElapsedSeconds: heaviest?.parent.agcElapsedSeconds ?? 0,
    stageSeconds: heaviest?.parent.stageSeconds ?? settings.shedding.map(() => 0),
    shedShare: heaviest?.parent.shedShare ?? 0,
    collapsed: false,
  }
}

/**
 * Advances every island.
 *
 * 2 H dw/dt = sum Pm - Pload (1 - shed) - Ploss - D Pload w, all over the base MVA, with w the per-unit deviation
 * of frequency and H the sum of the connected machines' constants on that base; Tg dPv/dt = Pref - (S/R) w - Pv;
 * Tt dPm/dt = Pv - Pm; 0 <= Pv, Pm <= Pmax (Kundur, Power System Stability and Control, chapter 11).
 * Machines out of service in `network` no longer count; condensers have inertia but no governor. A machine that
 * was dispatched above its Pmax, as the slack of case39 is, falls back to it.
 *
 * @param dtSeconds - Usually 0.1; it is divided into steps of at most `substepSeconds`.
 * @param inputs - One per island of the state, in its order.
 */
export function stepFrequency(
  state: FrequencyState,
  network: Network,
  dtSeconds: number,
  inputs: readonly IslandInput[],
  settings: FrequencySettings = defaultFrequencySettings,
): FrequencyState {
  return {
    islands: state.islands.map((island, index) => {
      const input = inputs[index] ?? { loadMw: 0, lossesMw: 0 }
      return island.collapsed ? island : stepIsland(island, network, dtSeconds, input, settings)
    }),
  }
}

function stepIsland(
  island: IslandFrequency,
  network: Network,
  dtSeconds: number,
  input: IslandInput,
  settings: FrequencySettings,
): IslandFrequency {
  // A tiny allowance, so that 0.1 s at 0.02 s makes five steps and not six.
  const count = Math.max(1, Math.ceil(dtSeconds / settings.substepSeconds - 1e-9))
  const running = island.machines.filter(({ generator }) => network.generators[generator]?.inService === true)
  let next: IslandFrequency = { ...island, machines: running }
  for (let step = 0; step < count; step++) {
    next = integrate(next, network, dtSeconds / count, input, settings)
  }
  return controlArea(next, network, dtSeconds, input, settings)
}

function integrate(
  island: IslandFrequency,
  network: Network,
  dt: number,
  { loadMw, lossesMw }: IslandInput,
  settings: FrequencySettings,
): IslandFrequency {
  const { f0Hz, baseMva } = network
  const before = island.frequencyHz / f0Hz - 1
  const machines = island.machines.map((machine) => stepMachine(machine, network, before, dt, settings))
  let mechanicalMw = 0
  let inertiaS = 0
  machines.forEach(({ mechanicalMw: shaftMw, generator }, index) => {
    // The mean over the step makes the scheme second order in the shaft's power.
    mechanicalMw += (shaftMw + (island.machines[index]?.mechanicalMw ?? shaftMw)) / 2
    inertiaS += network.generators[generator]?.inertiaS ?? 0
  })
  const demandMw = loadMw * (1 - island.shedShare) + lossesMw
  const surplus = (mechanicalMw - demandMw - settings.damping * loadMw * before) / baseMva
  // Without inertia there is nothing that turns: the frequency is lost at once.
  const slope = inertiaS > 0 ? surplus / (2 * inertiaS) : Number.NEGATIVE_INFINITY
  const after = Math.min(
    Math.max(before + slope * dt, settings.collapse.below - 1),
    settings.collapse.above - 1,
  )
  const { stageSeconds, shedShare } = stepShedding(island, (1 + after) * f0Hz, dt, settings.shedding)
  return {
    ...island,
    machines,
    frequencyHz: (1 + after) * f0Hz,
    rocofHzPerSecond: ((after - before) * f0Hz) / dt,
    angleRad: wrapAngle(island.angleRad + Math.PI * (before + after) * f0Hz * dt),
    stageSeconds,
    shedShare,
    collapsed: after <= settings.collapse.below - 1 || after >= settings.collapse.above - 1,
  }
}

function stepMachine(
  machine: MachineState,
  network: Network,
  deviation: number,
  dt: number,
  { droop, governorSeconds, turbineSeconds }: FrequencySettings,
): MachineState {
  const unit = network.generators[machine.generator]
  if (unit === undefined || unit.pMaxMw <= 0) return machine
  const limit = (mw: number): number => Math.min(Math.max(mw, 0), unit.pMaxMw)
  const target = machine.referenceMw - (unit.machineMva / droop) * deviation
  // Exact for a constant target, so that no step length makes the two lags unstable.
  const valveMw = limit(target + (machine.valveMw - target) * Math.exp(-dt / governorSeconds))
  const admitted = (valveMw + machine.valveMw) / 2
  const mechanicalMw = limit(admitted + (machine.mechanicalMw - admitted) * Math.exp(-dt / turbineSeconds))
  return { ...machine, valveMw, mechanicalMw }
}

function stepShedding(
  { stageSeconds, shedShare }: IslandFrequency,
  frequencyHz: number,
  dt: number,
  stages: readonly SheddingStage[],
): Pick<IslandFrequency, 'stageSeconds' | 'shedShare'> {
  let shed = shedShare
  const next = stages.map(({ belowHz, share, delaySeconds }, index) => {
    const waited = stageSeconds[index]
    if (waited === null) return null
    if (frequencyHz >= belowHz) return 0
    const seconds = (waited ?? 0) + dt
    if (seconds < delaySeconds - 1e-9) return seconds
    shed += share
    return null
  })
  return { stageSeconds: next, shedShare: Math.min(shed, 1) }
}

/**
 * Secondary control: every period the references take up a share of the area control error,
 * ACE = beta (measured f - f0) with beta = sum S/R + D Pload over f0 in MW per Hz, in proportion to Pmax.
 */
function controlArea(
  island: IslandFrequency,
  network: Network,
  dtSeconds: number,
  { loadMw, measuredHz = island.frequencyHz }: IslandInput,
  settings: FrequencySettings,
): IslandFrequency {
  const elapsed = island.agcElapsedSeconds + dtSeconds
  if (elapsed < settings.agcPeriodSeconds - 1e-9) return { ...island, agcElapsedSeconds: elapsed }
  if (settings.agcGainPerSecond === 0) return { ...island, agcElapsedSeconds: 0 }
  const units = island.machines.map(({ generator }) => network.generators[generator])
  const governed = units.map((unit) => (unit !== undefined && unit.pMaxMw > 0 ? unit : undefined))
  const stiffness = governed.reduce((sum, unit) => sum + (unit?.machineMva ?? 0) / settings.droop, 0)
  const beta = (stiffness + settings.damping * loadMw) / network.f0Hz
  const errorMw = beta * (measuredHz - network.f0Hz)
  const capacity = governed.reduce((sum, unit) => sum + (unit?.pMaxMw ?? 0), 0)
  const machines = island.machines.map((machine, index) => {
    const limitMw = governed[index]?.pMaxMw
    if (limitMw === undefined) return machine
    const change = settings.agcGainPerSecond * settings.agcPeriodSeconds * errorMw * (limitMw / capacity)
    return { ...machine, referenceMw: Math.min(Math.max(machine.referenceMw - change, 0), limitMw) }
  })
  return { ...island, machines, agcElapsedSeconds: 0 }
}

function wrapAngle(angle: number): number {
  return angle - 2 * Math.PI * Math.ceil(angle / (2 * Math.PI) - 0.5)
}

/** The live island of a bus; `undefined` when the bus is dead. */
export function islandAt(state: FrequencyState, bus: number): IslandFrequency | undefined {
  return state.islands.find(({ buses }) => buses.includes(bus))
}

/** The network with every running machine dispatched at what its shaft gives now and shed load taken off. */
export function applyFrequency(state: FrequencyState, network: Network): Network {
  const shaft = new Map<number, number>()
  const shed = new Map<number, number>()
  for (const { machines, buses, shedShare } of state.islands) {
    for (const { generator, mechanicalMw } of machines) shaft.set(generator, mechanicalMw)
    for (const bus of buses) shed.set(bus, shedShare)
  }
  return {
    ...network,
    generators: network.generators.map((unit, generator) => ({
      ...unit,
      pMw: shaft.get(generator) ?? unit.pMw,
    })),
    loads: network.loads.map(({ bus, pMw, qMvar }) => {
      const left = 1 - (shed.get(bus) ?? 0)
      return { bus, pMw: pMw * left, qMvar: qMvar * left }
    }),
  }
}
