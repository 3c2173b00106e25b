/** The live islands with their frequencies and machines: made from a solved power flow, and regrouped when breakers move. */

import type { Island } from '../network/islands.ts'
import type { Network } from '../network/network.ts'
import type { PowerFlowResult } from '../power-flow/result.ts'
import { frequencySettings } from './frequency-settings.ts'

/** One machine in MW: its reference, the power that its valve admits, the power of its shaft. */
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
  /** The integral of 2 pi (f - f0) in radians, wrapped to (-pi, pi]; with the angle of the flow, a phasor's angle. */
  readonly angleRad: number
  readonly machines: readonly MachineState[]
  /** Seconds since the last action of the secondary control. */
  readonly agcElapsedSeconds: number
  /** Seconds that the frequency has been below each stage; null once the stage has acted. */
  readonly stageSeconds: readonly (number | null)[]
  /** Share of the load that the stages have shed and that is not booked to its buses yet, 0 to 1. */
  readonly shedShare: number
  /** Seconds for which the frequency has been near nominal. */
  readonly normalSeconds: number
  /** True when the frequency left the range in which machines stay connected. */
  readonly collapsed: boolean
}

/** Every live island; dead ones have no frequency. Plain JSON. */
export interface FrequencyState {
  readonly islands: readonly IslandFrequency[]
}

/** Starts at nominal frequency with every machine giving what a solved power flow says. */
export function createFrequencyState(
  network: Network,
  result: Pick<PowerFlowResult, 'generators' | 'islands'>,
): FrequencyState {
  return followIslands({ islands: [] }, network, result)
}

/**
 * Regroups machines after breakers have moved: a new island takes frequency and angle from its machines, weighed by
 * inertia, and stages that can act in one part; a machine that was not running starts at its output in `result`.
 */
export function followIslands(
  state: FrequencyState,
  network: Network,
  result: Pick<PowerFlowResult, 'generators' | 'islands'>,
): FrequencyState {
  const live = result.islands.filter(({ energized }) => energized)
  return { islands: live.map((island) => inheritIsland(state, network, result, island)) }
}

function inheritIsland(
  state: FrequencyState,
  network: Network,
  { generators }: Pick<PowerFlowResult, 'generators'>,
  { buses }: Island,
): IslandFrequency {
  const here = new Set(buses)
  const inherited = inheritMachines(state, network, here)
  const heaviest = inherited.reduce<Inherited | undefined>(
    (best, one) => (best === undefined || one.inertiaS > best.inertiaS ? one : best),
    undefined,
  )
  const machines = network.generators.flatMap(({ bus, inService }, generator): MachineState[] => {
    if (!inService || !here.has(bus)) return []
    const known = inherited.find(({ machine }) => machine.generator === generator)
    return [known?.machine ?? steadyMachine(generator, generators[generator]?.pMw ?? 0)]
  })
  return {
    buses,
    frequencyHz: weighByInertia(inherited, ({ frequencyHz }) => frequencyHz, network.f0Hz),
    rocofHzPerSecond: weighByInertia(inherited, ({ rocofHzPerSecond }) => rocofHzPerSecond, 0),
    // Angles are circular and have no mean: take that of the machine with the most inertia.
    angleRad: heaviest?.parent.angleRad ?? 0,
    machines,
    agcElapsedSeconds: heaviest?.parent.agcElapsedSeconds ?? 0,
    stageSeconds: frequencySettings.shedding.map((_, stage) => joinStage(inherited, stage)),
    shedShare: 0,
    normalSeconds: inherited.length > 0 ? Math.min(...inherited.map(({ parent }) => parent.normalSeconds)) : 0,
    collapsed: false,
  }
}

/** The longest wait of a stage that can still act in one of the parts; null where it has acted in all of them. */
function joinStage(inherited: readonly Inherited[], stage: number): number | null {
  const waits = inherited.map(({ parent }) => parent.stageSeconds[stage] ?? null).filter((wait) => wait !== null)
  return waits.length > 0 ? Math.max(...waits) : inherited.length > 0 ? null : 0
}

/** A machine that ran before, with the island that it was part of. */
interface Inherited {
  readonly parent: IslandFrequency
  readonly machine: MachineState
  readonly inertiaS: number
}

function inheritMachines({ islands }: FrequencyState, network: Network, here: ReadonlySet<number>) {
  return islands.flatMap((parent) =>
    parent.machines.flatMap((machine): Inherited[] => {
      const unit = network.generators[machine.generator]
      return unit === undefined || !here.has(unit.bus) ? [] : [{ parent, machine, inertiaS: unit.inertiaS }]
    }),
  )
}

/** The mean of a value of the islands before, each as often as its machines have inertia; `fallback` without any. */
function weighByInertia(inherited: readonly Inherited[], value: (parent: IslandFrequency) => number, fallback: number) {
  const total = inherited.reduce((sum, { inertiaS }) => sum + inertiaS, 0)
  if (!(total > 0)) return fallback
  return inherited.reduce((sum, { parent, inertiaS }) => sum + value(parent) * inertiaS, 0) / total
}

/** A machine that has long given what it gives now. */
function steadyMachine(generator: number, pMw: number): MachineState {
  return { generator, referenceMw: pMw, valveMw: pMw, mechanicalMw: pMw }
}

/** The live island of a bus; `undefined` when the bus is dead. */
export function islandAt(state: FrequencyState, bus: number): IslandFrequency | undefined {
  return state.islands.find(({ buses }) => buses.includes(bus))
}

/** Tests that a bus is in an island that has its frequency. */
export function isLive(state: FrequencyState, bus: number): boolean {
  return islandAt(state, bus)?.collapsed === false
}

/** The network with every running machine dispatched at what its shaft gives now; one that just started gives nothing. */
export function applyFrequency(state: FrequencyState, network: Network): Network {
  const shaft = new Map<number, number>()
  for (const { machines } of state.islands) {
    for (const { generator, mechanicalMw } of machines) shaft.set(generator, mechanicalMw)
  }
  return {
    ...network,
    generators: network.generators.map((unit, generator) => ({ ...unit, pMw: shaft.get(generator) ?? 0 })),
  }
}
