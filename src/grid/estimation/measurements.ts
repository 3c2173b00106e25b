/** Measurement points, their values as functions h(x) of the grid's state, and the deviations of their meters. */

import { GridError } from '../errors.ts'
import { branchAdmittance, type GridPlan, planGrid, sumAdmittance } from '../network/admittance.ts'
import { at, indexAt, startRows } from '../network/linear-algebra/vector.ts'
import { type Branch, busPosition, type Network } from '../network/network.ts'
import type { VoltageProfile, Voltages } from '../power-flow/voltage-profile.ts'
import {
  type DerivativeRow,
  evaluateFlow,
  evaluateInjection,
  type MeasuredGrid,
  orientPort,
} from './measurement-functions.ts'

/** The place and accuracy of a meter; injections are generation minus load. */
export type MeasurementPoint =
  | {
      readonly kind: 'v' | 'angle' | 'p_injection' | 'q_injection'
      readonly bus: number
      /** Standard deviation in the unit of the value. */
      readonly sigma: number
    }
  | {
      readonly kind: 'p_flow' | 'q_flow'
      /** Number of the branch; the flow is the one into it at `side`. */
      readonly branch: number
      readonly side: 'from' | 'to'
      readonly sigma: number
    }

/** A point with the value of its meter. */
export type Measurement = MeasurementPoint & { readonly value: number }

const flowNames = { p_flow: 'Pflow', q_flow: 'Qflow' } as const
const shortNames = { v: 'V', angle: 'A', p_injection: 'Pinj', q_injection: 'Qinj' } as const

/**
 * The name of a point as `V_14`, `Pinj_9`, `Pflow_2-3`; flows are named after the bus where they are measured.
 *
 * @throws GridError as `branchIndex` does.
 */
export function nameMeasurement(network: Network, point: MeasurementPoint): string {
  if (!('branch' in point)) return `${shortNames[point.kind]}_${point.bus}`
  const { from, to } = network.branches[branchIndex(network, point.branch)] as Branch // the index is of one
  const [near, far] = point.side === 'from' ? [from, to] : [to, from]
  return `${flowNames[point.kind]}_${near}-${far}`
}

/**
 * The position of a branch in `network.branches`.
 *
 * @throws GridError invalid_request when no branch has the number.
 */
export function branchIndex(network: Network, number: number): number {
  // Cases number their branches in order, so the first guess is nearly always right.
  const index =
    network.branches[number - 1]?.number === number
      ? number - 1
      : network.branches.findIndex((branch) => branch.number === number)
  if (index >= 0) return index
  throw new GridError('invalid_request', `Cannot measure: branch ${number} does not exist in "${network.name}"`)
}

/** The measurement functions h(x) of a set of points, and the places of their derivatives. */
export interface MeasurementModel {
  readonly plan: GridPlan
  /** Point i depends on the states columns[rowStart[i]] to columns[rowStart[i + 1] - 1]. */
  readonly rowStart: Int32Array
  /** State 2 k is the angle of bus k, state 2 k + 1 its magnitude. */
  readonly columns: Int32Array
  /** Writes h(x) and, where `derivatives` is given, its derivatives in the places of `columns`. */
  readonly evaluate: (
    magnitude: Float64Array,
    angle: Float64Array,
    values: Float64Array,
    derivatives?: Float64Array,
  ) => void
}

/**
 * Prepares h(x) for a network with its present breaker states.
 *
 * @throws GridError invalid_case when a point is at a bus that does not exist.
 * @throws GridError invalid_request when a point is at a branch that does not exist.
 */
export function modelMeasurements(network: Network, points: readonly MeasurementPoint[]): MeasurementModel {
  const plan = planGrid(network)
  const ports = network.branches.map(branchAdmittance)
  const grid = { plan, ports, admittance: sumAdmittance(network, plan, ports) }
  const rows = points.map((point) => listStates(network, plan, point))
  const rowStart = startRows(rows)
  const meters = points.map((point) => {
    const position = 'branch' in point ? branchIndex(network, point.branch) : busPosition(network, point.bus)
    return { point, position }
  })
  const evaluate: MeasurementModel['evaluate'] = (magnitude, angle, values, derivatives) => {
    const voltages = { magnitude, angle }
    meters.forEach((meter, index) => {
      const row = derivatives && { derivatives, place: indexAt(rowStart, index) }
      values[index] = evaluatePoint(grid, meter, voltages, row)
    })
  }
  return { plan, rowStart, columns: Int32Array.from(rows.flat()), evaluate }
}

/** The value of one meter, and its derivatives into `row`; its bus or branch is at `position`. */
function evaluatePoint(
  grid: MeasuredGrid,
  { point, position }: { readonly point: MeasurementPoint; readonly position: number },
  voltages: Voltages,
  row: DerivativeRow | undefined,
): number {
  switch (point.kind) {
    case 'v':
    case 'angle':
      if (row) row.derivatives[row.place] = 1
      return at(point.kind === 'v' ? voltages.magnitude : voltages.angle, position)
    case 'p_injection':
    case 'q_injection':
      return evaluateInjection(grid, { kind: point.kind, position }, voltages, row)
    default:
      return evaluateFlow(orientPort(grid, position, point.side), point.kind, voltages, row)
  }
}

/** Lists the states that a point depends on, as `evaluatePoint` orders their derivatives. */
function listStates(network: Network, plan: GridPlan, point: MeasurementPoint): number[] {
  if ('branch' in point) {
    const index = branchIndex(network, point.branch)
    const ends = [indexAt(plan.from, index), indexAt(plan.to, index)]
    const [near = 0, far = 0] = point.side === 'from' ? ends : ends.reverse()
    return [2 * near, 2 * near + 1, 2 * far, 2 * far + 1]
  }
  const bus = busPosition(network, point.bus)
  if (point.kind === 'angle') return [2 * bus]
  if (point.kind === 'v') return [2 * bus + 1]
  const { rowStart, columns } = plan.pattern
  const row = columns.subarray(indexAt(rowStart, bus), indexAt(rowStart, bus + 1))
  return Array.from(row).flatMap((other) => [2 * other, 2 * other + 1])
}

/**
 * The exact values of a set of points at a voltage profile.
 *
 * @throws GridError as `modelMeasurements` does.
 */
export function evaluateMeasurements(
  network: Network,
  points: readonly MeasurementPoint[],
  { vmPu, vaRad }: VoltageProfile,
): number[] {
  const values = new Float64Array(points.length)
  modelMeasurements(network, points).evaluate(Float64Array.from(vmPu), Float64Array.from(vaRad), values)
  return Array.from(values)
}

/** Standard deviations of the meters of outstations in per unit, as in the reference measurement set. */
export const meterSigma = { v: 0.004, p_inj: 0.01, q_inj: 0.01, p_flow: 0.008, q_flow: 0.008 } as const

/** Standard deviations of a phasor measurement unit in per unit, radians and hertz. */
export const phasorSigma = { magnitudePu: 0.002, angleRad: 0.0008, frequencyHz: 0.0008 } as const
