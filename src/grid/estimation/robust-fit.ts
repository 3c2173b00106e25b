/** Fits for measurements that no state explains: a robust one, and the start itself. */

import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import type { FitProblem } from './fit-problem.ts'
import type { Measurement } from './measurements.ts'
import { type Fit, type FitMethod, fitState } from './weighted-least-squares.ts'

/** Deviations beyond which a residual counts by its size, not its square: few good meters are that far off. */
const huberDeviations = 3

/** Reweighting comes nearer by a share of the distance each time; least squares follow, once the worst meter is out. */
const huber: FitMethod = {
  iterations: 60,
  solvedChange: 1e-5,
  reweigh: (weights, residuals) =>
    weights.map((weight, index) => {
      const deviations = Math.sqrt(weight) * Math.abs(residuals[index] ?? 0)
      return deviations > huberDeviations ? (weight * huberDeviations) / deviations : weight
    }),
}

/**
 * Finds the state with the least sum of Huber's function of r / sigma, by least squares of which every iteration lowers
 * the weights of large residuals (Abur and Gomez-Exposito, chapter 6). A meter pulls at the state no more than one that
 * is off by three deviations, however absurd its value. `objective` is J, with every residual in full.
 *
 * @throws GridError as `fitState` does.
 */
export function fitRobustly(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: ReadonlySet<number>,
  start?: VoltageProfile,
): Fit {
  return fitState(problem, measurements, removed, start, huber)
}

/**
 * Takes the start for the state, with the residuals that it leaves; `converged` is false.
 *
 * @throws GridError not_observable when the measurements leave a state undetermined even at a flat start.
 */
export function holdState(
  problem: FitProblem,
  measurements: readonly Measurement[],
  removed: ReadonlySet<number>,
  start?: VoltageProfile,
): Fit {
  const step: FitMethod = { iterations: 1, solvedChange: 0, reweigh: (weights) => weights }
  // The first step from flat refuses a grid without enough meters.
  fitState(problem, measurements, removed, undefined, step)
  return fitState(problem, measurements, removed, start, { ...step, iterations: 0 })
}
