/** The answer of a power flow: flows, outputs of machines and losses, from the voltages that were found. */

import { groupBy } from '../../base/group-by.ts'
import type { BranchAdmittance, GridPlan } from '../network/admittance.ts'
import type { Island } from '../network/islands.ts'
import { addAt, at, indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, type Generator, type Network } from '../network/network.ts'
import type { SolveResult } from './newton.ts'
import { kind, type Problem } from './problem.ts'
import type { VoltageProfile, Voltages } from './voltage-profile.ts'

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
  /** Generation minus load, of which fixed shunts take their part. */
  readonly lossesMw: number
}

/** Computes every flow and output at the voltages of an attempt. */
export function toResult(problem: Problem, { attempt, solvedShare, startedFrom }: SolveResult): PowerFlowResult {
  const { network } = problem
  const { magnitude, angle } = attempt.voltages
  const injections = sumFlows(problem, attempt.voltages)
  const generators = shareInjections(problem, injections, solvedShare)
  const generation = generators.reduce((sum, { pMw }) => sum + pMw, 0)
  const demand = problem.islands
    .filter(({ energized }) => energized)
    .reduce((sum, { buses }) => sum + sumLoadAt(network, new Set(buses)), 0)
  return {
    converged: attempt.converged,
    solvedShare,
    iterations: attempt.iterations,
    startedFrom,
    mismatchPu: attempt.mismatchPu,
    vmPu: Array.from(magnitude),
    vaRad: Array.from(angle),
    branches: branchFlows(network, problem.plan, problem.ports, attempt.voltages),
    generators,
    islands: problem.islands,
    lossesMw: generation - solvedShare * demand,
  }
}

function sumLoadAt(network: Network, buses: ReadonlySet<number>): number {
  return network.loads.reduce((sum, { bus, pMw }) => sum + (buses.has(bus) ? pMw : 0), 0)
}

/** Power into the network at every bus, in per unit. */
function sumFlows({ plan, admittance }: Problem, { magnitude, angle }: Voltages): Injections {
  const { rowStart, columns } = plan.pattern
  const p = new Float64Array(magnitude.length)
  const q = new Float64Array(magnitude.length)
  for (let bus = 0; bus < magnitude.length; bus++) {
    for (let slot = indexAt(rowStart, bus); slot < indexAt(rowStart, bus + 1); slot++) {
      const other = indexAt(columns, slot)
      const product = at(magnitude, bus) * at(magnitude, other)
      const difference = at(angle, bus) - at(angle, other)
      const [g, b] = [at(admittance.conductance, slot), at(admittance.susceptance, slot)]
      addAt(p, bus, product * (g * Math.cos(difference) + b * Math.sin(difference)))
      addAt(q, bus, product * (g * Math.sin(difference) - b * Math.cos(difference)))
    }
  }
  return { p, q }
}

interface Injections {
  readonly p: Float64Array
  readonly q: Float64Array
}

/**
 * Gives every machine its part of what its bus puts in: active power as dispatched, the rest of the slack bus to
 * its first machine; reactive power in proportion to the ranges of the machines at the bus.
 */
function shareInjections(problem: Problem, { p, q }: Injections, solvedShare: number): GeneratorOutput[] {
  const { network, kinds } = problem
  const { baseMva } = network
  const loadAt = sumLoads(network)
  const unitsAt = groupUnits(network)
  return network.generators.map((unit) => {
    const position = busPosition(network, unit.bus)
    const here = unitsAt.get(unit.bus) ?? []
    if (!unit.inService || indexAt(kinds, position) === kind.dead) return { pMw: 0, qMvar: 0 }
    const load = loadAt.get(unit.bus)
    const ranges = here.map(({ qMaxMvar, qMinMvar }) => Math.max(qMaxMvar - qMinMvar, 1e-9))
    const share = (ranges[here.indexOf(unit)] ?? 0) / ranges.reduce((sum, range) => sum + range, 0)
    const qMvar = (at(q, position) * baseMva + solvedShare * (load?.qMvar ?? 0)) * share
    const balances = indexAt(kinds, position) === kind.slack && here[0] === unit
    if (!balances) return { pMw: unit.pMw * solvedShare, qMvar }
    const others = here.slice(1).reduce((sum, { pMw }) => sum + pMw * solvedShare, 0)
    return { pMw: at(p, position) * baseMva + solvedShare * (load?.pMw ?? 0) - others, qMvar }
  })
}

/** All loads of each bus together. */
function sumLoads({ loads }: Network): ReadonlyMap<number, { readonly pMw: number; readonly qMvar: number }> {
  const loadAt = new Map<number, { readonly pMw: number; readonly qMvar: number }>()
  for (const { bus, pMw, qMvar } of loads) {
    const sum = loadAt.get(bus)
    loadAt.set(bus, { pMw: (sum?.pMw ?? 0) + pMw, qMvar: (sum?.qMvar ?? 0) + qMvar })
  }
  return loadAt
}

/** The machines in service at each bus. */
function groupUnits({ generators }: Network): ReadonlyMap<number, readonly Generator[]> {
  return groupBy(
    generators.filter(({ inService }) => inService),
    ({ bus }) => bus,
  )
}

/** Power into both ends of every branch at a voltage profile. */
function branchFlows(
  { baseMva }: Network,
  plan: GridPlan,
  ports: readonly BranchAdmittance[],
  { magnitude, angle }: Voltages,
): BranchFlow[] {
  return ports.map((port, index) => {
    const [from, to] = [indexAt(plan.from, index), indexAt(plan.to, index)]
    const difference = at(angle, from) - at(angle, to)
    const product = at(magnitude, from) * at(magnitude, to) * baseMva
    const [cos, sin] = [product * Math.cos(difference), product * Math.sin(difference)]
    const fromSquare = at(magnitude, from) ** 2 * baseMva
    const toSquare = at(magnitude, to) ** 2 * baseMva
    const fromMw = port.ffG * fromSquare + port.ftG * cos + port.ftB * sin
    const fromMvar = -port.ffB * fromSquare + port.ftG * sin - port.ftB * cos
    const toMw = port.ttG * toSquare + port.tfG * cos - port.tfB * sin
    const toMvar = -port.ttB * toSquare - port.tfG * sin - port.tfB * cos
    const loadingMva = Math.sqrt(Math.max(fromMw ** 2 + fromMvar ** 2, toMw ** 2 + toMvar ** 2))
    return { fromMw, fromMvar, toMw, toMvar, loadingMva }
  })
}
