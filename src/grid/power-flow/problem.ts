/** A network made ready for a power flow: injections and kinds of buses, by bus position and in per unit. */

import {
  type Admittance,
  type BranchAdmittance,
  branchAdmittance,
  type GridPlan,
  planGrid,
  sumAdmittance,
} from '../network/admittance.ts'
import { findIslands, type Island, type IslandOptions } from '../network/islands.ts'
import { addAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'

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
  readonly setpoints: Float64Array
  readonly flatAngles: Float64Array
}

/** Makes a network ready; dead buses have no injection and the angle 0. */
export function prepare(network: Network, options: IslandOptions): Problem {
  const plan = planGrid(network)
  const ports = network.branches.map(branchAdmittance)
  const islands = findIslands(network, options)
  const size = network.buses.length
  const problem: Problem = {
    network,
    plan,
    islands,
    ports,
    admittance: sumAdmittance(network, plan, ports),
    kinds: new Int32Array(size),
    p: new Float64Array(size),
    q: new Float64Array(size),
    setpoints: new Float64Array(size).fill(1),
    flatAngles: new Float64Array(size),
  }
  sumInjections(problem)
  classifyBuses(problem)
  return problem
}

function sumInjections({ network, p, q }: Problem): void {
  const { baseMva } = network
  for (const { bus, pMw, qMvar } of network.loads) {
    const position = busPosition(network, bus)
    addAt(p, position, -pMw / baseMva)
    addAt(q, position, -qMvar / baseMva)
  }
  for (const { bus, pMw, inService } of network.generators) {
    if (inService) addAt(p, busPosition(network, bus), pMw / baseMva)
  }
}

function classifyBuses({ network, islands, kinds, p, q, setpoints, flatAngles }: Problem): void {
  const reference = (network.slackAngleDeg * Math.PI) / 180
  for (const { buses, energized } of islands) {
    for (const bus of buses) {
      const position = busPosition(network, bus)
      kinds[position] = energized ? kind.pq : kind.dead
      flatAngles[position] = energized ? reference : 0
      if (!energized) [p[position], q[position], setpoints[position]] = [0, 0, 0]
    }
  }
  for (const { bus, inService, vSetpointPu } of network.generators) {
    const position = busPosition(network, bus)
    if (!inService || kinds[position] === kind.dead) continue
    kinds[position] = kind.pv
    setpoints[position] = vSetpointPu
  }
  for (const { slackBus } of islands) {
    if (slackBus !== null) kinds[busPosition(network, slackBus)] = kind.slack
  }
}
