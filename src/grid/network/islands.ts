/** Islands: buses joined by closed branches, each with the bus that balances it. */

import { memoNewest } from '../../base/memo.ts'
import { type GridPlan, planGrid } from './admittance.ts'
import { indexAt } from './linear-algebra/vector.ts'
import { busPosition, type Generator, generatorPositions, type Network } from './network.ts'

/** Buses joined by branches in service. */
export interface Island {
  /** Ids, in the order of `network.buses`. */
  readonly buses: readonly number[]
  /** The bus that balances the island; null when no unit can: then the island is dead. */
  readonly slackBus: number | null
  readonly energized: boolean
}

/** The choice of the slack of an island. */
export interface IslandOptions {
  /** Ignores `network.slackBus`: the unit with the largest Pmax balances every island. */
  readonly largestUnitIsSlack?: boolean
}

/**
 * Finds the islands of a network, in the order of their first buses. The slack is `network.slackBus` with a unit in
 * service, else the bus of the largest Pmax; condensers (Pmax 0) cannot balance an island.
 *
 * @throws GridError invalid_case when a unit that can balance is at a bus that does not exist.
 */
export function findIslands(network: Network, options: IslandOptions = {}): readonly Island[] {
  const { members, buses } = findMembers(network.branches, network)
  const units: Generator[][] = buses.map(() => [])
  const positions = generatorPositions(network)
  network.generators.forEach((unit, index) => {
    if (!unit.inService || unit.pMaxMw <= 0) return
    const position = indexAt(positions, index)
    if (position < 0) busPosition(network, unit.bus) // throws: the bus does not exist
    units[indexAt(members, position)]?.push(unit)
  })
  return buses.map((ids, label) => {
    const slackBus = chooseSlack(network, units[label] ?? [], options)
    return { buses: ids, slackBus, energized: slackBus !== null }
  })
}

/** The label of each bus and the buses of each label, kept with a list of branches between the same buses. */
const findMembers = memoNewest(
  (_: Network['branches'], network: Network) => {
    const members = labelIslands(network, planGrid(network))
    const buses: number[][] = []
    network.buses.forEach(({ id }, position) => {
      const label = indexAt(members, position)
      const island = buses[label]
      if (island === undefined) buses[label] = [id]
      else island.push(id)
    })
    return { members, buses }
  },
  (before, now) => before.buses === now.buses,
)

function chooseSlack(network: Network, units: readonly Generator[], { largestUnitIsSlack }: IslandOptions) {
  if (!largestUnitIsSlack && units.some(({ bus }) => bus === network.slackBus)) return network.slackBus
  const [first] = units
  if (first === undefined) return null
  return units.reduce((largest, unit) => (unit.pMaxMw > largest.pMaxMw ? unit : largest), first).bus
}

/** Numbers the islands from 0 in the order of their first bus; one number per bus position. */
function labelIslands(network: Network, plan: GridPlan): Int32Array {
  const size = network.buses.length
  const neighbours: number[][] = Array.from({ length: size }, () => [])
  network.branches.forEach((branch, index) => {
    if (!branch.inService) return
    neighbours[indexAt(plan.from, index)]?.push(indexAt(plan.to, index))
    neighbours[indexAt(plan.to, index)]?.push(indexAt(plan.from, index))
  })
  const labels = new Int32Array(size).fill(-1)
  let label = 0
  for (let first = 0; first < size; first++) {
    if (indexAt(labels, first) >= 0) continue
    labels[first] = label
    const queue = [first]
    for (const position of queue) {
      for (const next of neighbours[position] ?? []) {
        if (indexAt(labels, next) >= 0) continue
        labels[next] = label
        queue.push(next)
      }
    }
    label += 1
  }
  return labels
}

/** The ids of the buses whose islands have voltage. */
export function liveBuses(islands: readonly Pick<Island, 'energized' | 'buses'>[]): ReadonlySet<number> {
  return new Set(islands.filter(({ energized }) => energized).flatMap(({ buses }) => buses))
}
