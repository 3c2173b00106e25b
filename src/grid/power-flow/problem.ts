/** A network made ready for a power flow: injections and kinds of buses, by bus position and in per unit. */

import { toRadians } from '../angles.ts'
import {
  type Admittance,
  type BranchAdmittance,
  computeAdmittance,
  type GridPlan,
  planGrid,
} from '../network/admittance.ts'
import { findIslands, type Island, type IslandOptions } from '../network/islands.ts'
import { addAt, allocateVectors, indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, generatorPositions, loadPositions, type Network } from '../network/network.ts'
import { splitLoads, type VoltageLoads } from './voltage-loads.ts'

/** Kinds of buses by what is known of them: nothing (dead), its injection (PQ), P and V (PV), or its voltage (slack). */
export const kind = { dead: 0, pq: 1, pv: 2, slack: 3 } as const

/** A network made ready for iterations: everything by bus position and in per unit. */
export interface Problem {
  readonly network: Network
  readonly plan: GridPlan
  readonly islands: readonly Island[]
  readonly ports: readonly BranchAdmittance[]
  readonly admittance: Admittance
  /** One `kind` for each bus. */
  readonly kinds: Int32Array
  readonly p: Float64Array
  readonly q: Float64Array
  /** The parts of loads that follow the voltages; `p` and `q` hold the others. */
  readonly voltageLoads: VoltageLoads | undefined
  readonly setpoints: Float64Array
  readonly flatAngles: Float64Array
}

/** Makes a network ready; dead buses have no injection and the angle 0. */
export function prepare(network: Network, options: IslandOptions): Problem {
  const plan = planGrid(network)
  const { ports, matrix } = computeAdmittance(network)
  const size = network.buses.length
  const allocate = allocateVectors(size, 4)
  const [p, q] = [allocate(), allocate()]
  const problem: Problem = {
    network,
    plan,
    islands: findIslands(network, options),
    ports,
    admittance: matrix,
    kinds: new Int32Array(size),
    p,
    q,
    voltageLoads: splitLoads(network, p, q),
    setpoints: allocate().fill(1),
    flatAngles: allocate(),
  }
  sumInjections(problem)
  classifyBuses(problem)
  return problem
}

function sumInjections({ network, p, q }: Problem): void {
  const { baseMva, loads, generators } = network
  const [atLoads, atGenerators] = [loadPositions(network), generatorPositions(network)]
  loads.forEach(({ pMw, qMvar }, index) => {
    addAt(p, indexAt(atLoads, index), -pMw / baseMva)
    addAt(q, indexAt(atLoads, index), -qMvar / baseMva)
  })
  generators.forEach(({ pMw, inService }, index) => {
    if (inService) addAt(p, indexAt(atGenerators, index), pMw / baseMva)
  })
}

function classifyBuses({ network, islands, kinds, p, q, setpoints, flatAngles }: Problem): void {
  const reference = toRadians(network.slackAngleDeg)
  kinds.fill(kind.pq)
  flatAngles.fill(reference)
  for (const { buses, energized } of islands) {
    if (energized) continue
    for (const bus of buses) {
      const position = busPosition(network, bus)
      kinds[position] = kind.dead
      for (const values of [flatAngles, p, q, setpoints]) values[position] = 0
    }
  }
  const positions = generatorPositions(network)
  network.generators.forEach(({ inService, vSetpointPu }, index) => {
    const position = indexAt(positions, index)
    if (!inService || indexAt(kinds, position) === kind.dead) return
    kinds[position] = kind.pv
    setpoints[position] = vSetpointPu
  })
  for (const { slackBus } of islands) {
    if (slackBus !== null) kinds[busPosition(network, slackBus)] = kind.slack
  }
}
