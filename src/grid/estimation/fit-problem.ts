/** Prepares an estimation for a grid and its meters: h(x), the pattern of the gain matrix, the known states. */

import { memo, memoNewest } from '../../base/memo.ts'
import { GridError } from '../errors.ts'
import type { GridPlan } from '../network/admittance.ts'
import { findIslands } from '../network/islands.ts'
import {
  findSlot,
  type Pattern,
  planElimination,
  type SparsePlan,
  toNeighbours,
  toPattern,
} from '../network/linear-algebra/elimination-plan.ts'
import { indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'
import { type Measurement, type MeasurementModel, modelMeasurements } from './measurements.ts'

/** The prepared part of an estimation for a grid and its measurement points. */
export interface FitProblem {
  readonly network: Network
  readonly model: MeasurementModel
  readonly gain: SparsePlan
  /** Slots of the gain matrix that measurement i adds to: pairSlots[pairStart[i]] to pairSlots[pairStart[i + 1] - 1]. */
  readonly pairSlots: Int32Array
  readonly pairStart: Int32Array
  /** Slot of each state's diagonal element. */
  readonly diagonals: Int32Array
  /** 1 for states that are not estimated: reference angles and dead buses. */
  readonly fixed: Int32Array
  /** 1 for live buses, by bus position. */
  readonly energized: Int32Array
  /** Number of states that are estimated. */
  readonly states: number
}

/** The gain matrix couples two buses with a common neighbour: the neighbour's injection depends on both. */
const planGain = memo((plan: GridPlan): SparsePlan => {
  const near = toNeighbours(plan.pattern)
  const twoAway = near.map((others) => new Set([...others].flatMap((other) => [other, ...(near[other] ?? [])])))
  return planElimination(toPattern(twoAway), 2)
})

/** The gain slots of a model's measurements, once for those that depend on the same states. */
const findPairs = memoNewest(
  ({ pattern }: SparsePlan, model: MeasurementModel) => pairUp(pattern, model),
  (before, now) => isSame(before.columns, now.columns) && isSame(before.rowStart, now.rowStart),
)

function isSame(left: Int32Array, right: Int32Array): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index])
}

function pairUp(pattern: Pattern, { rowStart, columns }: MeasurementModel) {
  const slots: number[] = []
  const pairStart = new Int32Array(rowStart.length)
  for (let row = 0; row + 1 < rowStart.length; row++) {
    const states = columns.subarray(indexAt(rowStart, row), indexAt(rowStart, row + 1))
    for (const left of states) for (const right of states) slots.push(findSlot(pattern, left, right))
    pairStart[row + 1] = slots.length
  }
  return { pairSlots: Int32Array.from(slots), pairStart }
}

/**
 * Prepares the estimation of a network's state.
 *
 * @throws GridError invalid_request when a value is not finite or a sigma is not positive.
 * @throws GridError as `modelMeasurements` does.
 */
export function prepareFit(network: Network, measurements: readonly Measurement[]): FitProblem {
  measurements.forEach(({ value, sigma }, index) => {
    if (Number.isFinite(value) && sigma > 0 && sigma < Infinity) return
    throw new GridError(
      'invalid_request',
      `Cannot estimate state: measurement ${index} is ${value} with sigma ${sigma}, expected a finite value and a positive sigma`,
    )
  })
  const model = modelMeasurements(network, measurements)
  const gain = planGain(model.plan)
  const fixed = new Int32Array(2 * network.buses.length)
  const energized = new Int32Array(network.buses.length)
  for (const island of findIslands(network)) {
    for (const bus of island.buses) {
      const position = busPosition(network, bus)
      energized[position] = island.energized ? 1 : 0
      if (!island.energized) fixed.fill(1, 2 * position, 2 * position + 2)
    }
    if (island.slackBus !== null) fixed[2 * busPosition(network, island.slackBus)] = 1
  }
  return {
    network,
    model,
    gain,
    ...findPairs(gain, model),
    diagonals: Int32Array.from(fixed, (_, state) => findSlot(gain.pattern, state, state)),
    fixed,
    energized,
    states: fixed.length - fixed.reduce((sum, value) => sum + value, 0),
  }
}
