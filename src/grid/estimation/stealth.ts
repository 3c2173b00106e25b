/** Stealthy false data: changes of measurements that together agree with another state of the grid. */

import { toRadians } from '../angles.ts'
import { GridError } from '../errors.ts'
import { planGrid } from '../network/admittance.ts'
import { indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'
import { dcSusceptance } from '../power-flow/dc-power-flow.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'
import { branchIndex, evaluateMeasurements, type MeasurementPoint, nameMeasurement } from './measurements.ts'

/** The offset of one measurement. */
export interface FalseDatum {
  /** Position in the list of points. */
  readonly index: number
  readonly name: string
  /** In the unit of the measurement: per unit or radians. */
  readonly offset: number
}

/** The state that the attacker wants the estimator to find, and the meters that he controls. */
export interface StealthTarget {
  readonly bus: number
  readonly angleShiftDeg: number
  /** Ignored by the DC model, which has no magnitudes. */
  readonly vmShiftPu: number
  /** `ac`: agrees with the estimator's own equations. `dc`: with the linear model of the first papers. */
  readonly model: 'ac' | 'dc'
  /** Share of the needed meters that the attacker controls, 0 to 1, largest changes first. Default 1. */
  readonly coverage?: number
}

/** Smaller changes are rounding, in per unit. */
const negligible = 1e-9

/**
 * Designs the false data that move the estimate of one bus.
 *
 * AC: a = h(x + c) - h(x), so that z + a fits x + c exactly as well as z fits x and J does not move. DC: a = H c
 * with the DC model's H (Liu, Ning and Reiter 2009); an AC estimator sees its errors when c is large.
 *
 * @param profile - The state x that the attacker believes in: an estimate or a solution.
 * @returns The changed measurements in the order of the points.
 * @throws GridError invalid_attack_params when a value is not finite or the coverage is outside 0 to 1.
 * @throws GridError invalid_case when the bus does not exist.
 */
export function designStealth(
  network: Network,
  points: readonly MeasurementPoint[],
  profile: VoltageProfile,
  target: StealthTarget,
): readonly FalseDatum[] {
  const { angleShiftDeg, vmShiftPu, model, coverage = 1 } = target
  if (!Number.isFinite(angleShiftDeg) || !Number.isFinite(vmShiftPu) || !(coverage >= 0 && coverage <= 1)) {
    const state = `shift ${angleShiftDeg} deg, ${vmShiftPu} pu, coverage ${coverage}`
    const expected = 'expected finite shifts and a coverage of 0 to 1'
    throw new GridError('invalid_attack_params', `Cannot design false data: ${state}, ${expected}`)
  }
  const offsets =
    model === 'ac'
      ? shiftState(network, points, profile, target)
      : linearOffsets(network, points, target.bus, toRadians(angleShiftDeg))
  const needed = points
    .map((point, index) => ({ point, index, offset: offsets[index] ?? 0 }))
    .filter(({ offset }) => Math.abs(offset) > negligible)
  return (
    needed
      .toSorted((left, right) => Math.abs(right.offset) - Math.abs(left.offset) || left.index - right.index)
      // The product of a share and a number may lie just above a whole number.
      .slice(0, Math.ceil(coverage * needed.length - 1e-9))
      .sort((left, right) => left.index - right.index)
      .map(({ point, index, offset }) => ({ index, offset, name: nameMeasurement(network, point) }))
  )
}

function shiftState(
  network: Network,
  points: readonly MeasurementPoint[],
  { vmPu, vaRad }: VoltageProfile,
  { bus, angleShiftDeg, vmShiftPu }: StealthTarget,
): number[] {
  const position = busPosition(network, bus)
  const before = evaluateMeasurements(network, points, { vmPu, vaRad })
  const shifted = evaluateMeasurements(network, points, {
    vmPu: vmPu.map((vm, index) => (index === position ? vm + vmShiftPu : vm)),
    vaRad: vaRad.map((va, index) => (index === position ? va + toRadians(angleShiftDeg) : va)),
  })
  return shifted.map((value, index) => value - (before[index] ?? 0))
}

function linearOffsets(network: Network, points: readonly MeasurementPoint[], bus: number, shiftRad: number): number[] {
  const position = busPosition(network, bus)
  return points.map((point) => (dcRow(network, point).get(position) ?? 0) * shiftRad)
}

/** The row of the DC model's H for a point, by bus positions; empty for voltages and reactive power. */
export function dcRow(network: Network, point: MeasurementPoint): ReadonlyMap<number, number> {
  const row = new Map<number, number>()
  const add = (position: number, value: number): void => {
    row.set(position, (row.get(position) ?? 0) + value)
  }
  const plan = planGrid(network)
  if (point.kind === 'angle') add(busPosition(network, point.bus), 1)
  else if (point.kind === 'p_flow') {
    const index = branchIndex(network, point.branch)
    const branch = network.branches[index]
    const b = branch === undefined ? 0 : dcSusceptance(branch) * (point.side === 'from' ? 1 : -1)
    add(indexAt(plan.from, index), b)
    add(indexAt(plan.to, index), -b)
  } else if (point.kind === 'p_injection') {
    const position = busPosition(network, point.bus)
    network.branches.forEach((branch, index) => {
      const [from, to] = [indexAt(plan.from, index), indexAt(plan.to, index)]
      if (from !== position && to !== position) return
      const b = dcSusceptance(branch)
      add(position, b)
      add(from === position ? to : from, -b)
    })
  }
  return row
}
