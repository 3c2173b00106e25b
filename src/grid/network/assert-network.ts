/** Checks that a network can be computed with. */

import { GridError } from '../errors.ts'
import { type Branch, busPositions, type Generator, type Network } from './network.ts'

/**
 * Checks that a network can be computed with: known buses, finite numbers, impedances that are not zero.
 *
 * @throws GridError invalid_case when an element is wrong; the message names the first one.
 */
export function assertNetwork(network: Network): void {
  const wrong = findMistake(network)
  if (wrong !== undefined) throw new GridError('invalid_case', `Cannot compute network: ${wrong}`)
}

function findMistake(network: Network): string | undefined {
  const { baseMva, slackAngleDeg, slackBus } = network
  if (!(baseMva > 0 && baseMva < Infinity)) return `baseMva is ${baseMva}, expected a positive number`
  if (!Number.isFinite(slackAngleDeg)) return `slackAngleDeg is ${slackAngleDeg}, expected a finite number`
  const positions = busPositions(network)
  if (!positions.has(slackBus)) return `slack bus ${slackBus} does not exist`
  for (const branch of network.branches) {
    const wrong = findBranchMistake(branch, positions)
    if (wrong !== undefined) return wrong
  }
  for (const unit of network.generators) {
    const wrong = findGeneratorMistake(unit, positions)
    if (wrong !== undefined) return wrong
  }
  for (const { bus, pMw, qMvar } of network.loads) {
    if (!positions.has(bus)) return `a load is at bus ${bus}, which does not exist`
    if (!Number.isFinite(pMw + qMvar)) return `the load at bus ${bus} is not finite`
  }
  for (const { bus, gMw, bMvar } of network.shunts) {
    if (!positions.has(bus)) return `a shunt is at bus ${bus}, which does not exist`
    if (!Number.isFinite(gMw + bMvar)) return `the shunt at bus ${bus} is not finite`
  }
  return undefined
}

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

function findGeneratorMistake(
  { bus, pMw, vSetpointPu }: Generator,
  positions: ReadonlyMap<number, number>,
): string | undefined {
  if (!positions.has(bus)) return `a generator is at bus ${bus}, which does not exist`
  if (!Number.isFinite(pMw)) return `the generator at bus ${bus} has pMw ${pMw}, expected a finite number`
  if (!(vSetpointPu > 0 && vSetpointPu < 2)) {
    return `the generator at bus ${bus} has setpoint ${vSetpointPu}, expected above 0 and below 2 pu`
  }
  return undefined
}
