/** The functions h(x) of one meter: power into a branch or a bus by voltages, in per unit, with their derivatives. */

import type { Admittance, BranchAdmittance, GridPlan } from '../network/admittance.ts'
import { at, indexAt } from '../network/linear-algebra/vector.ts'
import type { Voltages } from '../power-flow/voltage-profile.ts'

/** A network as its meters need it: everything by position, in per unit. */
export interface MeasuredGrid {
  readonly plan: GridPlan
  readonly ports: readonly BranchAdmittance[]
  readonly admittance: Admittance
}

/** The place for the derivatives of one meter: from `place` on, for each bus by angle, then by magnitude. */
export interface DerivativeRow {
  readonly derivatives: Float64Array
  readonly place: number
}

/** A branch seen from the end where it is measured. */
export interface PortEnds {
  /** Bus positions of the measured end and of the other. */
  readonly near: number
  readonly far: number
  readonly nearG: number
  readonly nearB: number
  readonly acrossG: number
  readonly acrossB: number
}

/** Turns the branch at a position so that `near` is the side of the meter. */
export function orientPort({ plan, ports }: MeasuredGrid, branch: number, side: 'from' | 'to'): PortEnds {
  const from = indexAt(plan.from, branch)
  const to = indexAt(plan.to, branch)
  const port = ports[branch] as BranchAdmittance // the plan has a place for each port
  if (side === 'from') {
    const { ffG, ffB, ftG, ftB } = port
    return { near: from, far: to, nearG: ffG, nearB: ffB, acrossG: ftG, acrossB: ftB }
  }
  const { ttG, ttB, tfG, tfB } = port
  return { near: to, far: from, nearG: ttG, nearB: ttB, acrossG: tfG, acrossB: tfB }
}

/**
 * The power into a branch: P = V^2 g + V W (G cos + B sin), Q = -V^2 b + V W (G sin - B cos), and the derivatives by
 * angle and magnitude of the near bus, then of the far one.
 */
export function evaluateFlow(
  { near, far, nearG, nearB, acrossG, acrossB }: PortEnds,
  kind: 'p_flow' | 'q_flow',
  { magnitude, angle }: Voltages,
  row?: DerivativeRow,
): number {
  const v = at(magnitude, near)
  const w = at(magnitude, far)
  const cos = Math.cos(at(angle, near) - at(angle, far))
  const sin = Math.sin(at(angle, near) - at(angle, far))
  const along = acrossG * cos + acrossB * sin
  const across = acrossG * sin - acrossB * cos
  const [own, mutual, turned] = kind === 'p_flow' ? [nearG, along, -across] : [-nearB, across, along]
  if (row) {
    const { derivatives, place } = row
    derivatives[place] = v * w * turned
    derivatives[place + 1] = 2 * v * own + w * mutual
    derivatives[place + 2] = -v * w * turned
    derivatives[place + 3] = v * mutual
  }
  return v * v * own + v * w * mutual
}

/**
 * The power into the network at a bus position: the sum over all neighbours, as in the power flow, and the derivatives
 * by angle and magnitude of each of them, in the order of the pattern's row.
 */
export function evaluateInjection(
  { plan, admittance }: MeasuredGrid,
  { kind, position: bus }: { readonly kind: 'p_injection' | 'q_injection'; readonly position: number },
  { magnitude, angle }: Voltages,
  row?: DerivativeRow,
): number {
  const { pattern, diagonals } = plan
  const isActive = kind === 'p_injection'
  const start = indexAt(pattern.rowStart, bus)
  const v = at(magnitude, bus)
  let sum = 0
  let byAngle = 0
  for (let slot = start; slot < indexAt(pattern.rowStart, bus + 1); slot++) {
    const other = indexAt(pattern.columns, slot)
    const w = at(magnitude, other)
    const cos = Math.cos(at(angle, bus) - at(angle, other))
    const sin = Math.sin(at(angle, bus) - at(angle, other))
    const along = at(admittance.conductance, slot) * cos + at(admittance.susceptance, slot) * sin
    const across = at(admittance.conductance, slot) * sin - at(admittance.susceptance, slot) * cos
    const mutual = isActive ? along : across
    const turned = isActive ? -across : along
    sum += w * mutual
    if (other !== bus) byAngle += w * turned
    if (row) {
      const place = row.place + 2 * (slot - start)
      row.derivatives[place] = -v * w * turned
      row.derivatives[place + 1] = v * mutual
    }
  }
  if (row) {
    const own = row.place + 2 * (indexAt(diagonals, bus) - start)
    row.derivatives[own] = v * byAngle
    // The term of the bus itself is quadratic: one half is in the sum, the loop wrote the other half.
    row.derivatives[own + 1] = at(row.derivatives, own + 1) + sum
  }
  return v * sum
}
