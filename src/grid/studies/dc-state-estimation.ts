/** State estimation in the DC model: angles from active power only, in one linear step. */

import { GridError } from '../errors.ts'
import type { Measurement } from '../estimation/measurements.ts'
import { dcRow } from '../estimation/stealth.ts'
import { factorDense, solveDense } from '../network/linear-algebra/dense-lu.ts'
import { addAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'

/** Angles in radians in the order of `network.buses`, the slack's being 0, and how well they fit. */
export interface DcEstimate {
  readonly vaRad: readonly number[]
  readonly objective: number
  readonly degreesOfFreedom: number
}

/**
 * Estimates angles by weighted least squares on z = H theta: the estimator against which stealth attacks were
 * first described. Reactive power and voltage magnitudes do not enter.
 *
 * @throws GridError not_observable when the measurements do not determine every angle.
 */
export function estimateDcState(network: Network, measurements: readonly Measurement[]): DcEstimate {
  const reference = busPosition(network, network.slackBus)
  const states = network.buses.length - 1
  const stateOf = (position: number): number => (position < reference ? position : position - 1)
  const used = measurements
    .filter(({ kind }) => ['p_flow', 'p_injection', 'angle'].includes(kind))
    .map((point): Row => {
      const row = [...dcRow(network, point)].filter(([position]) => position !== reference)
      return { ...point, row }
    })
  const { gain, right } = normalEquations(used, states, stateOf)
  const factors = factorDense(gain, states)
  if (factors === undefined) {
    throw new GridError(
      'not_observable',
      `Cannot estimate DC state: ${used.length} measurements leave some of ${states} angles undetermined, expected a path to every bus`,
    )
  }
  const angles = solveDense(factors, right)
  const vaRad = network.buses.map((_, position) =>
    position === reference ? 0 : (angles[stateOf(position)] ?? 0),
  )
  return { vaRad, objective: sumSquares(used, vaRad), degreesOfFreedom: used.length - states }
}

/** One meter with the derivatives of its value by the angles of bus positions. */
interface Row {
  readonly value: number
  readonly sigma: number
  readonly row: readonly (readonly [position: number, derivative: number])[]
}

/** The normal equations: the sums of H' H / sigma^2 and H' z / sigma^2. */
function normalEquations(
  rows: readonly Row[],
  states: number,
  stateOf: (position: number) => number,
): { readonly gain: Float64Array; readonly right: Float64Array } {
  const gain = new Float64Array(states * states)
  const right = new Float64Array(states)
  for (const { value, sigma, row } of rows) {
    for (const [left, a] of row) {
      addAt(right, stateOf(left), (a * value) / sigma ** 2)
      for (const [other, b] of row) {
        addAt(gain, stateOf(left) * states + stateOf(other), (a * b) / sigma ** 2)
      }
    }
  }
  return { gain, right }
}

/** The sum of the squares of all residuals, each over its sigma. */
function sumSquares(rows: readonly Row[], vaRad: readonly number[]): number {
  return rows.reduce((sum, { value, sigma, row }) => {
    const estimated = row.reduce((h, [position, a]) => h + a * (vaRad[position] ?? 0), 0)
    return sum + ((value - estimated) / sigma) ** 2
  }, 0)
}
