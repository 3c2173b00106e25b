/** State estimation with removal of bad data: fit, test, remove the worst measurement, fit again. */

import { GridError } from '../errors.ts'
import type { Network } from '../network/network.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import { chiSquareLimit, findLargest, maxRemovals, normalizeResiduals, residualLimit } from './bad-data.ts'
import { type FitProblem, prepareFit } from './fit-problem.ts'
import { type Measurement, nameMeasurement } from './measurements.ts'
import { explainedVariances, type Fit, fitState } from './weighted-least-squares.ts'

/** One suspicious measurement. */
export interface SuspectMeasurement {
  /** Position in the list of measurements. */
  readonly index: number
  readonly name: string
  readonly normalizedResidual: number
}

/** An estimated state and how well it explains the measurements. Plain JSON. */
export interface Estimate extends VoltageProfile {
  /** False when the iteration diverged; the other fields mean nothing then. */
  readonly converged: boolean
  readonly iterations: number
  /** J of the state below, and of the first fit before anything was removed. */
  readonly objective: number
  readonly firstObjective: number
  readonly degreesOfFreedom: number
  readonly chiSquareLimit: number
  /** True when the first fit contradicted itself: by its J, or by a residual that no number of good meters explains. */
  readonly detected: boolean
  /** The largest normalised residual of the state below. */
  readonly largest: SuspectMeasurement | null
  /** Measurements taken out, worst first, each with its residual at the time. */
  readonly removed: readonly SuspectMeasurement[]
  /** h(x) of every measurement, removed ones too, in their units. */
  readonly estimated: readonly number[]
  readonly normalizedResiduals: readonly number[]
}

/** Options of a state estimation. */
export interface EstimateOptions {
  /** The start of the iteration: usually the last estimate. Default flat. */
  readonly start?: VoltageProfile
  /** Confidence of the chi-square test. Default 0.95. */
  readonly confidence?: number
  /** Confidence of the limit of residuals where J is beyond its own. Default 0.99. */
  readonly residualConfidence?: number
  /** Confidence of the limit of residuals where J is within its own. Default 0.9999. */
  readonly grossConfidence?: number
  /** Most measurements that are taken out. Default 5; 0 only detects. */
  readonly removals?: number
}

/**
 * Estimates the voltages from measurements by weighted least squares and removes bad data.
 *
 * The measurement with the largest normalised residual is taken out when that passes its limit, and the rest is fitted
 * again, at most `removals` times. While J passes the chi-square test the limit is the higher one of gross errors: one
 * bad meter of a large grid hardly moves J. A removal that leaves the grid unobservable, or no fit, is not made.
 *
 * @throws GridError not_observable when the measurements do not determine every live bus.
 * @throws GridError invalid_request when a value is not finite, a sigma not positive and finite, or a branch does not exist.
 * @throws GridError invalid_case when a point is at a bus that does not exist.
 */
export function estimateState(
  network: Network,
  measurements: readonly Measurement[],
  options: EstimateOptions = {},
): Estimate {
  const problem = prepareFit(network, measurements)
  const first = assess(problem, measurements, [], options.start)
  const last = removeBadData(problem, measurements, first, options)
  return {
    converged: last.fit.converged,
    iterations: last.fit.iterations,
    objective: last.fit.objective,
    firstObjective: first.fit.objective,
    degreesOfFreedom: last.degreesOfFreedom,
    chiSquareLimit: chiSquareLimit(last.degreesOfFreedom, options.confidence),
    detected: !first.fit.converged || isBeyondChiSquare(first, options) || hasBadMeasurement(first, options),
    largest: last.largest,
    removed: last.removed,
    vmPu: Array.from(last.fit.magnitude),
    vaRad: Array.from(last.fit.angle),
    estimated: last.fit.estimated,
    normalizedResiduals: last.normalized,
  }
}

/** A fit without the removed measurements, and its residuals. */
interface Assessment {
  readonly fit: Fit
  readonly removed: readonly SuspectMeasurement[]
  /** Number of measurements in use, and how many more these are than the states. */
  readonly used: number
  readonly degreesOfFreedom: number
  readonly normalized: readonly number[]
  /** Null where the fit did not converge or no measurement is in use. */
  readonly largest: SuspectMeasurement | null
}

function isBeyondChiSquare({ fit, degreesOfFreedom }: Assessment, { confidence }: EstimateOptions): boolean {
  return fit.objective > chiSquareLimit(degreesOfFreedom, confidence)
}

/** Tests that the largest residual is beyond its limit, which is lower where J is beyond its own. */
function hasBadMeasurement(assessment: Assessment, options: EstimateOptions): boolean {
  const { residualConfidence = 0.99, grossConfidence = 0.9999 } = options
  const needed = isBeyondChiSquare(assessment, options) ? residualConfidence : grossConfidence
  return (assessment.largest?.normalizedResidual ?? 0) > residualLimit(assessment.used, needed)
}

/** Takes one measurement out after the other while the fit has a bad one. */
function removeBadData(
  problem: FitProblem,
  measurements: readonly Measurement[],
  first: Assessment,
  options: EstimateOptions,
): Assessment {
  const { removals = maxRemovals } = options
  let current = first
  while (current.largest !== null && current.removed.length < removals && hasBadMeasurement(current, options)) {
    const next = assessWithout(problem, measurements, [...current.removed, current.largest], current.fit)
    if (next?.fit.converged !== true) break
    current = next
  }
  return current
}

/** Fits the state from `start`, or from flat where that fails, and ranks the residuals. */
function assess(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: readonly SuspectMeasurement[],
  start: VoltageProfile | undefined,
): Assessment {
  const left = new Set(removed.map(({ index }) => index))
  const warm = fitState(problem, measurements, left, start)
  const fit = warm.converged || start === undefined ? warm : fitState(problem, measurements, left)
  const used = measurements.length - removed.length
  const degreesOfFreedom = used - problem.states
  if (!fit.converged) {
    return { fit, removed, used, degreesOfFreedom, normalized: measurements.map(() => 0), largest: null }
  }
  const sigmas = measurements.map(({ sigma }) => sigma)
  const explained = explainedVariances(problem, measurements, left, fit)
  const normalized = normalizeResiduals(fit.residuals, sigmas, explained)
  const index = findLargest(normalized, left)
  const [point, normalizedResidual = 0] = [measurements[index], normalized[index]]
  const largest = point ? { index, name: nameMeasurement(problem.network, point), normalizedResidual } : null
  return { fit, removed, used, degreesOfFreedom, normalized, largest }
}

/** Assesses the fit without suspects; undefined where the rest does not determine every bus. */
function assessWithout(
  problem: FitProblem,
  measurements: readonly Measurement[],
  suspects: readonly SuspectMeasurement[],
  { magnitude, angle }: Fit,
): Assessment | undefined {
  const start = { vmPu: Array.from(magnitude), vaRad: Array.from(angle) }
  try {
    return assess(problem, measurements, suspects, start)
  } catch (error) {
    if (error instanceof GridError && error.code === 'not_observable') return undefined
    throw error
  }
}
