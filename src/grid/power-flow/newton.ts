/** Newton's method in polar coordinates, from a list of starts: the given one, flat, turned, raised load. */

import type { GridPlan } from '../network/admittance.ts'
import { factorDense, solveDense } from '../network/linear-algebra/dense-lu.ts'
import { factorSparse, solveSparse, toDense } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import { kind, type Problem } from './problem.ts'
import { flatStart, turnedStart, type Voltages } from './voltage-profile.ts'

/** Options of Newton's method. */
export interface NewtonOptions {
  /** Largest mismatch of a solution in per unit. Default 1e-8. */
  readonly tolerancePu?: number
  /** Newton iterations per attempt. Default 20. */
  readonly maxIterations?: number
  /** `dense` is the plain method, kept for comparison. Default `sparse`. */
  readonly solver?: 'sparse' | 'dense'
}

/** The end of one run of iterations. */
export interface Attempt {
  readonly voltages: Voltages
  readonly converged: boolean
  readonly iterations: number
  readonly mismatchPu: number
}

/** The attempt that counts, after those that failed. */
export interface SolveResult {
  readonly attempt: Attempt
  readonly solvedShare: number
  readonly startedFrom: 'profile' | 'flat' | 'turned' | 'homotopy'
}

/** Below this voltage in per unit a solution from a given start is doubted: it may lie below the nose of the curve. */
const doubtfulPu = 0.5

/**
 * Solves from each start in turn: the given one, flat, turned by phase shifts where there are any, homotopy.
 *
 * A solution from the given start with a voltage below 0.5 pu counts only when flat and turned find none: from the
 * voltages of a disturbed grid the iteration can end in a solution that no grid has, and would start from it for ever.
 */
export function solveFromStarts(problem: Problem, start: Voltages | undefined, options: NewtonOptions): SolveResult {
  const starts: readonly (readonly [SolveResult['startedFrom'], () => Voltages | undefined])[] = [
    ['profile', () => start],
    ['flat', () => flatStart(problem)],
    ['turned', () => turnedStart(problem)],
  ]
  let iterations = 0
  let doubtful: SolveResult | undefined
  for (const [startedFrom, create] of starts) {
    const voltages = create()
    if (voltages === undefined) continue
    const attempt = iterate(problem, voltages, 1, options)
    iterations += attempt.iterations
    if (!attempt.converged) continue
    const result = { attempt: { ...attempt, iterations }, solvedShare: 1, startedFrom }
    if (startedFrom !== 'profile' || !isDoubtful(problem, attempt)) return result
    doubtful = result
  }
  return doubtful ?? raiseLoad(problem, iterations, options)
}

function isDoubtful({ kinds }: Problem, { voltages }: Attempt): boolean {
  return voltages.magnitude.some((vm, bus) => vm < doubtfulPu && kinds[bus] === kind.pq)
}

function raiseLoad(problem: Problem, iterationsSoFar: number, options: NewtonOptions): SolveResult {
  let iterations = iterationsSoFar
  let share = 0
  let step = 0.5
  let best: Attempt = { voltages: flatStart(problem), converged: false, iterations, mismatchPu: Number.NaN }
  while (share < 1 && step >= 1 / 64) {
    const next = Math.min(1, share + step)
    const attempt = iterate(problem, best.voltages, next, options)
    iterations += attempt.iterations
    if (attempt.converged) [share, best] = [next, attempt]
    else step /= 2
  }
  return {
    attempt: { ...best, iterations, converged: share === 1 },
    solvedShare: share,
    startedFrom: 'homotopy',
  }
}

/** Newton's iterations on the given share of all injections. */
function iterate(problem: Problem, start: Voltages, share: number, options: NewtonOptions): Attempt {
  const { tolerancePu = 1e-8, maxIterations = 20, solver = 'sparse' } = options
  const voltages = { magnitude: start.magnitude.slice(), angle: start.angle.slice() }
  const size = problem.kinds.length
  const right = new Float64Array(2 * size)
  const jacobian = new Float64Array(problem.plan.double.pattern.columns.length)
  for (let iterations = 0; ; iterations++) {
    linearize(problem, voltages, share, right, jacobian)
    const mismatchPu = maxMagnitude(right)
    const converged = mismatchPu < tolerancePu
    const isHopeless = !(mismatchPu < 1e6) || iterations === maxIterations
    if (converged || isHopeless) return { voltages, converged, iterations, mismatchPu }
    const change = solveStep(problem.plan, jacobian, right, solver)
    if (change === undefined) return { voltages, converged, iterations, mismatchPu }
    for (let bus = 0; bus < size; bus++) {
      addAt(voltages.angle, bus, at(change, 2 * bus))
      // The second unknown is the relative change of the magnitude, which makes the Jacobian cheap.
      voltages.magnitude[bus] = at(voltages.magnitude, bus) * (1 + at(change, 2 * bus + 1))
    }
  }
}

function solveStep(
  plan: GridPlan,
  jacobian: Float64Array,
  right: Float64Array,
  solver: 'sparse' | 'dense',
): Float64Array | undefined {
  const factors = solver === 'sparse' ? factorSparse(plan.double, jacobian) : undefined
  if (factors !== undefined) return solveSparse(factors, right)
  // Elimination without pivoting can meet a zero that exchanging rows avoids.
  const dense = factorDense(toDense(plan.double.pattern, jacobian), right.length)
  return dense && solveDense(dense, right)
}

/**
 * Writes the mismatches and the Jacobian at a voltage profile; the rows and columns of known angles and
 * magnitudes become those of the identity, so that the pattern never depends on the kinds of buses.
 */
function linearize(
  problem: Problem,
  { magnitude, angle }: Voltages,
  share: number,
  right: Float64Array,
  jacobian: Float64Array,
): void {
  const { plan, kinds, p, q } = problem
  const { conductance, susceptance } = problem.admittance
  const { rowStart, columns } = plan.pattern
  const size = kinds.length
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  for (let bus = 0; bus < size; bus++) {
    real[bus] = at(magnitude, bus) * Math.cos(at(angle, bus))
    imaginary[bus] = at(magnitude, bus) * Math.sin(at(angle, bus))
  }
  for (let bus = 0; bus < size; bus++) {
    const e = at(real, bus)
    const f = at(imaginary, bus)
    const start = indexAt(rowStart, bus)
    const end = indexAt(rowStart, bus + 1)
    // A bus with d slots owns 4d values: first its row for P, then its row for Q, two values per slot.
    const pRow = 4 * start
    const qRow = pRow + 2 * (end - start)
    const solvesP = indexAt(kinds, bus) === kind.pq || indexAt(kinds, bus) === kind.pv
    const solvesQ = indexAt(kinds, bus) === kind.pq
    let pSum = 0
    let qSum = 0
    for (let slot = start; slot < end; slot++) {
      const other = indexAt(columns, slot)
      const g = at(conductance, slot)
      const b = at(susceptance, slot)
      const cos = e * at(real, other) + f * at(imaginary, other)
      const sin = f * at(real, other) - e * at(imaginary, other)
      const along = g * cos + b * sin
      const across = g * sin - b * cos
      pSum += along
      qSum += across
      if (other === bus) continue
      const offset = 2 * (slot - start)
      const otherKind = indexAt(kinds, other)
      const hasAngle = otherKind === kind.pq || otherKind === kind.pv
      const hasMagnitude = otherKind === kind.pq
      jacobian[pRow + offset] = solvesP && hasAngle ? across : 0
      jacobian[pRow + offset + 1] = solvesP && hasMagnitude ? along : 0
      jacobian[qRow + offset] = solvesQ && hasAngle ? -along : 0
      jacobian[qRow + offset + 1] = solvesQ && hasMagnitude ? across : 0
    }
    const square = e * e + f * f
    const diagonal = indexAt(plan.diagonals, bus)
    const g = at(conductance, diagonal) * square
    const b = at(susceptance, diagonal) * square
    const offset = 2 * (diagonal - start)
    jacobian[pRow + offset] = solvesP ? -qSum - b : 1
    jacobian[pRow + offset + 1] = solvesP && solvesQ ? pSum + g : 0
    jacobian[qRow + offset] = solvesQ ? pSum - g : 0
    jacobian[qRow + offset + 1] = solvesQ ? qSum - b : 1
    right[2 * bus] = solvesP ? share * at(p, bus) - pSum : 0
    right[2 * bus + 1] = solvesQ ? share * at(q, bus) - qSum : 0
  }
}
