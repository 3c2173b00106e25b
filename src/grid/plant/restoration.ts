/** Automatic restoration: load that was shed and machines that were lost return by rule. */

import { stepSeconds } from '../configuration.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { IslandFrequency } from './frequency-islands.ts'
import { connectMachine } from './machine-connection.ts'
import type { PlantScene } from './scene.ts'
import { connectLoad } from './shed-load.ts'
import type { Plant } from './state.ts'

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

/** Advances automatic restoration: after a normal minute a machine or 2 % of the load returns every ten seconds. */
export function stepRestoration(scene: PlantScene): void {
  const { plant, base } = scene
  const { bandHz, normalSeconds, everySeconds } = restorationRule
  plant.lostMachines = plant.lostMachines.map((lost) => ({ ...lost, seconds: lost.seconds + stepSeconds }))
  const islands = plant.frequency.islands.map((island) => {
    const isNormal = !island.collapsed && Math.abs(island.frequencyHz - base.f0Hz) <= bandHz
    const seconds = isNormal ? island.normalSeconds + stepSeconds : 0
    if (seconds < normalSeconds - 1e-9) return { ...island, normalSeconds: seconds }
    const acted = returnMachine(scene, island) || returnLoad(scene, island)
    return { ...island, normalSeconds: acted ? normalSeconds - everySeconds : normalSeconds }
  })
  plant.frequency = { islands }
}

function returnMachine({ plant, base, events }: PlantScene, { buses }: IslandFrequency): boolean {
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

function returnLoad({ plant, base, factor, events }: PlantScene, { buses, machines }: IslandFrequency): boolean {
  const { stepShare, leastVoltagePu } = restorationRule
  const here = new Set(buses)
  const loads = base.loads.filter(({ bus }) => here.has(bus))
  const voltageAt = (bus: number) => plant.solution.vmPu[busPosition(base, bus)] ?? 0
  const waiting = loads.filter(({ bus }) => plant.shed[bus] !== undefined && voltageAt(bus) >= leastVoltagePu)
  if (waiting.length === 0 || isCrowded(plant, base, here)) return false
  const stepMw = stepShare * loads.reduce((sum, { pMw }) => sum + Math.max(pMw, 0) * factor, 0)
  const spareMw = machines.reduce((sum, { generator, mechanicalMw }) => {
    return sum + Math.max(0, (base.generators[generator]?.pMaxMw ?? 0) - mechanicalMw)
  }, 0)
  const shedMw = waiting.reduce((sum, { bus, pMw }) => sum + pMw * factor * (plant.shed[bus] ?? 0), 0)
  if (spareMw < 2 * Math.min(stepMw, shedMw)) return false
  // Loads that give power may outweigh the others.
  const share = shedMw > stepMw ? stepMw / shedMw : 1
  connectLoad(plant, new Map(waiting.map(({ bus }) => [bus, (plant.shed[bus] ?? 0) * share])))
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
