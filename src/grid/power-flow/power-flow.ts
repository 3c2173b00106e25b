/** AC power flow by Newton's method in polar coordinates: injections and set points to voltages and flows. */

import { assertNetwork } from '../network/assert-network.ts'
import type { IslandOptions } from '../network/islands.ts'
import { addAt, indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'
import { type NewtonOptions, type SolveResult, solveFromStarts } from './newton.ts'
import { kind, type Problem, prepare } from './problem.ts'
import { type GeneratorOutput, type PowerFlowResult, toResult } from './result.ts'
import { readStart, type VoltageProfile } from './voltage-profile.ts'

/** Options of a power flow. */
export interface PowerFlowOptions extends IslandOptions, NewtonOptions {
  /** The start of the iteration: usually the last solution. Default: flat. */
  readonly start?: VoltageProfile
  /** Holds reactive power inside its limits by giving up the set point of the bus. Default false. */
  readonly enforceQ?: boolean
}

/**
 * Solves the AC power flow: P_i = V_i sum V_k (G cos + B sin), Q_i = V_i sum V_k (G sin - B cos).
 *
 * Newton with the full Jacobian on all islands at once, each with its own slack; dead islands get 0 V. When the
 * start does not converge the ladder is: flat start, in a network with phase shifts the angles of the DC model, then
 * raising load and dispatch from nothing in steps that halve on failure (homotopy, smallest step 1/64). Reactive
 * limits are ignored unless `enforceQ`.
 *
 * @throws GridError invalid_case when the network cannot be computed with. A grid without a solution is not an error: see
 *   `converged`.
 * @throws GridError invalid_request when the start does not fit the network.
 */
export function solvePowerFlow(network: Network, options: PowerFlowOptions = {}): PowerFlowResult {
  assertNetwork(network)
  const problem = prepare(network, options)
  const start = options.start && readStart(problem, options.start)
  const first = solveFromStarts(problem, start, options)
  if (!options.enforceQ || !first.attempt.converged) return toResult(problem, first)
  return holdReactiveLimits(problem, first, options)
}

/** Turns buses whose machines pass their limits into PQ buses at the limit, and solves again until none does. */
function holdReactiveLimits(problem: Problem, first: SolveResult, options: PowerFlowOptions): PowerFlowResult {
  const { network, kinds, q } = problem
  let current = first
  for (let round = 0; round < network.generators.length; round++) {
    const outputs = toResult(problem, current).generators
    let changed = false
    for (const [position, held] of sumLimits(problem, outputs)) {
      if (indexAt(kinds, position) !== kind.pv) continue
      const limit = Math.min(Math.max(held.q, held.min), held.max)
      // 1e-6 MVAr keeps a bus that sits exactly on its limit from changing its kind.
      if (Math.abs(held.q - limit) < 1e-6) continue
      kinds[position] = kind.pq
      addAt(q, position, limit / network.baseMva)
      changed = true
    }
    if (!changed) return toResult(problem, current)
    current = solveFromStarts(problem, current.attempt.voltages, options)
    if (!current.attempt.converged) break
  }
  return toResult(problem, current)
}

interface ReactiveRange {
  q: number
  min: number
  max: number
}

function sumLimits({ network }: Problem, outputs: readonly GeneratorOutput[]): ReadonlyMap<number, ReactiveRange> {
  const ranges = new Map<number, ReactiveRange>()
  network.generators.forEach(({ bus, inService, qMinMvar, qMaxMvar }, index) => {
    if (!inService) return
    const position = busPosition(network, bus)
    const range = ranges.get(position) ?? { q: 0, min: 0, max: 0 }
    range.q += outputs[index]?.qMvar ?? 0
    range.min += qMinMvar
    range.max += qMaxMvar
    ranges.set(position, range)
  })
  return ranges
}
