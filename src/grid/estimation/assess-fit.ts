/** Fits the state without the removed measurements, and ranks the residuals. */

import { GridError } from '../errors.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import { findLargest, normalizeResiduals } from './bad-data.ts'
import type { FitProblem } from './fit-problem.ts'
import { type Measurement, nameMeasurement } from './measurements.ts'
import { fitRobustly, holdState } from './robust-fit.ts'
import { explainedVariances, type Fit, fitState } from './weighted-least-squares.ts'

/** One suspicious measurement. */
export interface SuspectMeasurement {
  /** Position in the list of measurements. */
  readonly index: number
  readonly name: string
  readonly normalizedResidual: number
}

/** A fit without the removed measurements, and its residuals. */
export interface Assessment {
  readonly fit: Fit
  readonly removed: readonly SuspectMeasurement[]
  /** Number of measurements in use, and how many more these are than the states. */
  readonly used: number
  readonly degreesOfFreedom: number
  /** The residuals by their own deviations, or where no state fits by those of their meters. */
  readonly normalized: readonly number[]
  /** Null where no measurement is in use. */
  readonly largest: SuspectMeasurement | null
}

/** The measurements of an estimation. */
export interface Scan {
  readonly problem: FitProblem
  readonly measurements: readonly Measurement[]
}

/** Assesses a fit without the removed measurements; undefined where there is none. */
export type Assess = (
  scan: Scan,
  removed: readonly SuspectMeasurement[],
  start?: VoltageProfile,
) => Assessment | undefined

/** Assesses the fit of least squares from `start`, or from flat where that fails; undefined where both do. */
export const assessLeastSquares: Assess = (scan, removed, start) => {
  const { problem, measurements } = scan
  const left = leftOut(removed)
  return assessConverged(scan, removed, () => {
    const warm = fitState(problem, measurements, left, start)
    return warm.converged || start === undefined ? warm : fitState(problem, measurements, left)
  })
}

/**
 * Assesses the robust fit from `start`, or from flat where that fails. Where both do, the state is that of the start,
 * which nothing absurd has moved, and the residuals are divided by the deviations of the meters.
 *
 * @throws GridError not_observable when the measurements do not determine every live bus.
 */
export function assessRobustly(scan: Scan, removed: readonly SuspectMeasurement[], start?: VoltageProfile): Assessment {
  const { problem, measurements } = scan
  const left = leftOut(removed)
  const assessFrom = (from?: VoltageProfile) =>
    assessConverged(scan, removed, () => fitRobustly(problem, measurements, left, from))
  const robust = (start && assessFrom(start)) ?? assessFrom()
  if (robust !== undefined) return robust
  const fit = holdState(problem, measurements, left, start)
  const normalized = measurements.map(({ sigma }, index) => Math.abs(fit.residuals[index] ?? 0) / sigma)
  return rank(scan, removed, fit, normalized)
}

function leftOut(removed: readonly SuspectMeasurement[]): ReadonlySet<number> {
  return new Set(removed.map(({ index }) => index))
}

function assessConverged(scan: Scan, removed: readonly SuspectMeasurement[], find: () => Fit): Assessment | undefined {
  const { problem, measurements } = scan
  return ifObservable(() => {
    const fit = find()
    if (!fit.converged) return undefined
    const explained = explainedVariances(problem, measurements, leftOut(removed), fit)
    const sigmas = measurements.map(({ sigma }) => sigma)
    return rank(scan, removed, fit, normalizeResiduals(fit.residuals, sigmas, explained))
  })
}

/**
 * The result; undefined where the measurements leave a state undetermined.
 *
 * @throws GridError as `estimateState` does, but for `not_observable`.
 */
export function ifObservable<Result>(find: () => Result): Result | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof GridError && error.code === 'not_observable') return undefined
    throw error
  }
}

function rank(
  { problem, measurements }: Scan,
  removed: readonly SuspectMeasurement[],
  fit: Fit,
  normalized: readonly number[],
): Assessment {
  const used = measurements.length - removed.length
  const index = findLargest(normalized, leftOut(removed))
  const [point, normalizedResidual = 0] = [measurements[index], normalized[index]]
  const largest = point ? { index, name: nameMeasurement(problem.network, point), normalizedResidual } : null
  return { fit, removed, used, degreesOfFreedom: used - problem.states, normalized, largest }
}
