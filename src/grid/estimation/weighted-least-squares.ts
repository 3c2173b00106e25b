/** The grid's state that fits its measurements best: Gauss-Newton on sparse normal equations. */

import { toRadians } from '../angles.ts'
import { GridError } from '../errors.ts'
import { factorSparse, invertInPattern, type SparseFactors, solveSparse } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import type { VoltageProfile, Voltages } from '../power-flow/voltage-profile.ts'
import type { FitProblem } from './fit-problem.ts'
import type { Measurement } from './measurements.ts'

/** Most iterations, and the change in per unit and radians below which one is the last. */
const leastSquares: FitMethod = { iterations: 25, solvedChange: 1e-8, reweigh: (weights) => weights }

/** Change in per unit and radians of an iteration that diverges. */
const divergentChange = 1e3

/** Least magnitude in per unit to start from: from a collapsed voltage the iteration does not return. */
const leastStartPu = 0.5

/** A state that fits, and how well. */
export interface Fit extends Voltages {
  readonly converged: boolean
  readonly iterations: number
  /** Measured minus estimated. */
  readonly residuals: readonly number[]
  readonly estimated: readonly number[]
  /** J = sum (r / sigma)^2 over the measurements in use. */
  readonly objective: number
}

/** Another iteration than that of least squares. */
export interface FitMethod {
  readonly iterations: number
  readonly solvedChange: number
  /** The weights of an iteration, by the residuals before it. */
  readonly reweigh: (weights: Float64Array, residuals: readonly number[]) => Float64Array
}

/**
 * Finds the state with the least J(x) = sum ((z - h(x)) / sigma)^2 by G dx = H' W r, G = H' W H, from flat or `start`.
 *
 * @throws GridError not_observable when the measurements leave a state undetermined where the iteration starts.
 */
export function fitState(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: ReadonlySet<number>,
  start?: VoltageProfile,
  { iterations: most, solvedChange, reweigh }: FitMethod = leastSquares,
): Fit {
  const { model, energized } = problem
  const { magnitude, angle } = startFrom(problem, start)
  const weights = weigh(measurements, removed)
  const values = new Float64Array(measurements.length)
  const derivatives = new Float64Array(model.columns.length)
  let iterations = 0
  let largest = Infinity
  for (; iterations < most && largest > solvedChange; iterations++) {
    model.evaluate(magnitude, angle, values, derivatives)
    const residuals = subtractValues(measurements, values)
    const current = reweigh(weights, residuals)
    const factors = factorGain(problem, current, derivatives)
    // Far from the start the meters do not determine the state any more: the iteration went astray, not the meters.
    if (factors === undefined && iterations > 0) break
    if (factors === undefined) throw notObservable(problem, weights)
    const change = solveSparse(factors, projectResiduals(problem, current, residuals, derivatives))
    largest = maxMagnitude(change)
    // Written so that NaN ends the iteration, too.
    if (!(largest < divergentChange)) break
    for (let bus = 0; bus < energized.length; bus++) {
      if (indexAt(energized, bus) === 0) continue
      addAt(angle, bus, at(change, 2 * bus))
      addAt(magnitude, bus, at(change, 2 * bus + 1))
    }
  }
  model.evaluate(magnitude, angle, values)
  const residuals = subtractValues(measurements, values)
  const objective = residuals.reduce((sum, r, index) => sum + r * r * at(weights, index), 0)
  const converged = largest <= solvedChange
  return { magnitude, angle, converged, iterations, residuals, estimated: Array.from(values), objective }
}

/** The voltages of a start, or flat ones; dead buses have none. */
function startFrom({ fixed, energized, network }: FitProblem, start: VoltageProfile | undefined): Voltages {
  const reference = toRadians(network.slackAngleDeg)
  return {
    magnitude: Float64Array.from(energized, (live, bus) =>
      live === 1 ? Math.max(start?.vmPu[bus] ?? 1, leastStartPu) : 0,
    ),
    angle: Float64Array.from(energized, (live, bus) =>
      live === 1 && fixed[2 * bus] === 0 ? (start?.vaRad[bus] ?? reference) : live * reference,
    ),
  }
}

function weigh(measurements: readonly Measurement[], removed: ReadonlySet<number>): Float64Array {
  return Float64Array.from(measurements, ({ sigma }, index) => (removed.has(index) ? 0 : 1 / sigma ** 2))
}

/** Factors the gain matrix G = H' W H, with the rows and columns of known states made those of the identity. */
function factorGain(problem: FitProblem, weights: Float64Array, derivatives: Float64Array): SparseFactors | undefined {
  const { gain, pairSlots, pairStart, fixed, diagonals, model } = problem
  const values = new Float64Array(gain.pattern.columns.length)
  for (let row = 0; row < weights.length; row++) {
    const start = indexAt(model.rowStart, row)
    const end = indexAt(model.rowStart, row + 1)
    const weight = at(weights, row)
    let pair = indexAt(pairStart, row)
    for (let left = start; left < end; left++) {
      const free = indexAt(fixed, indexAt(model.columns, left)) === 0
      const scaled = free ? weight * at(derivatives, left) : 0
      for (let right = start; right < end; right++, pair++) {
        if (scaled === 0 || indexAt(fixed, indexAt(model.columns, right)) === 1) continue
        addAt(values, indexAt(pairSlots, pair), scaled * at(derivatives, right))
      }
    }
  }
  for (let state = 0; state < fixed.length; state++) {
    if (indexAt(fixed, state) === 1) values[indexAt(diagonals, state)] = 1
  }
  // A singular gain matrix leaves pivots of rounding, which the usual bound lets pass.
  return factorSparse(gain, values, 1e-11)
}

function notObservable({ states }: FitProblem, weights: Float64Array): GridError {
  const used = weights.filter((weight) => weight > 0).length
  return new GridError(
    'not_observable',
    `Cannot estimate state: ${used} measurements leave some of ${states} states undetermined, expected at least one path to every bus`,
    { hint: 'Add injections, flows or voltages at the buses that no meter reaches' },
  )
}

/** The residuals r = z - h(x). */
function subtractValues(measurements: readonly Measurement[], values: Float64Array): number[] {
  return measurements.map(({ value }, index) => value - at(values, index))
}

/** The right-hand side H' W r. */
function projectResiduals(
  { model, fixed }: FitProblem,
  weights: Float64Array,
  residuals: readonly number[],
  derivatives: Float64Array,
): Float64Array {
  const right = new Float64Array(fixed.length)
  residuals.forEach((residual, row) => {
    const weighted = at(weights, row) * residual
    for (let entry = indexAt(model.rowStart, row); entry < indexAt(model.rowStart, row + 1); entry++) {
      const state = indexAt(model.columns, entry)
      if (indexAt(fixed, state) === 0) addAt(right, state, weighted * at(derivatives, entry))
    }
  })
  return right
}

/**
 * The variance of each estimated measurement, the diagonal of H G^-1 H', by the sparse inverse.
 *
 * @throws GridError as `fitState` does.
 */
export function explainedVariances(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: ReadonlySet<number>,
  { magnitude, angle }: Voltages,
): number[] {
  const { model, fixed } = problem
  const weights = weigh(measurements, removed)
  const derivatives = new Float64Array(model.columns.length)
  model.evaluate(magnitude, angle, new Float64Array(measurements.length), derivatives)
  const factors = factorGain(problem, weights, derivatives)
  if (factors === undefined) throw notObservable(problem, weights)
  const inverse = invertInPattern(factors)
  return measurements.map((_, row) => {
    let sum = 0
    for (let left = indexAt(model.rowStart, row); left < indexAt(model.rowStart, row + 1); left++) {
      const state = indexAt(model.columns, left)
      if (indexAt(fixed, state) === 1) continue
      const own = at(derivatives, left)
      sum += own * own * (inverse(state, state) ?? 0)
      for (let right = indexAt(model.rowStart, row); right < left; right++) {
        const other = indexAt(model.columns, right)
        if (indexAt(fixed, other) === 1) continue
        sum += 2 * own * at(derivatives, right) * (inverse(state, other) ?? 0)
      }
    }
    return sum
  })
}
