/** DC power flow: lossless, flat voltage, small angles; and the linear sensitivities that screen outages. */

import { toRadians } from '../angles.ts'
import { GridError } from '../errors.ts'
import { type GridPlan, planGrid } from '../network/admittance.ts'
import { assertNetwork } from '../network/assert-network.ts'
import { findIslands, liveBuses } from '../network/islands.ts'
import { factorSparse, solveSparse } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt } from '../network/linear-algebra/vector.ts'
import { type Branch, busPosition, type Network, openBranches } from '../network/network.ts'

/** The susceptance of a branch in the DC model: 1 / (x ratio), 0 out of service. */
export function dcSusceptance({ inService, x, ratio }: Branch): number {
  return inService && x !== 0 ? 1 / (x * ratio) : 0
}

/** Factors B of a network; the angles of slacks and dead buses are fixed. */
function prepareDc(network: Network) {
  assertNetwork(network)
  const plan = planGrid(network)
  const islands = findIslands(network)
  const fixed = new Int32Array(network.buses.length)
  const reference = new Float64Array(network.buses.length)
  for (const { buses, slackBus } of islands) {
    for (const bus of slackBus === null ? buses : [slackBus]) fixed[busPosition(network, bus)] = 1
    if (slackBus !== null) reference[busPosition(network, slackBus)] = toRadians(network.slackAngleDeg)
  }
  const susceptances = Float64Array.from(network.branches, dcSusceptance)
  const factors = factorSparse(plan.elimination, sumSusceptances(plan, susceptances, fixed))
  if (factors === undefined) {
    throw new GridError('not_solvable', 'Cannot solve DC power flow: the susceptance matrix is singular')
  }
  const shifts = Float64Array.from(network.branches, ({ shiftDeg }) => toRadians(shiftDeg))
  return { plan, islands, susceptances, shifts, factors, fixed, reference }
}

/** B with the rows and columns of known angles made those of the identity. */
function sumSusceptances(plan: GridPlan, susceptances: Float64Array, fixed: Int32Array): Float64Array {
  const values = new Float64Array(plan.pattern.columns.length)
  susceptances.forEach((b, index) => {
    const from = indexAt(plan.from, index)
    const to = indexAt(plan.to, index)
    const isFree = (bus: number): boolean => indexAt(fixed, bus) === 0
    if (isFree(from)) addAt(values, indexAt(plan.diagonals, from), b)
    if (isFree(to)) addAt(values, indexAt(plan.diagonals, to), b)
    if (!isFree(from) || !isFree(to)) return
    addAt(values, indexAt(plan.slotFromTo, index), -b)
    addAt(values, indexAt(plan.slotToFrom, index), -b)
  })
  fixed.forEach((isFixed, bus) => {
    if (isFixed === 1) values[indexAt(plan.diagonals, bus)] = 1
  })
  return values
}

/**
 * Solves B theta = P with P_ft = (theta_f - theta_t - shift) / (x ratio); shunt conductances count as load.
 *
 * @throws GridError invalid_case when the network cannot be computed with.
 * @throws GridError not_solvable when the matrix B is singular.
 */
export function solveDcPowerFlow(network: Network) {
  const problem = prepareDc(network)
  const { plan, susceptances, shifts, fixed, reference } = problem
  const right = injectionsPu(network)
  susceptances.forEach((b, index) => {
    const from = indexAt(plan.from, index)
    const to = indexAt(plan.to, index)
    addAt(right, from, b * at(shifts, index))
    addAt(right, to, -b * at(shifts, index))
    // Known angles move to the right-hand side.
    addAt(right, from, b * at(reference, to))
    addAt(right, to, b * at(reference, from))
  })
  fixed.forEach((isFixed, bus) => {
    if (isFixed === 1) right[bus] = at(reference, bus)
  })
  const angles = solveSparse(problem.factors, right)
  const flowMw = Array.from(susceptances, (b, index) => {
    const difference = at(angles, indexAt(plan.from, index)) - at(angles, indexAt(plan.to, index))
    return b * (difference - at(shifts, index)) * network.baseMva
  })
  return { vaRad: Array.from(angles), flowMw, islands: problem.islands }
}

function injectionsPu(network: Network): Float64Array {
  const p = new Float64Array(network.buses.length)
  const add = (bus: number, mw: number): void => addAt(p, busPosition(network, bus), mw / network.baseMva)
  for (const { bus, pMw } of network.loads) add(bus, -pMw)
  for (const { bus, gMw } of network.shunts) add(bus, -gMw)
  for (const { bus, pMw, inService } of network.generators) if (inService) add(bus, pMw)
  return p
}

/**
 * Line outage distribution factors, a row per outage, undefined where it splits an island: LODF_kl = phi_kl / (1 -
 * phi_ll) with phi the flows per MW along branch l (Wood and Wollenberg, section 7.5).
 *
 * @throws GridError as `solveDcPowerFlow` does.
 */
export function outageFactors(network: Network): readonly (readonly number[] | undefined)[] {
  const { plan, islands, susceptances, factors, fixed } = prepareDc(network)
  const live = liveBuses(islands)
  const nothing = network.branches.map(() => 0)
  return network.branches.map((branch, outage) => {
    if (!branch.inService) return nothing
    // A dead island has no angles from which a split could be seen.
    if (!live.has(branch.from)) return splits(network, branch, islands.length) ? undefined : nothing
    const right = new Float64Array(network.buses.length)
    const [from, to] = [indexAt(plan.from, outage), indexAt(plan.to, outage)]
    if (indexAt(fixed, from) === 0) right[from] = 1
    if (indexAt(fixed, to) === 0) right[to] = -1
    const angles = solveSparse(factors, right)
    const shares = Array.from(
      susceptances,
      (b, index) => b * (at(angles, indexAt(plan.from, index)) - at(angles, indexAt(plan.to, index))),
    )
    const left = 1 - (shares[outage] ?? 0)
    // A bridge carries all of a transfer between its ends.
    if (Math.abs(left) < 1e-8) return undefined
    return shares.map((share, index) => (index === outage ? -1 : share / left))
  })
}

/** True when opening a branch divides its island. */
function splits(network: Network, { number }: Branch, islands: number): boolean {
  return findIslands(openBranches(network, new Set([number]))).length > islands
}
