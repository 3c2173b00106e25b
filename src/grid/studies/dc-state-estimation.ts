/** State estimation in the DC model: angles from active power only, in one linear step. */

import { toRadians } from '../angles.ts'
import { GridError } from '../errors.ts'
import type { Measurement } from '../estimation/measurements.ts'
import { dcRow } from '../estimation/stealth.ts'
import { findIslands, liveBuses } from '../network/islands.ts'
import { factorDense, solveDense } from '../network/linear-algebra/dense-lu.ts'
import { addAt } from '../network/linear-algebra/vector.ts'
import type { Network } from '../network/network.ts'

/** Angles in radians in the order of `network.buses`, and how well they fit; 0 at dead buses. */
export interface DcEstimate {
  readonly vaRad: readonly number[]
  readonly objective: number
  readonly degreesOfFreedom: number
}

/**
 * Estimates angles by weighted least squares on z = H theta, the estimator of the first stealth attacks, from active
 * power only.
 *
 * @throws GridError not_observable when the measurements do not determine every angle of a live bus.
 */
export function estimateDcState(network: Network, measurements: readonly Measurement[]): DcEstimate {
  const { isLive, stateOf, states } = numberStates(network)
  const reference = toRadians(network.slackAngleDeg)
  const used = measurements
    .filter(({ kind }) => ['p_flow', 'p_injection', 'angle'].includes(kind))
    .map((point): Row => {
      const row = [...dcRow(network, point)].filter(([position]) => stateOf[position] !== undefined)
      // Angles count from the reference; flows and injections know differences only.
      return { ...point, value: point.value - (point.kind === 'angle' ? reference : 0), row }
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
  const fromReference = stateOf.map((state) => (state === undefined ? 0 : (angles[state] ?? 0)))
  const vaRad = fromReference.map((angle, position) => (isLive[position] ? reference + angle : 0))
  return { vaRad, objective: sumSquares(used, fromReference), degreesOfFreedom: used.length - states }
}

/** Numbers the unknowns by bus position: none for slacks and dead buses. */
function numberStates(network: Network) {
  const islands = findIslands(network)
  const live = liveBuses(islands)
  const slacks = new Set(islands.map(({ slackBus }) => slackBus))
  let states = 0
  const stateOf = network.buses.map(({ id }) => (live.has(id) && !slacks.has(id) ? states++ : undefined))
  return { isLive: network.buses.map(({ id }) => live.has(id)), stateOf, states }
}

/** One meter with the derivatives of its value by the angles of bus positions. */
interface Row {
  readonly value: number
  readonly sigma: number
  readonly row: readonly (readonly [position: number, derivative: number])[]
}

/** The normal equations: the sums of H' H / sigma^2 and H' z / sigma^2. */
function normalEquations(rows: readonly Row[], states: number, stateOf: readonly (number | undefined)[]) {
  const gain = new Float64Array(states * states)
  const right = new Float64Array(states)
  for (const { value, sigma, row } of rows) {
    for (const [left, a] of row) {
      const state = stateOf[left] ?? 0
      addAt(right, state, (a * value) / sigma ** 2)
      for (const [other, b] of row) addAt(gain, state * states + (stateOf[other] ?? 0), (a * b) / sigma ** 2)
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
