/** Reactive limits of machines: the buses at a limit, found between runs of Newton's method. */

import { addAt, at, indexAt } from '../network/linear-algebra/vector.ts'
import { busPosition, generatorPositions } from '../network/network.ts'
import { type NewtonOptions, type SolveResult, solveFromStarts } from './newton.ts'
import { kind, type Problem } from './problem.ts'
import { reactiveAt } from './voltage-loads.ts'
import type { Voltages } from './voltage-profile.ts'

/** A bus whose machines give (`max`) or take (`min`) all the reactive power that they can. Plain JSON. */
export interface LimitedBus {
  readonly bus: number
  readonly at: 'max' | 'min'
}

/** Differences that count: in reactive power and in voltage, per unit. */
const tolerance = { qPu: 1e-6, vPu: 1e-7 } as const

/** Rounds in which every misplaced bus changes, then one at a time; one that changed `changes` times is left free. */
const rounds = { together: 8, changes: 8 } as const

/** The limits of a problem's machine buses, as injections in per unit, and the side at which each bus is held. */
interface Limits {
  readonly least: Float64Array
  readonly most: Float64Array
  /** Injection without a machine. */
  readonly load: Float64Array
  /** 1 at the upper limit, -1 at the lower one, 0 between them. */
  readonly held: Int8Array
}

/**
 * Solves with the reactive limits of every machine but those that balance an island; `limited` are the buses that begin
 * at a limit. A bus beyond a limit is held at it, and one that is held controls its voltage again where that is on the
 * other side of the set point. A bus that keeps changing between both stays beyond its limit.
 */
export function solveWithLimits(
  problem: Problem,
  start: Voltages | undefined,
  limited: readonly LimitedBus[],
  options: NewtonOptions,
): SolveResult & { readonly limited: readonly LimitedBus[] } {
  const limits = sumLimits(problem)
  for (const { bus, at: side } of limited) {
    const position = busPosition(problem.network, bus)
    if (problem.kinds[position] === kind.pv) hold(problem, limits, position, side === 'max' ? 1 : -1)
  }
  let result = solveFromStarts(problem, start, options)
  let { iterations } = result.attempt
  const changes = new Float64Array(problem.kinds.length)
  for (let round = 0; result.attempt.converged; round++) {
    const wrong = listMisplaced(problem, limits, result, changes)
    if (wrong.length === 0) break
    const moving = round < rounds.together ? wrong : [chooseOne(wrong, changes)]
    for (const { position, side } of moving) {
      addAt(changes, position, 1)
      hold(problem, limits, position, side)
      if (side === 0) result.attempt.voltages.magnitude[position] = at(problem.setpoints, position)
    }
    result = solveFromStarts(problem, result.attempt.voltages, options)
    iterations += result.attempt.iterations
  }
  return { ...result, attempt: { ...result.attempt, iterations }, limited: listLimited(problem, limits) }
}

function sumLimits({ network, kinds, q }: Problem): Limits {
  const size = kinds.length
  const [least, most] = [q.slice(), q.slice()]
  const positions = generatorPositions(network)
  network.generators.forEach(({ inService, qMinMvar, qMaxMvar }, index) => {
    if (!inService) return
    addAt(least, indexAt(positions, index), qMinMvar / network.baseMva)
    addAt(most, indexAt(positions, index), qMaxMvar / network.baseMva)
  })
  return { least, most, load: q.slice(), held: new Int8Array(size) }
}

/** Holds a bus at its upper (1) or lower (-1) limit, or lets it control its voltage again (0). */
function hold({ kinds, q }: Problem, { least, most, load, held }: Limits, position: number, side: Side): void {
  held[position] = side
  kinds[position] = side === 0 ? kind.pv : kind.pq
  q[position] = at(side === 0 ? load : side > 0 ? most : least, position)
}

/** The side at which a bus is held, as `Limits.held` has it. */
type Side = -1 | 0 | 1

/** A bus that is held and should not be, or the reverse: the side to which it belongs, and by how much it is beyond. */
interface Misplaced {
  readonly position: number
  readonly side: Side
  readonly by: number
}

/** Chooses the bus that changed least often, and of equals the one that is furthest beyond. */
function chooseOne(wrong: readonly Misplaced[], changes: Float64Array): Misplaced {
  return wrong.reduce((best, one) => {
    const difference = at(changes, one.position) - at(changes, best.position)
    return difference < 0 || (difference === 0 && one.by > best.by) ? one : best
  })
}

/** Lists the buses that are at another side than they belong to. */
function listMisplaced(
  { kinds, setpoints, voltageLoads }: Problem,
  { least, most, held }: Limits,
  { attempt }: SolveResult,
  changes: Float64Array,
): readonly Misplaced[] {
  const { injections, voltages } = attempt
  const wrong: Misplaced[] = []
  held.forEach((side, position) => {
    if (side !== 0) {
      const by = (at(voltages.magnitude, position) - at(setpoints, position)) * side
      if (by > tolerance.vPu) wrong.push({ position, side: 0, by })
      return
    }
    if (indexAt(kinds, position) !== kind.pv || at(changes, position) >= rounds.changes) return
    const follows = voltageLoads === undefined ? 0 : reactiveAt(voltageLoads, position, at(setpoints, position))
    const q = at(injections.q, position) + follows
    const above = q - at(most, position)
    const below = at(least, position) - q
    if (above > tolerance.qPu) wrong.push({ position, side: 1, by: above })
    else if (below > tolerance.qPu) wrong.push({ position, side: -1, by: below })
  })
  return wrong
}

function listLimited({ network }: Problem, { held }: Limits): readonly LimitedBus[] {
  return network.buses.flatMap(({ id }, position) => {
    const side = held[position] ?? 0
    return side === 0 ? [] : [{ bus: id, at: side > 0 ? 'max' : 'min' } as const]
  })
}
