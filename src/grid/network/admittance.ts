/** The complex admittance of a network: its pattern, planned once, and its values. */

import { memoNewest } from '../../base/memo.ts'
import { toRadians } from '../angles.ts'
import {
  findSlot,
  type Pattern,
  planElimination,
  type SparsePlan,
  toPattern,
} from './linear-algebra/elimination-plan.ts'
import { addAt, indexAt } from './linear-algebra/vector.ts'
import { type Branch, busPosition, type Network } from './network.ts'

/** Everything that depends only on which buses are joined by branches, open or closed. */
export interface GridPlan {
  /** One element per pair of joined buses and per bus, by position in `network.buses`. */
  readonly pattern: Pattern
  /** Positions of the ends of each branch. */
  readonly from: Int32Array
  readonly to: Int32Array
  /** Slots of the four elements of each branch, and of each bus's diagonal. */
  readonly slotFromTo: Int32Array
  readonly slotToFrom: Int32Array
  readonly diagonals: Int32Array
  /** Elimination by buses: one unknown for each (angles), or a block of two (angle, magnitude). */
  readonly elimination: SparsePlan
}

/** The bus admittance matrix in per unit: Y = G + jB, one value per slot of the plan's pattern. */
export interface Admittance {
  readonly conductance: Float64Array
  readonly susceptance: Float64Array
}

/** One branch as a two-port in per unit: the current at each end from the voltages at both. */
export interface BranchAdmittance {
  readonly ffG: number
  readonly ffB: number
  readonly ftG: number
  readonly ftB: number
  readonly tfG: number
  readonly tfB: number
  readonly ttG: number
  readonly ttB: number
}

const findPlan = memoNewest(
  (_: Network['buses'], network: Network) => createPlan(network),
  (before, now) => joinsTheSame(before.branches, now.branches),
)

/** Plans the computations of a network, once for the same buses and branches; loads and breakers may change. */
export function planGrid(network: Network): GridPlan {
  return findPlan(network.buses, network)
}

function joinsTheSame(left: readonly Branch[], right: readonly Branch[]): boolean {
  if (left === right) return true
  if (left.length !== right.length) return false
  return left.every((branch, index) => branch.from === right[index]?.from && branch.to === right[index]?.to)
}

function createPlan(network: Network): GridPlan {
  const from = Int32Array.from(network.branches, (branch) => busPosition(network, branch.from))
  const to = Int32Array.from(network.branches, (branch) => busPosition(network, branch.to))
  const neighbours = network.buses.map(() => new Set<number>())
  from.forEach((position, index) => {
    neighbours[position]?.add(indexAt(to, index))
    neighbours[indexAt(to, index)]?.add(position)
  })
  const pattern = toPattern(neighbours)
  return {
    pattern,
    from,
    to,
    slotFromTo: from.map((position, index) => findSlot(pattern, position, indexAt(to, index))),
    slotToFrom: to.map((position, index) => findSlot(pattern, position, indexAt(from, index))),
    diagonals: Int32Array.from(network.buses, (_, position) => findSlot(pattern, position, position)),
    elimination: planElimination(pattern, 1),
  }
}

const open: BranchAdmittance = { ffG: 0, ffB: 0, ftG: 0, ftB: 0, tfG: 0, tfB: 0, ttG: 0, ttB: 0 }

/**
 * The two-port of a branch; zero while it is out of service. With y = 1 / (r + jx), a = ratio e^(j shift): Yff = (y +
 * jb/2) / |a|^2, Ytt = y + jb/2, Yft = -y / conj(a), Ytf = -y / a (MATPOWER manual, section 3.2).
 */
export function branchAdmittance(branch: Branch): BranchAdmittance {
  if (!branch.inService) return open
  const { r, x, b, ratio } = branch
  const magnitude = r * r + x * x
  const g = r / magnitude
  const s = -x / magnitude
  const shift = toRadians(branch.shiftDeg)
  const cos = Math.cos(shift) / ratio
  const sin = Math.sin(shift) / ratio
  return {
    ffG: g / ratio ** 2,
    ffB: (s + b / 2) / ratio ** 2,
    ftG: -(g * cos - s * sin),
    ftB: -(g * sin + s * cos),
    tfG: -(g * cos + s * sin),
    tfB: -(s * cos - g * sin),
    ttG: g,
    ttB: s + b / 2,
  }
}

/** Sums branches and shunts to the bus admittance matrix. */
export function sumAdmittance(network: Network, plan: GridPlan, ports: readonly BranchAdmittance[]): Admittance {
  const conductance = new Float64Array(plan.pattern.columns.length)
  const susceptance = new Float64Array(plan.pattern.columns.length)
  const add = (slot: number, g: number, b: number): void => {
    addAt(conductance, slot, g)
    addAt(susceptance, slot, b)
  }
  ports.forEach((port, index) => {
    add(indexAt(plan.diagonals, indexAt(plan.from, index)), port.ffG, port.ffB)
    add(indexAt(plan.diagonals, indexAt(plan.to, index)), port.ttG, port.ttB)
    add(indexAt(plan.slotFromTo, index), port.ftG, port.ftB)
    add(indexAt(plan.slotToFrom, index), port.tfG, port.tfB)
  })
  for (const { bus, gMw, bMvar } of network.shunts) {
    const slot = indexAt(plan.diagonals, busPosition(network, bus))
    add(slot, gMw / network.baseMva, bMvar / network.baseMva)
  }
  return { conductance, susceptance }
}

/** The two-ports of a network's branches and the matrix of them and the shunts. */
const findValues = memoNewest(
  (branches: Network['branches'], network: Network) => {
    const ports = branches.map(branchAdmittance)
    return { ports, matrix: sumAdmittance(network, planGrid(network), ports) }
  },
  (before, now) => before.shunts === now.shunts && before.buses === now.buses,
)

/** Computes the admittances of a network, once for the same list of branches and the same shunts. */
export function computeAdmittance(network: Network) {
  return findValues(network.branches, network)
}
