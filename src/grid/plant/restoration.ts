/** The way back: load that was shed and machines that were lost return by order or by rule. */

import { busPosition, type Network } from '../network/network.ts'
import { type IslandFrequency, islandAt } from './frequency-islands.ts'
import { frequencySettings } from './frequency-settings.ts'
import { computeDemands, stepSeconds } from './moment-network.ts'
import type { LostMachine, Plant } from './state.ts'

/** The rule of automatic restoration: a design rule. */
export const restorationRule = {
  /** Largest deviation of a frequency that counts as normal, and how long it must have been so. */
  bandHz: 0.1,
  normalSeconds: 60,
  /** Seconds between two actions in an island. */
  everySeconds: 10,
  /** Share of an island's load that returns at once; the machines must have twice as much to spare. */
  stepShare: 0.02,
  /** Voltage at which load returns and a machine joins, in per unit. */
  leastVoltagePu: 0.92,
  /** Seconds for which a machine that tripped stays away. */
  machineSeconds: 120,
} as const

/** Below this share nothing of a bus's load counts as disconnected. */
const smallestShare = 1e-3

/** Machines that start without voltage from outside: the one of the slack bus and the smallest with a governor. */
export function blackStartUnits({ generators, slackBus }: Network): ReadonlySet<number> {
  const governed = [...generators.entries()].filter(([, { pMaxMw }]) => pMaxMw > 0)
  const [smallest] = [...governed].sort(([, one], [, other]) => one.pMaxMw - other.pMaxMw)
  const atSlack = governed.filter(([, { bus }]) => bus === slackBus)
  return new Set([...atSlack, ...(smallest ? [smallest] : [])].map(([machine]) => machine))
}

/** Tests that a machine is disconnected. */
export function isLost({ lostMachines }: Pick<Plant, 'lostMachines'>, machine: number): boolean {
  return lostMachines.some(({ generator }) => generator === machine)
}

function isLive(plant: Plant, bus: number): boolean {
  return islandAt(plant.frequency, bus)?.collapsed === false
}

/** Says why a machine cannot be connected; undefined when it can. */
export function refuseConnection(plant: Plant, base: Network, generator: number): string | undefined {
  const unit = base.generators[generator]
  if (unit === undefined || !isLost(plant, generator)) return 'it is connected already'
  const starters = blackStartUnits(base)
  if (isLive(plant, unit.bus) || starters.has(generator)) return undefined
  const buses = [...starters].map((at) => base.generators[at]?.bus).join(' and ')
  return `bus ${unit.bus} is dead, and only the machines at bus ${buses} start without voltage from outside`
}

/** Connects a machine: at a live bus at 0 MW, at a dead one as a black start. Check `refuseConnection` first. */
export function connectMachine(plant: Plant, generator: number): void {
  plant.lostMachines = plant.lostMachines.filter((lost) => lost.generator !== generator)
  plant.isStale = true
}

/** Disconnects a machine by order. */
export function disconnectMachine(plant: Plant, base: Network, generator: number): void {
  if (!isLost(plant, generator)) loseMachines(plant, base, [generator], 'order')
}

/** Disconnects machines. An island that has no other machine with a governor goes dark. */
export function loseMachines(
  plant: Plant,
  base: Network,
  generators: readonly number[],
  cause: LostMachine['cause'],
): void {
  plant.lostMachines = [...plant.lostMachines, ...generators.map((generator) => ({ generator, cause, seconds: 0 }))]
  plant.isStale = true
  for (const { machines, buses } of plant.frequency.islands) {
    if (!machines.some(({ generator }) => generators.includes(generator))) continue
    const left = machines.filter(({ generator }) => !isLost(plant, generator))
    if (!left.some(({ generator }) => (base.generators[generator]?.pMaxMw ?? 0) > 0)) openLoads(plant, base, buses)
  }
}

/** Disconnects every load of an island that goes dark: a machine that starts again must not meet them all at once. */
function openLoads(plant: Plant, base: Network, buses: readonly number[]): void {
  const dark = new Set(buses)
  const loads = base.loads.filter(({ bus }) => dark.has(bus))
  plant.shed = { ...plant.shed, ...Object.fromEntries(loads.map(({ bus }) => [bus, 1])) }
}

/** Books what the stages of an island shed to its buses: each bus keeps its own share from then on. */
export function bookShedding(plant: Plant, base: Network, { buses, shedShare }: IslandFrequency): void {
  const here = new Set(buses)
  const loads = base.loads.filter(({ bus }) => here.has(bus))
  const entries = loads.map(({ bus }) => [bus, Math.min(1, (plant.shed[bus] ?? 0) + shedShare)])
  plant.shed = { ...plant.shed, ...Object.fromEntries(entries) }
}

/** Connects up to a share of the load that was disconnected at a bus, or at every live one; returns their buses. */
export function restoreLoad(plant: Plant, bus: number | undefined, share: number): readonly number[] {
  const entries = Object.entries(plant.shed).map(([id, shed]) => ({ bus: Number(id), shed }))
  const returning = entries.filter((one) => (bus === undefined || one.bus === bus) && isLive(plant, one.bus))
  if (returning.length > 0) connect(plant, new Map(returning.map((one) => [one.bus, share])))
  return returning.map((one) => one.bus)
}

function connect(plant: Plant, shares: ReadonlyMap<number, number>): void {
  const left = Object.entries(plant.shed).map(([id, shed]) => [id, shed - (shares.get(Number(id)) ?? 0)] as const)
  plant.shed = Object.fromEntries(left.filter(([, shed]) => shed >= smallestShare))
  plant.isStale = true
}

/** Says why load cannot return at a bus, or anywhere; undefined when it can. */
export function refuseRestoration(plant: Plant, bus: number | undefined): string | undefined {
  const buses = Object.keys(plant.shed).map(Number)
  const where = bus === undefined ? '' : ` at bus ${bus}`
  if (bus === undefined ? buses.length === 0 : !buses.includes(bus)) return `no load is disconnected${where}`
  if (!buses.some((one) => (bus === undefined || one === bus) && isLive(plant, one))) {
    return bus === undefined ? 'every bus with load that is disconnected is dead' : `bus ${bus} is dead`
  }
  return undefined
}

/** Arms the stages again whose load has returned. */
export function rearmStages(plant: Plant, base: Network): void {
  const { shedding } = frequencySettings
  plant.frequency = {
    islands: plant.frequency.islands.map((island) => {
      if (!island.stageSeconds.includes(null)) return island
      const { loadMw, shedMw } = measureLoad(plant, base, island.buses, 1)
      let before = 0
      const stageSeconds = shedding.map(({ share }, stage) => {
        before += share
        const waited = island.stageSeconds[stage] ?? null
        return waited === null && shedMw < (before - share / 2) * loadMw ? 0 : waited
      })
      return { ...island, stageSeconds }
    }),
  }
}

/** The load of buses before shedding and the shed part of it, in MW; a bus that is off altogether counts in neither. */
export function measureLoad(
  plant: Pick<Plant, 'shed' | 'solution' | 'busNoise'>,
  base: Network,
  buses: readonly number[],
  factor: number,
): { readonly loadMw: number; readonly shedMw: number } {
  const here = new Set(buses)
  let loadMw = 0
  let shedMw = 0
  const demands = computeDemands(plant, base, plant.solution.vmPu)
  for (const [index, { bus }] of base.loads.entries()) {
    const share = plant.shed[bus] ?? 0
    if (!here.has(bus) || share === 1) continue
    const pMw = (demands[index] ?? 0) * factor
    loadMw += pMw
    shedMw += pMw * share
  }
  return { loadMw, shedMw }
}

/**
 * Advances automatic restoration: a minute after the frequency is normal a machine joins or 2 % of the load returns
 * every ten seconds, where there is room.
 */
export function stepRestoration(plant: Plant, base: Network, factor: number, events: string[]): void {
  const { bandHz, normalSeconds, everySeconds } = restorationRule
  plant.lostMachines = plant.lostMachines.map((lost) => ({ ...lost, seconds: lost.seconds + stepSeconds }))
  const islands = plant.frequency.islands.map((island) => {
    const isNormal = !island.collapsed && Math.abs(island.frequencyHz - base.f0Hz) <= bandHz
    const seconds = isNormal ? island.normalSeconds + stepSeconds : 0
    if (seconds < normalSeconds - 1e-9) return { ...island, normalSeconds: seconds }
    const acted = returnMachine(plant, base, island, events) || returnLoad(plant, base, island, factor, events)
    return { ...island, normalSeconds: acted ? normalSeconds - everySeconds : normalSeconds }
  })
  plant.frequency = { islands }
}

function returnMachine(plant: Plant, base: Network, { buses }: IslandFrequency, events: string[]): boolean {
  const { leastVoltagePu, machineSeconds } = restorationRule
  const back = plant.lostMachines.find(({ generator, cause, seconds }) => {
    const bus = base.generators[generator]?.bus
    if (cause === 'order' || seconds < machineSeconds || bus === undefined || !buses.includes(bus)) return false
    return (plant.solution.vmPu[busPosition(base, bus)] ?? 0) >= leastVoltagePu
  })
  if (back === undefined) return false
  connectMachine(plant, back.generator)
  events.push(`the machine at bus ${base.generators[back.generator]?.bus} joined again`)
  return true
}

function returnLoad(
  plant: Plant,
  base: Network,
  { buses, machines }: IslandFrequency,
  factor: number,
  events: string[],
): boolean {
  const { stepShare, leastVoltagePu } = restorationRule
  const here = new Set(buses)
  const loads = base.loads.filter(({ bus, pMw }) => here.has(bus) && pMw > 0)
  const voltageAt = (bus: number) => plant.solution.vmPu[busPosition(base, bus)] ?? 0
  const waiting = loads.filter(({ bus }) => plant.shed[bus] !== undefined && voltageAt(bus) >= leastVoltagePu)
  if (waiting.length === 0 || isCrowded(plant, base, here)) return false
  const stepMw = stepShare * loads.reduce((sum, { pMw }) => sum + pMw * factor, 0)
  const spareMw = machines.reduce((sum, { generator, mechanicalMw }) => {
    return sum + Math.max(0, (base.generators[generator]?.pMaxMw ?? 0) - mechanicalMw)
  }, 0)
  const shedMw = waiting.reduce((sum, { bus, pMw }) => sum + pMw * factor * (plant.shed[bus] ?? 0), 0)
  if (spareMw < 2 * Math.min(stepMw, shedMw)) return false
  const share = Math.min(1, stepMw / shedMw)
  connect(plant, new Map(waiting.map(({ bus }) => [bus, (plant.shed[bus] ?? 0) * share])))
  events.push(`${(shedMw * share).toFixed(1)} MW of the load that was disconnected returned`)
  return true
}

/** Tests that a branch of an island carries more than its over-current pick-up. */
function isCrowded({ solution }: Plant, base: Network, here: ReadonlySet<number>): boolean {
  return base.branches.some(
    ({ from, securePickupMva }, index) =>
      here.has(from) && (solution.branches[index]?.loadingMva ?? 0) > securePickupMva,
  )
}
