/** State estimation with removal of bad data: fit, test, remove the worst measurement, fit again. */

import type { Network } from '../network/network.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import {
  type Assess,
  type Assessment,
  assessLeastSquares,
  assessRobustly,
  ifObservable,
  type Scan,
  type SuspectMeasurement,
} from './assess-fit.ts'
import { chiSquareLimit, maxRemovals, residualLimit } from './bad-data.ts'
import { prepareFit } from './fit-problem.ts'
import type { Measurement } from './measurements.ts'

/** An estimated state and how well it explains the measurements. Plain JSON. */
export interface Estimate extends VoltageProfile {
  /** False when no state fits, not even robustly: then the state is the start, with its J and its residuals. */
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
 * bad meter of a large grid hardly moves J. A removal that leaves the grid unobservable, or no fit, is not made. Where
 * nothing fits by least squares, a robust fit finds the measurements to take out.
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
  const scan = { problem: prepareFit(network, measurements), measurements }
  const plain = assessLeastSquares(scan, [], options.start)
  const first = plain ?? assessRobustly(scan, [], options.start)
  const last =
    plain === undefined
      ? removeAbsurdData(scan, first, options)
      : removeBadData(scan, first, options, assessLeastSquares)
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
function removeBadData(scan: Scan, first: Assessment, options: EstimateOptions, assess: Assess): Assessment {
  const { removals = maxRemovals } = options
  let current = first
  while (current.largest !== null && current.removed.length < removals && hasBadMeasurement(current, options)) {
    const suspects = [...current.removed, current.largest]
    const next = ifObservable(() => assess(scan, suspects, toProfile(current)))
    if (next === undefined || (current.fit.converged && !next.fit.converged)) break
    current = next
  }
  return current
}

/** Takes out what leaves least squares without a fit, and gives their fit of the rest where that has no bad one. */
function removeAbsurdData(scan: Scan, first: Assessment, options: EstimateOptions): Assessment {
  const robust = removeBadData(scan, first, options, assessRobustly)
  if (!robust.fit.converged) return first
  const plain = assessLeastSquares(scan, robust.removed, toProfile(robust))
  return plain === undefined || hasBadMeasurement(plain, options) ? robust : plain
}

function toProfile({ fit: { magnitude, angle } }: Assessment): VoltageProfile {
  return { vmPu: Array.from(magnitude), vaRad: Array.from(angle) }
}
