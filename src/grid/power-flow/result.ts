/** The answer of a power flow: flows, outputs of machines and losses, from the voltages that were found. */

import { memo } from '../../base/memo.ts'
import type { BranchAdmittance, GridPlan } from '../network/admittance.ts'
import type { Island } from '../network/islands.ts'
import { addAt, at, indexAt } from '../network/linear-algebra/vector.ts'
import { type Generator, generatorPositions, type Load, loadPositions, type Network } from '../network/network.ts'
import type { Injections, SolveResult } from './newton.ts'
import { kind, type Problem } from './problem.ts'
import type { LimitedBus } from './reactive-limits.ts'
import { loadsAt } from './voltage-loads.ts'
import { toRectangular, type VoltageProfile, type Voltages } from './voltage-profile.ts'

/** Power into a branch at both ends, in MW and MVAr. */
export interface BranchFlow {
  readonly fromMw: number
  readonly fromMvar: number
  readonly toMw: number
  readonly toMvar: number
  /** The larger apparent power of the two ends. */
  readonly loadingMva: number
}

/** The output of a machine in MW and MVAr; zero out of service and in dead islands. */
export interface GeneratorOutput {
  readonly pMw: number
  readonly qMvar: number
}

/** A solved grid; everything in the order of the network's own lists. Plain JSON. */
export interface PowerFlowResult extends VoltageProfile {
  /** False when no voltages satisfy the injections; the profile is then that of `solvedShare`. */
  readonly converged: boolean
  /** The share of loads and dispatch that could be solved: 1 when converged. */
  readonly solvedShare: number
  /** Newton iterations of all attempts together. */
  readonly iterations: number
  /** The start from which the iteration found the solution. */
  readonly startedFrom: SolveResult['startedFrom']
  /** The largest mismatch left, in per unit. */
  readonly mismatchPu: number
  readonly branches: readonly BranchFlow[]
  readonly generators: readonly GeneratorOutput[]
  readonly islands: readonly Island[]
  /** Buses whose machines are at a reactive limit; empty where limits are ignored. */
  readonly limited: readonly LimitedBus[]
  /** Generation minus load: the losses of branches, and the power of fixed shunts. */
  readonly lossesMw: number
}

/** Room for the sums of an answer on a plan, used again by each. */
const roomFor = memo(({ pattern: { size } }: GridPlan) => ({
  loadMw: new Float64Array(size),
  loadMvar: new Float64Array(size),
  ranges: new Float64Array(size),
  dispatched: new Float64Array(size),
  balancing: new Int32Array(size),
  real: new Float64Array(size),
  imaginary: new Float64Array(size),
}))

/** Computes every flow and output at the voltages of an attempt. */
export function toResult(problem: Problem, { attempt, solvedShare, startedFrom }: SolveResult): PowerFlowResult {
  const { network, kinds } = problem
  const { magnitude, angle } = attempt.voltages
  const loads = loadsAt(network, magnitude)
  const generators = shareInjections(problem, attempt.injections, loads, solvedShare)
  const generation = generators.reduce((sum, { pMw }) => sum + pMw, 0)
  const atLoads = loadPositions(network)
  const demand = loads.reduce(
    (sum, { pMw }, index) => (indexAt(kinds, indexAt(atLoads, index)) === kind.dead ? sum : sum + pMw),
    0,
  )
  return {
    converged: attempt.converged,
    solvedShare,
    iterations: attempt.iterations,
    startedFrom,
    mismatchPu: attempt.mismatchPu,
    vmPu: toNumbers(magnitude),
    vaRad: toNumbers(angle),
    branches: branchFlows(network, problem.plan, problem.ports, attempt.voltages),
    generators,
    islands: problem.islands,
    limited: [],
    lossesMw: generation - solvedShare * demand,
  }
}

/**
 * Shares the injection of each bus among its machines: active power as dispatched, with the rest of a slack for its
 * first machine; reactive power in proportion to their ranges.
 */
function shareInjections(problem: Problem, { p, q }: Injections, loads: readonly Load[], solvedShare: number) {
  const { network, kinds } = problem
  const { baseMva, generators } = network
  const [positions, atLoads] = [generatorPositions(network), loadPositions(network)]
  const { loadMw, loadMvar, ranges, dispatched, balancing } = roomFor(problem.plan)
  for (const sums of [loadMw, loadMvar, ranges, dispatched]) sums.fill(0)
  balancing.fill(-1)
  loads.forEach(({ pMw, qMvar }, index) => {
    addAt(loadMw, indexAt(atLoads, index), pMw)
    addAt(loadMvar, indexAt(atLoads, index), qMvar)
  })
  generators.forEach((unit, index) => {
    const position = indexAt(positions, index)
    if (!unit.inService) return
    addAt(ranges, position, rangeOf(unit))
    addAt(dispatched, position, unit.pMw)
    if (indexAt(balancing, position) < 0) balancing[position] = index
  })
  return generators.map((unit, index) => {
    const position = indexAt(positions, index)
    if (!unit.inService || indexAt(kinds, position) === kind.dead) return { pMw: 0, qMvar: 0 }
    const share = rangeOf(unit) / at(ranges, position)
    const qMvar = (at(q, position) * baseMva + solvedShare * at(loadMvar, position)) * share
    const balances = indexAt(kinds, position) === kind.slack && indexAt(balancing, position) === index
    if (!balances) return { pMw: unit.pMw * solvedShare, qMvar }
    const others = (at(dispatched, position) - unit.pMw) * solvedShare
    return { pMw: at(p, position) * baseMva + solvedShare * at(loadMw, position) - others, qMvar }
  })
}

function rangeOf({ qMaxMvar, qMinMvar }: Generator): number {
  return Math.max(qMaxMvar - qMinMvar, 1e-9)
}

/** Copies the elements; `Array.from` takes several times as long. */
function toNumbers(values: Float64Array): number[] {
  const numbers: number[] = []
  for (let index = 0; index < values.length; index++) numbers.push(at(values, index))
  return numbers
}

/** Computes the power into both ends of every branch at a voltage profile. */
export function branchFlows(
  { baseMva }: Network,
  plan: GridPlan,
  ports: readonly BranchAdmittance[],
  voltages: Voltages,
): BranchFlow[] {
  const { real, imaginary } = roomFor(plan)
  toRectangular(voltages, real, imaginary)
  return ports.map((port, index) => {
    const from = indexAt(plan.from, index)
    const to = indexAt(plan.to, index)
    const e = at(real, from)
    const f = at(imaginary, from)
    const g = at(real, to)
    const h = at(imaginary, to)
    const cos = (e * g + f * h) * baseMva
    const sin = (f * g - e * h) * baseMva
    const fromSquare = (e * e + f * f) * baseMva
    const toSquare = (g * g + h * h) * baseMva
    const fromMw = port.ffG * fromSquare + port.ftG * cos + port.ftB * sin
    const fromMvar = -port.ffB * fromSquare + port.ftG * sin - port.ftB * cos
    const toMw = port.ttG * toSquare + port.tfG * cos - port.tfB * sin
    const toMvar = -port.ttB * toSquare - port.tfG * sin - port.tfB * cos
    const loadingMva = Math.sqrt(Math.max(fromMw * fromMw + fromMvar * fromMvar, toMw * toMw + toMvar * toMvar))
    return { fromMw, fromMvar, toMw, toMvar, loadingMva }
  })
}
