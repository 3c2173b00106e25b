/** The share of each bus's load that is disconnected: how it grows, shrinks and is measured. */

import type { Network } from '../network/network.ts'
import { type IslandFrequency, isLive } from './frequency-islands.ts'
import { frequencySettings } from './frequency-settings.ts'
import { computeDemands } from './loads.ts'
import type { Plant } from './state.ts'

/** Below this share nothing of a bus's load counts as disconnected. */
const smallestShare = 1e-3

/** Disconnects every load of an island that goes dark: a machine that starts again must not meet them all at once. */
export function openLoads(plant: Plant, base: Network, buses: readonly number[]): void {
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
  const returning = entries.filter((one) => (bus === undefined || one.bus === bus) && isLive(plant.frequency, one.bus))
  if (returning.length > 0) connectLoad(plant, new Map(returning.map((one) => [one.bus, share])))
  return returning.map((one) => one.bus)
}

/** Connects a share of the load of each bus. */
export function connectLoad(plant: Plant, shares: ReadonlyMap<number, number>): void {
  const left = Object.entries(plant.shed).map(([id, shed]) => [id, shed - (shares.get(Number(id)) ?? 0)] as const)
  plant.shed = Object.fromEntries(left.filter(([, shed]) => shed >= smallestShare))
  plant.isStale = true
}

/** Says why load cannot return at a bus, or anywhere; undefined when it can. */
export function refuseRestoration(plant: Plant, bus: number | undefined): string | undefined {
  const buses = Object.keys(plant.shed).map(Number)
  const where = bus === undefined ? '' : ` at bus ${bus}`
  if (bus === undefined ? buses.length === 0 : !buses.includes(bus)) return `no load is disconnected${where}`
  if (!buses.some((one) => (bus === undefined || one === bus) && isLive(plant.frequency, one))) {
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
