/** Checks that a network can be computed with. */

import { groupBy } from '../../base/group-by.ts'
import { memoNewest } from '../../base/memo.ts'
import { GridError } from '../errors.ts'
import {
  type Branch,
  busPositions,
  type Generator,
  generatorPositions,
  loadPositions,
  type Network,
} from './network.ts'

/**
 * Checks that a network can be computed with: known buses, finite numbers, impedances that are not zero.
 *
 * @throws GridError invalid_case when an element is wrong; the message names the first one.
 */
export function assertNetwork(network: Network): void {
  const wrong = findMistake(network)
  if (wrong !== undefined) throw new GridError('invalid_case', `Cannot compute network: ${wrong}`)
}

/** Bounds of a network in a session: the shortest message of an outstation, that of IEC 60870-5-104, has 30 values. */
export const networkLimits = { buses: 300, branches: 1_000, branchesFromBus: 13, hertz: [16, 70] } as const

/**
 * Checks that a session can run on a network.
 *
 * @throws GridError invalid_case when it cannot be computed with, or is larger than `networkLimits`.
 */
export function assertSessionNetwork(network: Network): void {
  assertNetwork(network)
  const excess = findExcess(network)
  if (excess !== undefined) throw new GridError('invalid_case', `Cannot run a session on the network: ${excess}`)
}

/** Says in which number a grid is not within `networkLimits`; undefined where it is. */
export function findExcess({
  f0Hz,
  buses,
  branches,
}: {
  readonly f0Hz: number
  readonly buses: readonly unknown[]
  readonly branches: readonly Pick<Branch, 'from'>[]
}): string | undefined {
  const most = networkLimits
  const [least, highest] = most.hertz
  if (!(f0Hz >= least && f0Hz <= highest)) return `its frequency is ${f0Hz} Hz, expected ${least} to ${highest}`
  if (buses.length < 2 || buses.length > most.buses) return `it has ${buses.length} buses, expected 2 to ${most.buses}`
  if (branches.length > most.branches) return `it has ${branches.length} branches, expected at most ${most.branches}`
  for (const [bus, starting] of groupBy(branches, ({ from }) => from)) {
    if (starting.length <= most.branchesFromBus) continue
    return `${starting.length} branches begin at bus ${bus}, expected at most ${most.branchesFromBus}`
  }
  return undefined
}

function findMistake(network: Network): string | undefined {
  const { baseMva, slackAngleDeg, slackBus, buses, generators, loads, shunts, pmuBuses } = network
  if (!(baseMva > 0 && baseMva < Infinity)) return `baseMva is ${baseMva}, expected a positive number`
  if (!Number.isFinite(slackAngleDeg)) return `slackAngleDeg is ${slackAngleDeg}, expected a finite number`
  const positions = busPositions(buses)
  if (!positions.has(slackBus)) return `slack bus ${slackBus} does not exist`
  const mistake = checkBranches(network.branches, buses)
  if (mistake !== undefined) return mistake
  const [atGenerators, atLoads] = [generatorPositions(network), loadPositions(network)]
  for (const [index, unit] of generators.entries()) {
    const wrong = findGeneratorMistake(unit, atGenerators[index] ?? -1)
    if (wrong !== undefined) return wrong
  }
  for (const [index, { bus, pMw, qMvar }] of loads.entries()) {
    if ((atLoads[index] ?? -1) < 0) return `a load is at bus ${bus}, which does not exist`
    if (!Number.isFinite(pMw + qMvar)) return `the load at bus ${bus} is not finite`
  }
  for (const { bus, gMw, bMvar } of shunts) {
    if (!positions.has(bus)) return `a shunt is at bus ${bus}, which does not exist`
    if (!Number.isFinite(gMw + bMvar)) return `the shunt at bus ${bus} is not finite`
  }
  for (const [index, bus] of pmuBuses.entries()) {
    if (!positions.has(bus)) return `a phasor unit is at bus ${bus}, which does not exist`
    if (pmuBuses.indexOf(bus) < index) return `two phasor units are at bus ${bus}, expected one for a bus`
  }
  return undefined
}

/** The first mistake among branches, found once for the same list between the same buses. */
const checkBranches = memoNewest((branches: Network['branches'], buses: Network['buses']): string | undefined => {
  const positions = busPositions(buses)
  for (const branch of branches) {
    const mistake = findBranchMistake(branch, positions)
    if (mistake !== undefined) return mistake
  }
  return undefined
})

function findBranchMistake(
  { number, from, to, r, x, b, ratio, shiftDeg }: Branch,
  positions: ReadonlyMap<number, number>,
): string | undefined {
  if (!positions.has(from) || !positions.has(to) || from === to) {
    return `branch ${number} joins ${from} and ${to}, expected two different buses that exist`
  }
  if (!Number.isFinite(r + x + b + shiftDeg)) return `branch ${number} has a value that is not finite`
  if (r === 0 && x === 0) return `branch ${number} has no impedance, expected r or x other than 0`
  if (!(ratio > 0 && ratio < Infinity)) return `branch ${number} has ratio ${ratio}, expected above 0`
  return undefined
}

function findGeneratorMistake({ bus, pMw, vSetpointPu }: Generator, position: number): string | undefined {
  if (position < 0) return `a generator is at bus ${bus}, which does not exist`
  if (!Number.isFinite(pMw)) return `the generator at bus ${bus} has pMw ${pMw}, expected a finite number`
  if (!(vSetpointPu > 0 && vSetpointPu < 2)) {
    return `the generator at bus ${bus} has setpoint ${vSetpointPu}, expected above 0 and below 2 pu`
  }
  return undefined
}
