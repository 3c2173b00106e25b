/** AC power flow by Newton's method in polar coordinates: injections and set points to voltages and flows. */

import { GridError } from '../errors.ts'
import {
  type Admittance,
  type BranchAdmittance,
  branchAdmittance,
  type GridPlan,
  planGrid,
  sumAdmittance,
} from '../network/admittance.ts'
import { assertNetwork } from '../network/assert-network.ts'
import { findIslands, type Island, type IslandOptions } from '../network/islands.ts'
import { factorDense, solveDense } from '../network/linear-algebra/dense-lu.ts'
import { factorSparse, solveSparse, toDense } from '../network/linear-algebra/sparse-lu.ts'
import { addAt, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import { busPosition, type Generator, type Network } from '../network/network.ts'

/** Voltages in the order of `network.buses`: magnitudes in per unit, angles in radians. Plain JSON. */
export interface VoltageProfile {
  readonly vmPu: readonly number[]
  readonly vaRad: readonly number[]
}

/** Power into a branch at both ends, in MW and MVAr. */
export interface BranchFlow {
  readonly fromMw: number
  readonly fromMvar: number
  readonly toMw: number
  readonly toMvar: number
  /** The larger apparent power of the two ends. */
  readonly loadingMva: number
}

/** What a machine gives, in MW and MVAr; zero out of service and in dead islands. */
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
  readonly startedFrom: 'profile' | 'flat' | 'homotopy'
  /** The largest mismatch left, in per unit. */
  readonly mismatchPu: number
  readonly branches: readonly BranchFlow[]
  readonly generators: readonly GeneratorOutput[]
  readonly islands: readonly Island[]
  /** Generation minus load, of which fixed shunts take their part. */
  readonly lossesMw: number
}

/** How a power flow is solved. */
export interface PowerFlowOptions extends IslandOptions {
  /** Where the iteration starts: usually the last solution. Default: flat. */
  readonly start?: VoltageProfile
  /** Holds reactive power inside its limits by giving up the set point of the bus. Default false. */
  readonly enforceQ?: boolean
  /** Largest mismatch of a solution in per unit. Default 1e-8. */
  readonly tolerancePu?: number
  /** Newton iterations per attempt. Default 20. */
  readonly maxIterations?: number
  /** `dense` is the plain method, kept for comparison. Default `sparse`. */
  readonly solver?: 'sparse' | 'dense'
}

/** A network made ready for iterations: everything by bus position and in per unit. */
interface Problem {
  readonly network: Network
  readonly plan: GridPlan
  readonly islands: readonly Island[]
  readonly ports: readonly BranchAdmittance[]
  readonly admittance: Admittance
  /** 0: dead, 1: PQ, 2: PV, 3: slack. */
  readonly kinds: Int32Array
  readonly p: Float64Array
  readonly q: Float64Array
  readonly setpoints: Float64Array
  readonly flatAngles: Float64Array
}

interface Voltages {
  readonly magnitude: Float64Array
  readonly angle: Float64Array
}

interface Attempt {
  readonly voltages: Voltages
  readonly converged: boolean
  readonly iterations: number
  readonly mismatchPu: number
}

const kind = { dead: 0, pq: 1, pv: 2, slack: 3 } as const

/**
 * Solves the AC power flow: P_i = V_i sum V_k (G cos + B sin), Q_i = V_i sum V_k (G sin - B cos).
 *
 * Newton with the full Jacobian on all islands at once, each with its own slack; dead islands get 0 V. When the
 * start does not converge the ladder is: flat start, then raising load and dispatch from nothing in steps that
 * halve on failure (homotopy, smallest step 1/64). Reactive limits are ignored unless `enforceQ`.
 *
 * @throws GridError `invalid_case` for a network that cannot be computed with, `invalid_request` for a start that
 *   does not fit it. A grid without a solution is not an error: see `converged`.
 */
export function solvePowerFlow(network: Network, options: PowerFlowOptions = {}): PowerFlowResult {
  assertNetwork(network)
  const problem = prepare(network, options)
  const start = options.start && readStart(problem, options.start)
  const first = climb(problem, start, options)
  if (!options.enforceQ || !first.attempt.converged) return toResult(problem, first)
  return holdReactiveLimits(problem, first, options)
}

function prepare(network: Network, options: IslandOptions): Problem {
  const plan = planGrid(network)
  const ports = network.branches.map(branchAdmittance)
  const islands = findIslands(network, options)
  const size = network.buses.length
  const problem: Problem = {
    network,
    plan,
    islands,
    ports,
    admittance: sumAdmittance(network, plan, ports),
    kinds: new Int32Array(size),
    p: new Float64Array(size),
    q: new Float64Array(size),
    setpoints: new Float64Array(size).fill(1),
    flatAngles: new Float64Array(size),
  }
  sumInjections(problem)
  classifyBuses(problem)
  return problem
}

function sumInjections({ network, p, q }: Problem): void {
  const { baseMva } = network
  for (const { bus, pMw, qMvar } of network.loads) {
    const position = busPosition(network, bus)
    addAt(p, position, -pMw / baseMva)
    addAt(q, position, -qMvar / baseMva)
  }
  for (const { bus, pMw, inService } of network.generators) {
    if (inService) addAt(p, busPosition(network, bus), pMw / baseMva)
  }
}

function classifyBuses({ network, islands, kinds, p, q, setpoints, flatAngles }: Problem): void {
  const reference = (network.slackAngleDeg * Math.PI) / 180
  for (const { buses, energized } of islands) {
    for (const bus of buses) {
      const position = busPosition(network, bus)
      kinds[position] = energized ? kind.pq : kind.dead
      flatAngles[position] = energized ? reference : 0
      if (!energized) [p[position], q[position], setpoints[position]] = [0, 0, 0]
    }
  }
  for (const { bus, inService, vSetpointPu } of network.generators) {
    const position = busPosition(network, bus)
    if (!inService || kinds[position] === kind.dead) continue
    kinds[position] = kind.pv
    setpoints[position] = vSetpointPu
  }
  for (const { slackBus } of islands) {
    if (slackBus !== null) kinds[busPosition(network, slackBus)] = kind.slack
  }
}

function readStart({ kinds, setpoints, flatAngles }: Problem, start: VoltageProfile): Voltages {
  const { vmPu, vaRad } = start
  if (vmPu.length !== kinds.length || vaRad.length !== kinds.length) {
    throw new GridError(
      'invalid_request',
      `Cannot start power flow: the profile has ${vmPu.length} magnitudes and ${vaRad.length} angles, expected ${kinds.length}`,
    )
  }
  const magnitude = Float64Array.from(vmPu)
  const angle = Float64Array.from(vaRad)
  for (let bus = 0; bus < kinds.length; bus++) {
    const held = kinds[bus] !== kind.pq
    // A bus that was dead until now has no voltage to start from.
    if (held || !(at(magnitude, bus) > 0.3)) magnitude[bus] = at(setpoints, bus)
    if (kinds[bus] === kind.slack || kinds[bus] === kind.dead || !Number.isFinite(at(angle, bus))) {
      angle[bus] = at(flatAngles, bus)
    }
  }
  return { magnitude, angle }
}

function flatStart({ setpoints, flatAngles }: Problem): Voltages {
  return { magnitude: setpoints.slice(), angle: flatAngles.slice() }
}

interface Climb {
  readonly attempt: Attempt
  readonly solvedShare: number
  readonly startedFrom: PowerFlowResult['startedFrom']
}

/** The ladder: the given start, flat, homotopy. */
function climb(problem: Problem, start: Voltages | undefined, options: PowerFlowOptions): Climb {
  let spent = 0
  if (start !== undefined) {
    const attempt = iterate(problem, start, 1, options)
    if (attempt.converged) return { attempt, solvedShare: 1, startedFrom: 'profile' }
    spent = attempt.iterations
  }
  const flat = iterate(problem, flatStart(problem), 1, options)
  const iterations = spent + flat.iterations
  if (flat.converged) return { attempt: { ...flat, iterations }, solvedShare: 1, startedFrom: 'flat' }
  return raiseLoad(problem, iterations, options)
}

function raiseLoad(problem: Problem, spent: number, options: PowerFlowOptions): Climb {
  let iterations = spent
  let share = 0
  let step = 0.5
  let best: Attempt = { voltages: flatStart(problem), converged: false, iterations, mismatchPu: Number.NaN }
  while (share < 1 && step >= 1 / 64) {
    const next = Math.min(1, share + step)
    const attempt = iterate(problem, best.voltages, next, options)
    iterations += attempt.iterations
    if (attempt.converged) [share, best] = [next, attempt]
    else step /= 2
  }
  return {
    attempt: { ...best, iterations, converged: share === 1 },
    solvedShare: share,
    startedFrom: 'homotopy',
  }
}

/** Newton's iterations on the given share of all injections. */
function iterate(problem: Problem, start: Voltages, share: number, options: PowerFlowOptions): Attempt {
  const { tolerancePu = 1e-8, maxIterations = 20, solver = 'sparse' } = options
  const voltages = { magnitude: start.magnitude.slice(), angle: start.angle.slice() }
  const size = problem.kinds.length
  const right = new Float64Array(2 * size)
  const jacobian = new Float64Array(problem.plan.double.pattern.columns.length)
  for (let iterations = 0; ; iterations++) {
    linearize(problem, voltages, share, right, jacobian)
    const mismatchPu = maxMagnitude(right)
    const converged = mismatchPu < tolerancePu
    const hopeless = !(mismatchPu < 1e6) || iterations === maxIterations
    if (converged || hopeless) return { voltages, converged, iterations, mismatchPu }
    const change = solveStep(problem.plan, jacobian, right, solver)
    if (change === undefined) return { voltages, converged, iterations, mismatchPu }
    for (let bus = 0; bus < size; bus++) {
      addAt(voltages.angle, bus, at(change, 2 * bus))
      // The second unknown is the relative change of the magnitude, which makes the Jacobian cheap.
      voltages.magnitude[bus] = at(voltages.magnitude, bus) * (1 + at(change, 2 * bus + 1))
    }
  }
}

function solveStep(
  plan: GridPlan,
  jacobian: Float64Array,
  right: Float64Array,
  solver: 'sparse' | 'dense',
): Float64Array | undefined {
  const factors = solver === 'sparse' ? factorSparse(plan.double, jacobian) : undefined
  if (factors !== undefined) return solveSparse(factors, right)
  // Elimination without pivoting can meet a zero that exchanging rows avoids.
  const dense = factorDense(toDense(plan.double.pattern, jacobian), right.length)
  return dense && solveDense(dense, right)
}

/**
 * Writes the mismatches and the Jacobian at a voltage profile; the rows and columns of known angles and
 * magnitudes become those of the identity, so that the pattern never depends on the kinds of buses.
 */
function linearize(
  problem: Problem,
  { magnitude, angle }: Voltages,
  share: number,
  right: Float64Array,
  jacobian: Float64Array,
): void {
  const { plan, kinds, p, q } = problem
  const { conductance, susceptance } = problem.admittance
  const { rowStart, columns } = plan.pattern
  const size = kinds.length
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  for (let bus = 0; bus < size; bus++) {
    real[bus] = at(magnitude, bus) * Math.cos(at(angle, bus))
    imaginary[bus] = at(magnitude, bus) * Math.sin(at(angle, bus))
  }
  for (let bus = 0; bus < size; bus++) {
    const e = at(real, bus)
    const f = at(imaginary, bus)
    const start = indexAt(rowStart, bus)
    const end = indexAt(rowStart, bus + 1)
    // A bus with d slots owns 4d values: first its row for P, then its row for Q, two values per slot.
    const pRow = 4 * start
    const qRow = pRow + 2 * (end - start)
    const solvesP = indexAt(kinds, bus) === kind.pq || indexAt(kinds, bus) === kind.pv
    const solvesQ = indexAt(kinds, bus) === kind.pq
    let pSum = 0
    let qSum = 0
    for (let slot = start; slot < end; slot++) {
      const other = indexAt(columns, slot)
      const g = at(conductance, slot)
      const b = at(susceptance, slot)
      const cos = e * at(real, other) + f * at(imaginary, other)
      const sin = f * at(real, other) - e * at(imaginary, other)
      const along = g * cos + b * sin
      const across = g * sin - b * cos
      pSum += along
      qSum += across
      if (other === bus) continue
      const offset = 2 * (slot - start)
      const otherKind = indexAt(kinds, other)
      const hasAngle = otherKind === kind.pq || otherKind === kind.pv
      const hasMagnitude = otherKind === kind.pq
      jacobian[pRow + offset] = solvesP && hasAngle ? across : 0
      jacobian[pRow + offset + 1] = solvesP && hasMagnitude ? along : 0
      jacobian[qRow + offset] = solvesQ && hasAngle ? -along : 0
      jacobian[qRow + offset + 1] = solvesQ && hasMagnitude ? across : 0
    }
    const square = e * e + f * f
    const diagonal = indexAt(plan.diagonals, bus)
    const g = at(conductance, diagonal) * square
    const b = at(susceptance, diagonal) * square
    const offset = 2 * (diagonal - start)
    jacobian[pRow + offset] = solvesP ? -qSum - b : 1
    jacobian[pRow + offset + 1] = solvesP && solvesQ ? pSum + g : 0
    jacobian[qRow + offset] = solvesQ ? pSum - g : 0
    jacobian[qRow + offset + 1] = solvesQ ? qSum - b : 1
    right[2 * bus] = solvesP ? share * at(p, bus) - pSum : 0
    right[2 * bus + 1] = solvesQ ? share * at(q, bus) - qSum : 0
  }
}

/** Turns buses whose machines pass their limits into PQ buses at the limit, and solves again until none does. */
function holdReactiveLimits(problem: Problem, first: Climb, options: PowerFlowOptions): PowerFlowResult {
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
    current = climb(problem, current.attempt.voltages, options)
    if (!current.attempt.converged) break
  }
  return toResult(problem, current)
}

interface ReactiveRange {
  q: number
  min: number
  max: number
}

function sumLimits(
  { network }: Problem,
  outputs: readonly GeneratorOutput[],
): ReadonlyMap<number, ReactiveRange> {
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

function toResult(problem: Problem, { attempt, solvedShare, startedFrom }: Climb): PowerFlowResult {
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
  const loadAt = new Map<number, { pMw: number; qMvar: number }>()
  for (const { bus, pMw, qMvar } of network.loads) {
    const sum = loadAt.get(bus)
    loadAt.set(bus, { pMw: (sum?.pMw ?? 0) + pMw, qMvar: (sum?.qMvar ?? 0) + qMvar })
  }
  const unitsAt = new Map<number, Generator[]>()
  for (const unit of network.generators) {
    if (unit.inService) unitsAt.set(unit.bus, [...(unitsAt.get(unit.bus) ?? []), unit])
  }
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
