/** Fast decoupled power flow: angles from active power, magnitudes from reactive power, constant matrices. */

import { GridError } from '../errors.ts'
import { branchAdmittance, type GridPlan, sumAdmittance } from '../network/admittance.ts'
import { assertNetwork } from '../network/assert-network.ts'
import { factorSparse, solveSparse } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import type { Branch, Network } from '../network/network.ts'
import { kind, type Problem, prepare } from '../power-flow/problem.ts'
import { flatStart, type VoltageProfile } from '../power-flow/voltage-profile.ts'

/** The matrix that leaves resistance out: B' (XB, Stott and Alsac) or B'' (BX, van Amerongen). */
export type DecoupledScheme = 'XB' | 'BX'

/** The voltages that were reached, and in how many pairs of half-steps. */
export interface FastDecoupledResult extends VoltageProfile {
  readonly converged: boolean
  readonly iterations: number
  /** Largest mismatch over voltage before each half-step, in per unit: how the method approaches. */
  readonly history: readonly { readonly p: number; readonly q: number }[]
}

/** Largest mismatch of a solution in per unit, and most pairs of half-steps. */
const tolerancePu = 1e-8
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
  const { plan, kinds } = problem
  const { magnitude, angle } = flatStart(problem)
  const knownAngle = kinds.map((of) => (of === kind.pq || of === kind.pv ? 0 : 1))
  const knownMagnitude = kinds.map((of) => (of === kind.pq ? 0 : 1))
  const withoutShunts = { ...network, shunts: [] }
  const angles = factorSusceptance(withoutShunts, plan, knownAngle, (branch) => ({
    ...branch,
    b: 0,
    ratio: 1,
    r: scheme === 'XB' ? 0 : branch.r,
  }))
  const magnitudes = factorSusceptance(network, plan, knownMagnitude, (branch) => ({
    ...branch,
    shiftDeg: 0,
    r: scheme === 'BX' ? 0 : branch.r,
  }))
  const mismatch = createMismatch(problem, knownAngle, knownMagnitude)
  const history: { p: number; q: number }[] = []
  const isSolved = (): boolean => {
    const { active, reactive } = mismatch(magnitude, angle)
    const [largestP, largestQ] = [maxMagnitude(active), maxMagnitude(reactive)]
    history.push({ p: largestP, q: largestQ })
    return largestP < tolerancePu && largestQ < tolerancePu
  }
  const finish = (converged: boolean, iterations: number): FastDecoupledResult => ({
    converged,
    iterations,
    history,
    vmPu: Array.from(magnitude),
    vaRad: Array.from(angle),
  })
  if (isSolved()) return finish(true, 0)
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    addAll(angle, solveSparse(angles, mismatch(magnitude, angle).active))
    if (isSolved()) return finish(true, iteration)
    addAll(magnitude, solveSparse(magnitudes, mismatch(magnitude, angle).reactive))
    if (isSolved()) return finish(true, iteration)
    if (!((history.at(-1)?.p ?? 0) < 1e6)) return finish(false, iteration)
  }
  return finish(false, maxIterations)
}

function addAll(values: Float64Array, changes: Float64Array): void {
  for (let index = 0; index < values.length; index++) addAt(values, index, at(changes, index))
}

/** Factors -Im(Y) of a changed network, with the rows and columns of known values made the identity's. */
function factorSusceptance(network: Network, plan: GridPlan, known: Int32Array, change: (branch: Branch) => Branch) {
  const ports = network.branches.map((branch) => branchAdmittance(change(branch)))
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

/** Mismatches over voltage, zero where the angle or the magnitude is known. */
function createMismatch({ plan, admittance, p, q }: Problem, knownAngle: Int32Array, knownMagnitude: Int32Array) {
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
      if (indexAt(knownAngle, bus) === 0) active[bus] = pOverV
      if (indexAt(knownMagnitude, bus) === 0) reactive[bus] = qOverV
    }
    return { active, reactive }
  }
}
