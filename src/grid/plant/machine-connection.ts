/** Machines that leave the grid and come back, by order or by their protection. */

import type { Network } from '../network/network.ts'
import { isLive } from './frequency-islands.ts'
import { openLoads } from './shed-load.ts'
import type { LostMachine, Plant } from './state.ts'

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

/** Says why a machine cannot be connected; undefined when it can. */
export function refuseConnection(plant: Plant, base: Network, generator: number): string | undefined {
  const unit = base.generators[generator]
  if (unit === undefined || !isLost(plant, generator)) return 'it is connected already'
  const starters = blackStartUnits(base)
  if (isLive(plant.frequency, unit.bus) || starters.has(generator)) return undefined
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
