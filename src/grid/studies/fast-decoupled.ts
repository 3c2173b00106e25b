/** Fast decoupled power flow: angles from active power, magnitudes from reactive power, constant matrices. */

import { GridError } from '../errors.ts'
import {
  type BranchAdmittance,
  branchAdmittance,
  type GridPlan,
  planGrid,
  sumAdmittance,
} from '../network/admittance.ts'
import { assertNetwork } from '../network/assert-network.ts'
import { findIslands } from '../network/islands.ts'
import { factorSparse, type SparseFactors, solveSparse } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import { type Branch, busPosition, type Network } from '../network/network.ts'
import type { VoltageProfile } from '../power-flow/voltage-profile.ts'

/** The matrix that leaves resistance out: B' (XB, Stott and Alsac) or B'' (BX, van Amerongen). */
export type DecoupledScheme = 'XB' | 'BX'

/** The voltages that were reached, and in how many pairs of half-steps. */
export interface FastDecoupledResult extends VoltageProfile {
  readonly converged: boolean
  readonly iterations: number
  /** Largest mismatch over voltage before each half-step, in per unit: how the method approaches. */
  readonly history: readonly { readonly p: number; readonly q: number }[]
}

/**
 * Solves the AC power flow from flat by B' dtheta = dP / V and B'' dV = dQ / V, one after the other.
 *
 * B' has neither charging, shunts nor taps; B'' has no phase shifts. Linear convergence: more and cheaper steps
 * than Newton's, shown side by side for teaching; the simulation itself runs on `solvePowerFlow`.
 *
 * @throws GridError invalid_case when the network cannot be computed with.
 * @throws GridError not_solvable when a matrix B is singular.
 */
export function solveFastDecoupled(
  network: Network,
  scheme: DecoupledScheme,
  { tolerancePu = 1e-8, maxIterations = 60 } = {},
): FastDecoupledResult {
  assertNetwork(network)
  const plan = planGrid(network)
  const { p, q, magnitude, angle, knownAngle, knownMagnitude } = classify(network)
  const withoutShunts = { ...network, shunts: [] }
  const angles = factorSusceptance(withoutShunts, plan, knownAngle, (branch) => ({
    ...branch,
    b: 0,
    ratio: 1,
    r: scheme === 'XB' ? 0 : branch.r,
  }))
  const magnitudes = factorSusceptance(network, plan, knownMagnitude, (branch) => ({
    ...branch,
    shiftDeg: 0,
    r: scheme === 'BX' ? 0 : branch.r,
  }))
  const mismatch = createMismatch(network, plan, { p, q, knownAngle, knownMagnitude })
  const history: { p: number; q: number }[] = []
  const isSolved = (): boolean => {
    const { active, reactive } = mismatch(magnitude, angle)
    const [largestP, largestQ] = [maxMagnitude(active), maxMagnitude(reactive)]
    history.push({ p: largestP, q: largestQ })
    return largestP < tolerancePu && largestQ < tolerancePu
  }
  const finish = (converged: boolean, iterations: number): FastDecoupledResult => ({
    converged,
    iterations,
    history,
    vmPu: Array.from(magnitude),
    vaRad: Array.from(angle),
  })
  if (isSolved()) return finish(true, 0)
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    addAll(angle, solveSparse(angles, mismatch(magnitude, angle).active))
    if (isSolved()) return finish(true, iteration)
    addAll(magnitude, solveSparse(magnitudes, mismatch(magnitude, angle).reactive))
    if (isSolved()) return finish(true, iteration)
    if (!((history.at(-1)?.p ?? 0) < 1e6)) return finish(false, iteration)
  }
  return finish(false, maxIterations)
}

function addAll(values: Float64Array, changes: Float64Array): void {
  for (let index = 0; index < values.length; index++) addAt(values, index, at(changes, index))
}

interface Classified {
  readonly p: Float64Array
  readonly q: Float64Array
  readonly magnitude: Float64Array
  readonly angle: Float64Array
  /** 1 where the angle or the magnitude is given. */
  readonly knownAngle: Int32Array
  readonly knownMagnitude: Int32Array
}

function classify(network: Network): Classified {
  const size = network.buses.length
  const injected = { p: new Float64Array(size), q: new Float64Array(size) }
  const add = (values: Float64Array, bus: number, amount: number): void =>
    addAt(values, busPosition(network, bus), amount / network.baseMva)
  for (const { bus, pMw, qMvar } of network.loads) {
    add(injected.p, bus, -pMw)
    add(injected.q, bus, -qMvar)
  }
  const magnitude = new Float64Array(size)
  const angle = new Float64Array(size)
  const knownAngle = new Int32Array(size).fill(1)
  const knownMagnitude = new Int32Array(size).fill(1)
  for (const { buses, slackBus } of findIslands(network)) {
    if (slackBus === null) continue
    for (const bus of buses) {
      const position = busPosition(network, bus)
      magnitude[position] = 1
      angle[position] = (network.slackAngleDeg * Math.PI) / 180
      knownAngle[position] = bus === slackBus ? 1 : 0
      knownMagnitude[position] = 0
    }
  }
  for (const { bus, pMw, inService, vSetpointPu } of network.generators) {
    const position = busPosition(network, bus)
    if (!inService || magnitude[position] === 0) continue
    add(injected.p, bus, pMw)
    magnitude[position] = vSetpointPu
    knownMagnitude[position] = 1
  }
  return { ...injected, magnitude, angle, knownAngle, knownMagnitude }
}

/** Factors -Im(Y) of a changed network, with the rows and columns of known values made the identity's. */
function factorSusceptance(
  network: Network,
  plan: GridPlan,
  known: Int32Array,
  change: (branch: Branch) => Branch,
): SparseFactors {
  const ports: BranchAdmittance[] = network.branches.map((branch) => branchAdmittance(change(branch)))
  const values = sumAdmittance(network, plan, ports).susceptance.map((b) => -b)
  const { rowStart, columns } = plan.pattern
  for (let bus = 0; bus < known.length; bus++) {
    for (let slot = indexAt(rowStart, bus); slot < indexAt(rowStart, bus + 1); slot++) {
      const other = indexAt(columns, slot)
      if (indexAt(known, bus) === 0 && indexAt(known, other) === 0) continue
      values[slot] = other === bus ? 1 : 0
    }
  }
  const factors = factorSparse(plan.single, values)
  if (factors !== undefined) return factors
  throw new GridError('not_solvable', 'Cannot solve fast decoupled power flow: a susceptance matrix is singular')
}

/** Mismatches over voltage, zero where the angle or the magnitude is known. */
function createMismatch(
  network: Network,
  plan: GridPlan,
  { p, q, knownAngle, knownMagnitude }: Omit<Classified, 'magnitude' | 'angle'>,
) {
  const { conductance, susceptance } = sumAdmittance(network, plan, network.branches.map(branchAdmittance))
  const { rowStart, columns } = plan.pattern
  return (magnitude: Float64Array, angle: Float64Array) => {
    const active = new Float64Array(p.length)
    const reactive = new Float64Array(p.length)
    for (let bus = 0; bus < p.length; bus++) {
      const v = at(magnitude, bus)
      if (v === 0) continue
      let [pOverV, qOverV] = [at(p, bus) / v, at(q, bus) / v]
      for (let slot = indexAt(rowStart, bus); slot < indexAt(rowStart, bus + 1); slot++) {
        const other = indexAt(columns, slot)
        const cos = at(magnitude, other) * Math.cos(at(angle, bus) - at(angle, other))
        const sin = at(magnitude, other) * Math.sin(at(angle, bus) - at(angle, other))
        pOverV -= at(conductance, slot) * cos + at(susceptance, slot) * sin
        qOverV -= at(conductance, slot) * sin - at(susceptance, slot) * cos
      }
      if (indexAt(knownAngle, bus) === 0) active[bus] = pOverV
      if (indexAt(knownMagnitude, bus) === 0) reactive[bus] = qOverV
    }
    return { active, reactive }
  }
}
