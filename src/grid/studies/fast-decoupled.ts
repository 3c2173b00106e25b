/** Fast decoupled power flow: angles from active power, magnitudes from reactive power, constant matrices. */

import { GridError } from '../errors.ts'
import { branchAdmittance, type GridPlan, sumAdmittance } from '../network/admittance.ts'
import { assertNetwork } from '../network/assert-network.ts'
import { factorSparse, type SparseFactors, solveSparse } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import type { Branch, Network } from '../network/network.ts'
import { kind, type Problem, prepare } from '../power-flow/problem.ts'
import { flatStart, type VoltageProfile } from '../power-flow/voltage-profile.ts'

/** The matrix that leaves resistance out: B' (XB, Stott and Alsac) or B'' (BX, van Amerongen). */
export type DecoupledScheme = 'XB' | 'BX'

/** The voltages that the method reached, in `iterations` pairs of half-steps. */
export interface FastDecoupledResult extends VoltageProfile {
  readonly converged: boolean
  readonly iterations: number
  /** The largest mismatches over voltage in per unit, at the start and after each half-step. */
  readonly history: readonly { readonly p: number; readonly q: number }[]
}

/** Mismatches over voltage in per unit: those of a solution are smaller, and from an active one this large none returns. */
const tolerancePu = 1e-8
const hopelessPu = 1e6

/** Most pairs of half-steps. */
const maxIterations = 60

/**
 * Solves the AC power flow from flat by B' dtheta = dP / V and B'' dV = dQ / V, for teaching: B' without charging,
 * shunts and taps, B'' without phase shifts.
 *
 * @throws GridError invalid_case when the network cannot be computed with.
 * @throws GridError not_solvable when a matrix B is singular.
 */
export function solveFastDecoupled(network: Network, scheme: DecoupledScheme): FastDecoupledResult {
  assertNetwork(network)
  const problem = prepare(network, {})
  const known = findKnown(problem)
  const matrices = factorMatrices(network, problem.plan, known, scheme)
  const computeMismatch = createMismatch(problem, known)
  const { magnitude, angle } = flatStart(problem)
  const history: { p: number; q: number }[] = []
  const recordMismatch = () => {
    const { active, reactive } = computeMismatch(magnitude, angle)
    const largest = { p: maxMagnitude(active), q: maxMagnitude(reactive) }
    history.push(largest)
    return largest
  }
  let iterations = 0
  let largest = recordMismatch()
  while (!isSolved(largest) && iterations < maxIterations) {
    iterations += 1
    addAll(angle, solveSparse(matrices.angles, computeMismatch(magnitude, angle).active))
    largest = recordMismatch()
    if (isSolved(largest)) break
    addAll(magnitude, solveSparse(matrices.magnitudes, computeMismatch(magnitude, angle).reactive))
    largest = recordMismatch()
    // Also true of NaN.
    if (!(largest.p < hopelessPu)) break
  }
  const profile = { vmPu: Array.from(magnitude), vaRad: Array.from(angle) }
  return { converged: isSolved(largest), iterations, history, ...profile }
}

function isSolved({ p, q }: { readonly p: number; readonly q: number }): boolean {
  return p < tolerancePu && q < tolerancePu
}

type Known = ReturnType<typeof findKnown>

/** By bus position, 1 where the angle is known (slack, dead) and where the magnitude is (these, and PV); else 0. */
function findKnown({ kinds }: Problem) {
  return {
    angle: kinds.map((busKind) => (busKind === kind.pq || busKind === kind.pv ? 0 : 1)),
    magnitude: kinds.map((busKind) => (busKind === kind.pq ? 0 : 1)),
  }
}

/** Factors B' for the angles and B'' for the magnitudes. */
function factorMatrices(network: Network, plan: GridPlan, known: Known, scheme: DecoupledScheme) {
  const forAngles = network.branches.map((branch): Branch => {
    return { ...branch, b: 0, ratio: 1, r: scheme === 'XB' ? 0 : branch.r }
  })
  const forMagnitudes = network.branches.map((branch): Branch => {
    return { ...branch, shiftDeg: 0, r: scheme === 'BX' ? 0 : branch.r }
  })
  return {
    angles: factorSusceptance({ ...network, shunts: [], branches: forAngles }, plan, known.angle),
    magnitudes: factorSusceptance({ ...network, branches: forMagnitudes }, plan, known.magnitude),
  }
}

function addAll(values: Float64Array, changes: Float64Array): void {
  for (let index = 0; index < values.length; index++) addAt(values, index, at(changes, index))
}

/** Factors -Im(Y), with the rows and columns of known values made those of the identity. */
function factorSusceptance(network: Network, plan: GridPlan, known: Int32Array): SparseFactors {
  const ports = network.branches.map(branchAdmittance)
  const values = sumAdmittance(network, plan, ports).susceptance.map((b) => -b)
  const { rowStart, columns } = plan.pattern
  for (let bus = 0; bus < known.length; bus++) {
    for (let slot = indexAt(rowStart, bus); slot < indexAt(rowStart, bus + 1); slot++) {
      const other = indexAt(columns, slot)
      if (indexAt(known, bus) === 0 && indexAt(known, other) === 0) continue
      values[slot] = other === bus ? 1 : 0
    }
  }
  const factors = factorSparse(plan.elimination, values)
  if (factors !== undefined) return factors
  throw new GridError('not_solvable', 'Cannot solve fast decoupled power flow: a susceptance matrix is singular')
}

/** Makes a function that computes the mismatches over voltage, zero where the angle or the magnitude is known. */
function createMismatch({ plan, admittance, p, q }: Problem, known: Known) {
  const { conductance, susceptance } = admittance
  const { rowStart, columns } = plan.pattern
  return (magnitude: Float64Array, angle: Float64Array) => {
    const active = new Float64Array(p.length)
    const reactive = new Float64Array(p.length)
    for (let bus = 0; bus < p.length; bus++) {
      const v = at(magnitude, bus)
      if (v === 0) continue
      let [pOverV, qOverV] = [at(p, bus) / v, at(q, bus) / v]
      for (let slot = indexAt(rowStart, bus); slot < indexAt(rowStart, bus + 1); slot++) {
        const other = indexAt(columns, slot)
        const cos = at(magnitude, other) * Math.cos(at(angle, bus) - at(angle, other))
        const sin = at(magnitude, other) * Math.sin(at(angle, bus) - at(angle, other))
        pOverV -= at(conductance, slot) * cos + at(susceptance, slot) * sin
        qOverV -= at(conductance, slot) * sin - at(susceptance, slot) * cos
      }
      if (indexAt(known.angle, bus) === 0) active[bus] = pOverV
      if (indexAt(known.magnitude, bus) === 0) reactive[bus] = qOverV
    }
    return { active, reactive }
  }
}
