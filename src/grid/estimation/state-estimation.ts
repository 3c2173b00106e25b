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
  /** Of the chi-square test. Default 0.95. */
  readonly confidence?: number
  /** Of the largest normalised residual where J is beyond its limit. Default 0.99. */
  readonly residualConfidence?: number
  /** Of the largest normalised residual where J is within its limit. Default 0.9999. */
  readonly grossConfidence?: number
  /** Default 5; 0 only detects. */
  readonly removals?: number
}

/**
 * Estimates the voltages from measurements by weighted least squares and removes bad data.
 *
 * The measurement with the largest normalised residual is taken out when that passes its limit, and the rest is fitted
 * again, at most `removals` times. While J passes the chi-square test the limit is the higher one of gross errors: one
 * bad meter of a large grid hardly moves J. A removal that would leave the grid unobservable is not made.
 *
 * @throws GridError not_observable when the measurements do not determine every live bus.
 * @throws GridError invalid_request when a value is not finite.
 * @throws GridError invalid_case when a point is at a bus that does not exist.
 */
export function estimateState(
  network: Network,
  measurements: readonly Measurement[],
  options: EstimateOptions = {},
): Estimate {
  const { removals = maxRemovals, confidence = 0.95 } = options
  const { residualConfidence = 0.99, grossConfidence = 0.9999 } = options
  const problem = prepareFit(network, measurements)
  const first = judge(problem, measurements, new Set(), options.start)
  const removed: SuspectMeasurement[] = []
  const isBeyondChiSquare = ({ fit }: Judgement): boolean => {
    const degrees = measurements.length - removed.length - problem.states
    return fit.objective > chiSquareLimit(degrees, confidence)
  }
  const isBad = (judgement: Judgement): boolean => {
    const needed = isBeyondChiSquare(judgement) ? residualConfidence : grossConfidence
    const limit = residualLimit(measurements.length - removed.length, needed)
    return (judgement.largest?.normalizedResidual ?? 0) > limit
  }
  const detected = !first.fit.converged || isBeyondChiSquare(first) || isBad(first)
  let current = first
  while (current.fit.converged && current.largest !== null && isBad(current) && removed.length < removals) {
    const next = tryWithout(problem, measurements, [...removed, current.largest], current.fit)
    if (next === undefined) break
    removed.push(current.largest)
    current = next
  }
  const degreesOfFreedom = measurements.length - removed.length - problem.states
  return {
    converged: current.fit.converged,
    iterations: current.fit.iterations,
    objective: current.fit.objective,
    firstObjective: first.fit.objective,
    degreesOfFreedom,
    chiSquareLimit: chiSquareLimit(degreesOfFreedom, confidence),
    detected,
    largest: current.largest,
    removed,
    vmPu: Array.from(current.fit.magnitude),
    vaRad: Array.from(current.fit.angle),
    estimated: current.fit.estimated,
    normalizedResiduals: current.normalized,
  }
}

interface Judgement {
  readonly fit: Fit
  readonly normalized: readonly number[]
  readonly largest: SuspectMeasurement | null
}

function judge(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: ReadonlySet<number>,
  start: VoltageProfile | undefined,
): Judgement {
  const warm = fitState(problem, measurements, removed, start)
  const fit = warm.converged || start === undefined ? warm : fitState(problem, measurements, removed)
  if (!fit.converged) return { fit, normalized: measurements.map(() => 0), largest: null }
  const normalized = normalizeResiduals(
    fit.residuals,
    measurements.map(({ sigma }) => sigma),
    explainedVariances(problem, measurements, removed, fit),
  )
  const index = findLargest(normalized, removed)
  const point = measurements[index]
  if (point === undefined) return { fit, normalized, largest: null }
  const name = nameMeasurement(problem.network, point)
  return { fit, normalized, largest: { index, name, normalizedResidual: normalized[index] ?? 0 } }
}

function tryWithout(
  problem: FitProblem,
  measurements: readonly Measurement[],
  suspects: readonly SuspectMeasurement[],
  { magnitude, angle }: Fit,
): Judgement | undefined {
  const start = { vmPu: Array.from(magnitude), vaRad: Array.from(angle) }
  try {
    return judge(problem, measurements, new Set(suspects.map(({ index }) => index)), start)
  } catch (error) {
    if (error instanceof GridError && error.code === 'not_observable') return undefined
    throw error
  }
}
