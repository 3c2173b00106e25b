/** AC power flow by Newton's method in polar coordinates: injections and set points to voltages and flows. */

import { assertNetwork } from '../network/assert-network.ts'
import type { IslandOptions } from '../network/islands.ts'
import type { Network } from '../network/network.ts'
import { type NewtonOptions, solveFromStarts } from './newton.ts'
import { prepare } from './problem.ts'
import { type LimitedBus, solveWithLimits } from './reactive-limits.ts'
import { type PowerFlowResult, toResult } from './result.ts'
import { readStart, type VoltageProfile } from './voltage-profile.ts'

/** Options of a power flow. */
export interface PowerFlowOptions extends IslandOptions, NewtonOptions {
  /** The start of the iteration: usually the last solution. Default: flat. */
  readonly start?: VoltageProfile & { readonly limited?: readonly LimitedBus[] }
  /** Holds machines within their reactive limits. Default false. */
  readonly reactiveLimits?: boolean
}

/**
 * Solves the AC power flow: P_i = V_i sum V_k (G cos + B sin), Q_i = V_i sum V_k (G sin - B cos).
 *
 * Newton with the full Jacobian on all islands at once, each with its own slack; dead islands get 0 V. When the start
 * does not converge, it tries in turn: flat; in a network with phase shifts, the angles of the DC model; load and
 * dispatch raised from nothing in steps that halve on failure (homotopy, smallest step 1/64). Reactive limits are
 * ignored where they are not asked for.
 *
 * @throws GridError invalid_case when the network cannot be computed with. A grid without a solution is not an error: see
 *   `converged`.
 * @throws GridError invalid_request when the start does not fit the network.
 */
export function solvePowerFlow(network: Network, options: PowerFlowOptions = {}): PowerFlowResult {
  assertNetwork(network)
  const problem = prepare(network, options)
  const start = options.start && readStart(problem, options.start)
  if (options.reactiveLimits !== true) return toResult(problem, solveFromStarts(problem, start, options))
  const { limited, ...result } = solveWithLimits(problem, start, options.start?.limited ?? [], options)
  return { ...toResult(problem, result), limited }
}
