/** The frequency of each island over time: swing equation, governors, turbines, secondary control, load shedding. */

import { wrapAngle } from '../angles.ts'
import type { Network } from '../network/network.ts'
import type { FrequencyState, IslandFrequency, MachineState } from './frequency-islands.ts'
import { frequencySettings } from './frequency-settings.ts'

/** The inputs of an island during a step, in the order of `state.islands`. */
export interface IslandInput {
  /** Load before shedding at nominal frequency, and the part of it that was shed before this step. */
  readonly loadMw: number
  readonly shedMw?: number
  readonly lossesMw: number
  /** The frequency that the control centre measured; default the true one. */
  readonly measuredHz?: number | undefined
}

/** The inputs of an advance of the frequency. */
export interface FrequencyStep {
  /** Usually 0.1; it is divided into steps of at most `substepSeconds`. */
  readonly dtSeconds: number
  /** One for each island of the state, in its order. */
  readonly inputs: readonly IslandInput[]
  /** Share of the area control error that the references take up per second; 0 switches the secondary control off. */
  readonly agcGainPerSecond: number
}

/**
 * Advances every island.
 *
 * 2 H dw/dt = sum Pm - Pload (1 - shed) - Ploss - D Pload w, all over the base MVA, with w the per-unit deviation
 * of frequency and H the sum of the connected machines' constants on that base; Tg dPv/dt = Pref - (S/R) w - Pv;
 * Tt dPm/dt = Pv - Pm; Pmin <= Pv, Pm <= Pmax (Kundur, Power System Stability and Control, chapter 11); a turbine below
 * 1 % of its rating takes the rest of that from the grid as friction.
 * Machines out of service in `network` no longer count; condensers have inertia but no governor. A machine that
 * was dispatched above its Pmax, as the slack of case39 is, falls back to it.
 */
export function stepFrequency(state: FrequencyState, network: Network, step: FrequencyStep): FrequencyState {
  return {
    islands: state.islands.map((island, index) => {
      const input = step.inputs[index] ?? { loadMw: 0, lossesMw: 0 }
      return island.collapsed ? island : stepIsland(island, network, input, step)
    }),
  }
}

function stepIsland(
  island: IslandFrequency,
  network: Network,
  input: IslandInput,
  step: FrequencyStep,
): IslandFrequency {
  // The allowance for rounding makes five steps, not six, of 0.1 s at 0.02 s.
  const count = Math.max(1, Math.ceil(step.dtSeconds / frequencySettings.substepSeconds - 1e-9))
  const running = island.machines.filter(({ generator }) => network.generators[generator]?.inService === true)
  let next: IslandFrequency = { ...island, machines: running }
  for (let substep = 0; substep < count; substep++) {
    next = integrate(next, network, step.dtSeconds / count, input)
  }
  return controlArea(next, network, input, step)
}

function integrate(
  island: IslandFrequency,
  network: Network,
  dt: number,
  { loadMw, lossesMw, shedMw = 0 }: IslandInput,
): IslandFrequency {
  const { f0Hz, baseMva } = network
  const { damping, collapse } = frequencySettings
  const before = island.frequencyHz / f0Hz - 1
  const machines = island.machines.map((machine) => stepMachine(machine, network, before, dt))
  const { mechanicalMw, inertiaS } = sumShafts(network, island.machines, machines)
  const demandMw = loadMw * (1 - island.shedShare) - shedMw + lossesMw
  const surplus = (mechanicalMw - demandMw - damping * loadMw * before) / baseMva
  // An island without inertia loses its frequency at once.
  const slope = inertiaS > 0 ? surplus / (2 * inertiaS) : Number.NEGATIVE_INFINITY
  const after = Math.min(Math.max(before + slope * dt, collapse.below - 1), collapse.above - 1)
  const { stageSeconds, shedShare } = stepShedding(island, { frequencyHz: (1 + after) * f0Hz, f0Hz, dt })
  return {
    ...island,
    machines,
    frequencyHz: (1 + after) * f0Hz,
    rocofHzPerSecond: ((after - before) * f0Hz) / dt,
    angleRad: wrapAngle(island.angleRad + Math.PI * (before + after) * f0Hz * dt),
    stageSeconds,
    shedShare,
    collapsed: after <= collapse.below - 1 || after >= collapse.above - 1,
  }
}

/** The power of all shafts, and the inertia of their machines. */
function sumShafts(network: Network, before: readonly MachineState[], after: readonly MachineState[]) {
  let mechanicalMw = 0
  let inertiaS = 0
  after.forEach(({ mechanicalMw: shaftMw, generator }, index) => {
    // The mean over the step makes the scheme second order in the shaft's power.
    const meanMw = (shaftMw + (before[index]?.mechanicalMw ?? shaftMw)) / 2
    const unit = network.generators[generator]
    mechanicalMw += meanMw - motoringMw(unit, meanMw)
    inertiaS += unit?.inertiaS ?? 0
  })
  return { mechanicalMw, inertiaS }
}

/** Power that a turbine takes from the grid when nearly nothing drives it: without load the frequency falls by it. */
function motoringMw(unit: Network['generators'][number] | undefined, meanMw: number): number {
  if (unit === undefined || unit.pMaxMw <= 0) return 0
  return Math.max(0, frequencySettings.friction * unit.machineMva - meanMw)
}

function stepMachine(machine: MachineState, network: Network, deviation: number, dt: number): MachineState {
  const { droop, governorSeconds, turbineSeconds } = frequencySettings
  const unit = network.generators[machine.generator]
  if (unit === undefined || unit.pMaxMw <= 0) return machine
  const limit = (mw: number): number => Math.min(Math.max(mw, unit.pMinMw), unit.pMaxMw)
  const target = machine.referenceMw - (unit.machineMva / droop) * deviation
  // Exact for a constant target, so that no step length makes the two lags unstable.
  const valveMw = limit(target + (machine.valveMw - target) * Math.exp(-dt / governorSeconds))
  const admitted = (valveMw + machine.valveMw) / 2
  const mechanicalMw = limit(admitted + (machine.mechanicalMw - admitted) * Math.exp(-dt / turbineSeconds))
  return { ...machine, valveMw, mechanicalMw }
}

function stepShedding(
  { stageSeconds, shedShare }: IslandFrequency,
  { frequencyHz, f0Hz, dt }: { readonly frequencyHz: number; readonly f0Hz: number; readonly dt: number },
) {
  let shed = shedShare
  const next = frequencySettings.shedding.map(({ belowHz, share, delaySeconds }, index) => {
    const waited = stageSeconds[index]
    if (waited === null) return null
    if (frequencyHz >= belowHz * (f0Hz / 60)) return 0
    const seconds = (waited ?? 0) + dt
    if (seconds < delaySeconds - 1e-9) return seconds
    shed += share
    return null
  })
  return { stageSeconds: next, shedShare: Math.min(shed, 1) }
}

/** Secondary control: each period the references take up a share of ACE = beta (measured f - f0), by Pmax. */
function controlArea(
  island: IslandFrequency,
  network: Network,
  { loadMw, measuredHz = island.frequencyHz }: IslandInput,
  { dtSeconds, agcGainPerSecond }: FrequencyStep,
): IslandFrequency {
  const { agcPeriodSeconds } = frequencySettings
  const elapsed = island.agcElapsedSeconds + dtSeconds
  if (elapsed < agcPeriodSeconds - 1e-9) return { ...island, agcElapsedSeconds: elapsed }
  if (agcGainPerSecond === 0) return { ...island, agcElapsedSeconds: 0 }
  const share = agcGainPerSecond * agcPeriodSeconds
  return { ...moveReferences(island, network, loadMw, share * (measuredHz - network.f0Hz)), agcElapsedSeconds: 0 }
}

/** Lowers the references of an island's machines by beta times a frequency deviation, beta = sum S/R + D Pload / f0. */
export function moveReferences(
  island: IslandFrequency,
  network: Network,
  loadMw: number,
  deviationHz: number,
): IslandFrequency {
  const { droop, damping } = frequencySettings
  const units = island.machines.map(({ generator }) => network.generators[generator])
  const governed = units.map((unit) => (unit !== undefined && unit.pMaxMw > 0 ? unit : undefined))
  const stiffness = governed.reduce((sum, unit) => sum + (unit?.machineMva ?? 0) / droop, 0)
  const errorMw = ((stiffness + damping * loadMw) / network.f0Hz) * deviationHz
  const capacity = governed.reduce((sum, unit) => sum + (unit?.pMaxMw ?? 0), 0)
  const machines = island.machines.map((machine, index) => {
    const unit = governed[index]
    if (unit === undefined) return machine
    const change = errorMw * (unit.pMaxMw / capacity)
    return { ...machine, referenceMw: Math.min(Math.max(machine.referenceMw - change, unit.pMinMw), unit.pMaxMw) }
  })
  return { ...island, machines }
}
