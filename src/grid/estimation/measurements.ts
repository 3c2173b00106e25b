/** What meters measure, as functions of the grid's state: values in per unit and radians. */

import { GridError } from '../errors.ts'
import {
  type BranchAdmittance,
  branchAdmittance,
  type GridPlan,
  planGrid,
  sumAdmittance,
} from '../network/admittance.ts'
import { at, indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { VoltageProfile } from '../power-flow/power-flow.ts'

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

const shortNames = {
  v: 'V',
  angle: 'A',
  p_injection: 'Pinj',
  q_injection: 'Qinj',
  p_flow: 'Pflow',
  q_flow: 'Qflow',
} as const

/** The name of a point as `V_14`, `Pinj_9`, `Pflow_2-3`; flows are named after the bus where they are measured. */
export function nameMeasurement(network: Network, point: MeasurementPoint): string {
  if (!('branch' in point)) return `${shortNames[point.kind]}_${point.bus}`
  const { from, to } = network.branches[branchIndex(network, point.branch)] ?? { from: 0, to: 0 }
  const [near, far] = point.side === 'from' ? [from, to] : [to, from]
  return `${shortNames[point.kind]}_${near}-${far}`
}

/** The position of a branch in `network.branches`. @throws GridError `invalid_request` for an unknown number. */
export function branchIndex(network: Network, number: number): number {
  // Cases number their branches in order, so the first guess is nearly always right.
  const index =
    network.branches[number - 1]?.number === number
      ? number - 1
      : network.branches.findIndex((branch) => branch.number === number)
  if (index >= 0) return index
  throw new GridError(
    'invalid_request',
    `Cannot measure: branch ${number} does not exist in "${network.name}"`,
  )
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
 * @throws GridError `invalid_case` or `invalid_request` for a point at a bus or branch that does not exist.
 */
export function modelMeasurements(network: Network, points: readonly MeasurementPoint[]): MeasurementModel {
  const plan = planGrid(network)
  const ports = network.branches.map(branchAdmittance)
  const { conductance, susceptance } = sumAdmittance(network, plan, ports)
  const rows = points.map((point) => statesOf(network, plan, point))
  const rowStart = new Int32Array(points.length + 1)
  rows.forEach((row, index) => {
    rowStart[index + 1] = indexAt(rowStart, index) + row.length
  })
  const elements = Int32Array.from(points, (point) =>
    'branch' in point ? branchIndex(network, point.branch) : busPosition(network, point.bus),
  )
  const evaluate: MeasurementModel['evaluate'] = (magnitude, angle, values, derivatives) => {
    points.forEach((point, index) => {
      const element = indexAt(elements, index)
      const place = indexAt(rowStart, index)
      if (point.kind === 'v' || point.kind === 'angle') {
        values[index] = at(point.kind === 'v' ? magnitude : angle, element)
        if (derivatives) derivatives[place] = 1
      } else if ('branch' in point) {
        const port = ports[element]
        if (port === undefined) return
        const ends = orientPort(plan, port, element, point.side)
        values[index] = evaluateFlow(ends, point.kind, magnitude, angle, derivatives, place)
      } else {
        const isActive = point.kind === 'p_injection'
        values[index] = evaluateInjection(
          plan,
          conductance,
          susceptance,
          element,
          isActive,
          magnitude,
          angle,
          derivatives,
          place,
        )
      }
    })
  }
  return { plan, rowStart, columns: Int32Array.from(rows.flat()), evaluate }
}

function statesOf(network: Network, plan: GridPlan, point: MeasurementPoint): number[] {
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

interface PortEnds {
  readonly near: number
  readonly far: number
  readonly nearG: number
  readonly nearB: number
  readonly acrossG: number
  readonly acrossB: number
}

function orientPort(plan: GridPlan, port: BranchAdmittance, element: number, side: 'from' | 'to'): PortEnds {
  const from = indexAt(plan.from, element)
  const to = indexAt(plan.to, element)
  if (side === 'from') {
    const { ffG, ffB, ftG, ftB } = port
    return { near: from, far: to, nearG: ffG, nearB: ffB, acrossG: ftG, acrossB: ftB }
  }
  const { ttG, ttB, tfG, tfB } = port
  return { near: to, far: from, nearG: ttG, nearB: ttB, acrossG: tfG, acrossB: tfB }
}

/** P = V^2 g + V W (G cos + B sin), Q = -V^2 b + V W (G sin - B cos), and their four derivatives. */
function evaluateFlow(
  { near, far, nearG, nearB, acrossG, acrossB }: PortEnds,
  kind: 'p_flow' | 'q_flow',
  magnitude: Float64Array,
  angle: Float64Array,
  derivatives: Float64Array | undefined,
  place: number,
): number {
  const v = at(magnitude, near)
  const w = at(magnitude, far)
  const cos = Math.cos(at(angle, near) - at(angle, far))
  const sin = Math.sin(at(angle, near) - at(angle, far))
  const along = acrossG * cos + acrossB * sin
  const across = acrossG * sin - acrossB * cos
  const [own, mutual, turned] = kind === 'p_flow' ? [nearG, along, -across] : [-nearB, across, along]
  if (derivatives) {
    derivatives[place] = v * w * turned
    derivatives[place + 1] = 2 * v * own + w * mutual
    derivatives[place + 2] = -v * w * turned
    derivatives[place + 3] = v * mutual
  }
  return v * v * own + v * w * mutual
}

/** The sum over all neighbours, as in the power flow, with derivatives by angle and by magnitude. */
function evaluateInjection(
  { pattern, diagonals }: GridPlan,
  conductance: Float64Array,
  susceptance: Float64Array,
  bus: number,
  isActive: boolean,
  magnitude: Float64Array,
  angle: Float64Array,
  derivatives: Float64Array | undefined,
  place: number,
): number {
  const start = indexAt(pattern.rowStart, bus)
  const v = at(magnitude, bus)
  let sum = 0
  let byAngle = 0
  for (let slot = start; slot < indexAt(pattern.rowStart, bus + 1); slot++) {
    const other = indexAt(pattern.columns, slot)
    const w = at(magnitude, other)
    const cos = Math.cos(at(angle, bus) - at(angle, other))
    const sin = Math.sin(at(angle, bus) - at(angle, other))
    const along = at(conductance, slot) * cos + at(susceptance, slot) * sin
    const across = at(conductance, slot) * sin - at(susceptance, slot) * cos
    const mutual = isActive ? along : across
    const turned = isActive ? -across : along
    sum += w * mutual
    if (other !== bus) byAngle += w * turned
    if (derivatives) {
      derivatives[place + 2 * (slot - start)] = -v * w * turned
      derivatives[place + 2 * (slot - start) + 1] = v * mutual
    }
  }
  if (derivatives) {
    const own = place + 2 * (indexAt(diagonals, bus) - start)
    derivatives[own] = v * byAngle
    // The term of the bus itself is quadratic: one half is in the sum, the loop wrote the other half.
    derivatives[own + 1] = at(derivatives, own + 1) + sum
  }
  return v * sum
}

/** The exact values of a set of points at a voltage profile. */
export function evaluateMeasurements(
  network: Network,
  points: readonly MeasurementPoint[],
  { vmPu, vaRad }: VoltageProfile,
): number[] {
  const values = new Float64Array(points.length)
  modelMeasurements(network, points).evaluate(Float64Array.from(vmPu), Float64Array.from(vaRad), values)
  return Array.from(values)
}
