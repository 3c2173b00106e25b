/** Newton's method in polar coordinates, from a list of starts: the given one, flat, turned, raised load. */

import { memo } from '../../base/memo.ts'
import type { GridPlan } from '../network/admittance.ts'
import { createBlockFactors, factorBlocks, solveBlocks } from '../network/linear-algebra/block-lu.ts'
import { factorDense, solveDense } from '../network/linear-algebra/dense-lu.ts'
import { toDense } from '../network/linear-algebra/elimination-plan.ts'
import { addAt, allocateVectors, at, indexAt, maxMagnitude } from '../network/linear-algebra/vector.ts'
import { kind, type Problem } from './problem.ts'
import { linearizeLoads } from './voltage-loads.ts'
import { copyVoltages, flatStart, toRectangular, turnedStart, type Voltages } from './voltage-profile.ts'

/** Options of Newton's method. */
export interface NewtonOptions {
  /** Largest mismatch of a solution in per unit. Default 1e-8. */
  readonly tolerancePu?: number
  /** Newton iterations per attempt. Default 20. */
  readonly maxIterations?: number
  /** `dense` is the plain method, kept for comparison. Default `sparse`. */
  readonly solver?: 'sparse' | 'dense'
}

/** The end of one run of iterations. */
export interface Attempt {
  readonly voltages: Voltages
  readonly converged: boolean
  readonly iterations: number
  readonly mismatchPu: number
  /** The power into the network at every bus in per unit, at these voltages. */
  readonly injections: Injections
}

/** Active and reactive power into the network at every bus, in per unit. */
export interface Injections {
  readonly p: Float64Array
  readonly q: Float64Array
}

/** The attempt that counts, after those that failed. */
export interface SolveResult {
  readonly attempt: Attempt
  readonly solvedShare: number
  readonly startedFrom: 'profile' | 'flat' | 'turned' | 'homotopy'
}

/** From a mismatch in per unit this large no iteration returns. */
const hopelessPu = 1e6

/** Below this voltage in per unit a solution from a given start is doubted: it may lie below the nose of the curve. */
const doubtfulPu = 0.5

/**
 * Solves from each start in turn: the given one, flat, turned, homotopy. A solution from the given start with a voltage
 * below 0.5 pu counts only when flat and turned find none: the grid would start from a false one for ever.
 */
export function solveFromStarts(problem: Problem, start: Voltages | undefined, options: NewtonOptions): SolveResult {
  const starts: readonly (readonly [SolveResult['startedFrom'], () => Voltages | undefined])[] = [
    ['profile', () => start && copyVoltages(start)],
    ['flat', () => flatStart(problem)],
    ['turned', () => turnedStart(problem)],
  ]
  let iterations = 0
  let doubtful: SolveResult | undefined
  for (const [startedFrom, create] of starts) {
    const voltages = create()
    if (voltages === undefined) continue
    const attempt = iterate(problem, voltages, 1, options)
    iterations += attempt.iterations
    if (!attempt.converged) continue
    const result = { attempt: { ...attempt, iterations }, solvedShare: 1, startedFrom }
    if (startedFrom !== 'profile' || !isDoubtful(problem, attempt)) return result
    doubtful = result
  }
  return doubtful ?? raiseLoad(problem, iterations, options)
}

function isDoubtful({ kinds }: Problem, { voltages }: Attempt): boolean {
  for (let bus = 0; bus < kinds.length; bus++) {
    if (at(voltages.magnitude, bus) < doubtfulPu && kinds[bus] === kind.pq) return true
  }
  return false
}

/** Solves growing shares of all injections, each from the solution of the one before; steps halve on failure. */
function raiseLoad(problem: Problem, iterationsSoFar: number, options: NewtonOptions): SolveResult {
  let iterations = iterationsSoFar
  let share = 0
  let step = 0.5
  let best: Attempt = { ...iterate(problem, flatStart(problem), 0, options), converged: false }
  while (share < 1 && step >= 1 / 64) {
    const next = Math.min(1, share + step)
    const attempt = iterate(problem, copyVoltages(best.voltages), next, options)
    iterations += attempt.iterations
    if (attempt.converged) [share, best] = [next, attempt]
    else step /= 2
  }
  return { attempt: { ...best, iterations, converged: share === 1 }, solvedShare: share, startedFrom: 'homotopy' }
}

/** Room for the iterations on a plan, used again by each: they run one after the other. */
const roomFor = memo(({ elimination }: GridPlan) => {
  const { size, columns } = elimination.pattern
  return {
    factors: createBlockFactors(elimination),
    jacobian: new Float64Array(4 * columns.length),
    right: new Float64Array(2 * size),
    change: new Float64Array(2 * size),
    spare: new Float64Array(2 * size),
    real: new Float64Array(size),
    imaginary: new Float64Array(size),
    solvesAngle: new Float64Array(size),
    solvesMagnitude: new Float64Array(size),
  }
})

type Room = ReturnType<typeof roomFor>

/** One run of iterations on a share of all injections; its voltages, injections and room are written again by each. */
interface Run {
  readonly problem: Problem
  readonly share: number
  readonly voltages: Voltages
  readonly injections: Injections
  readonly room: Room
}

/** Runs Newton's iterations on a share of all injections; `voltages` change from the start to the solution. */
function iterate(problem: Problem, voltages: Voltages, share: number, options: NewtonOptions): Attempt {
  const { tolerancePu = 1e-8, maxIterations = 20, solver = 'sparse' } = options
  const { plan, kinds } = problem
  const allocate = allocateVectors(kinds.length, 2)
  const injections = { p: allocate(), q: allocate() }
  const room = roomFor(plan)
  markUnknowns(room, kinds)
  room.jacobian.fill(0)
  const run = { problem, share, voltages, injections, room }
  for (let iterations = 0; ; iterations++) {
    linearize(run)
    const mismatchPu = maxMagnitude(room.right)
    const converged = mismatchPu < tolerancePu
    // Written so that NaN counts as hopeless, too.
    const isHopeless = !(mismatchPu < hopelessPu) || iterations === maxIterations
    if (converged || isHopeless || !solveStep(plan, room, solver)) {
      return { voltages, converged, iterations, mismatchPu, injections }
    }
    applyChange(voltages, room.change)
  }
}

/** Marks by bus position which angles and magnitudes are unknown. */
function markUnknowns({ solvesAngle, solvesMagnitude }: Room, kinds: Int32Array): void {
  for (let bus = 0; bus < kinds.length; bus++) {
    const busKind = indexAt(kinds, bus)
    solvesAngle[bus] = busKind === kind.pq || busKind === kind.pv ? 1 : 0
    solvesMagnitude[bus] = busKind === kind.pq ? 1 : 0
  }
}

function applyChange({ magnitude, angle }: Voltages, change: Float64Array): void {
  for (let bus = 0; bus < magnitude.length; bus++) {
    addAt(angle, bus, at(change, 2 * bus))
    // The second unknown is the relative change of the magnitude, which makes the Jacobian cheap.
    magnitude[bus] = at(magnitude, bus) * (1 + at(change, 2 * bus + 1))
  }
}

/** Solves for the change; false where the matrix is singular. */
function solveStep(
  { pattern }: GridPlan,
  { factors, jacobian, right, change, spare }: Room,
  solver: 'sparse' | 'dense',
): boolean {
  if (solver === 'sparse' && factorBlocks(factors, jacobian)) {
    solveBlocks(factors, right, change, spare)
    return true
  }
  // Elimination without pivoting can meet a zero that exchanging rows avoids.
  const dense = factorDense(toDense(pattern, jacobian, 2), right.length)
  if (dense === undefined) return false
  change.set(solveDense(dense, right))
  return true
}

/** Writes injections, mismatches and Jacobian at the voltages; rows of known angles and magnitudes are the identity's. */
function linearize(run: Run): void {
  const { problem, share, voltages, room } = run
  const { voltageLoads, plan } = problem
  toRectangular(voltages, room.real, room.imaginary)
  linearizeFlows(run)
  linearizeBuses(run)
  if (voltageLoads !== undefined) {
    linearizeLoads(voltageLoads, plan.diagonals, { magnitude: voltages.magnitude, share }, room)
  }
}

/** Writes injections, and the Jacobian's block of each pair of joined buses. */
function linearizeFlows({ problem, injections, room }: Run): void {
  const { jacobian, real, imaginary, solvesAngle, solvesMagnitude } = room
  const { conductance, susceptance } = problem.admittance
  const { rowStart, columns } = problem.plan.pattern
  for (let bus = 0; bus < real.length; bus++) {
    const e = at(real, bus)
    const f = at(imaginary, bus)
    const solvesP = at(solvesAngle, bus)
    const solvesQ = at(solvesMagnitude, bus)
    const end = indexAt(rowStart, bus + 1)
    let pSum = 0
    let qSum = 0
    for (let slot = indexAt(rowStart, bus); slot < end; slot++) {
      const other = indexAt(columns, slot)
      const g = at(conductance, slot)
      const b = at(susceptance, slot)
      const u = at(real, other)
      const v = at(imaginary, other)
      const cos = e * u + f * v
      const sin = f * u - e * v
      const along = g * cos + b * sin
      const across = g * sin - b * cos
      pSum += along
      qSum += across
      const hasAngle = at(solvesAngle, other)
      const hasMagnitude = at(solvesMagnitude, other)
      const block = 4 * slot
      jacobian[block] = solvesP * hasAngle * across
      jacobian[block + 1] = solvesP * hasMagnitude * along
      if (solvesQ === 0) continue
      jacobian[block + 2] = -hasAngle * along
      jacobian[block + 3] = hasMagnitude * across
    }
    injections.p[bus] = pSum
    injections.q[bus] = qSum
  }
}

/** Writes the mismatches, and the Jacobian's block of each bus, from the injections. */
function linearizeBuses({ problem, share, injections, room }: Run): void {
  const { jacobian, right, real, imaginary, solvesAngle, solvesMagnitude } = room
  const { conductance, susceptance } = problem.admittance
  const { diagonals } = problem.plan
  for (let bus = 0; bus < real.length; bus++) {
    const square = at(real, bus) * at(real, bus) + at(imaginary, bus) * at(imaginary, bus)
    const solvesP = at(solvesAngle, bus)
    const solvesQ = at(solvesMagnitude, bus)
    const p = at(injections.p, bus)
    const q = at(injections.q, bus)
    const diagonal = indexAt(diagonals, bus)
    const g = at(conductance, diagonal) * square
    const b = at(susceptance, diagonal) * square
    const block = 4 * diagonal
    jacobian[block] = solvesP === 1 ? -q - b : 1
    jacobian[block + 1] = solvesP * solvesQ * (p + g)
    jacobian[block + 2] = solvesP * solvesQ * (p - g)
    jacobian[block + 3] = solvesQ === 1 ? q - b : 1
    right[2 * bus] = solvesP * (share * at(problem.p, bus) - p)
    right[2 * bus + 1] = solvesQ * (share * at(problem.q, bus) - q)
  }
}
