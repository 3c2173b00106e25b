/** Currents that phasor units measure against those that the estimate has: two views of one branch. */

import type { EstimateView } from '../contract/grid.ts'
import { branchAdmittance } from '../network/admittance.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { PmuSite, Telecontrol } from '../telecontrol/telecontrol.ts'
import { type Finding, found } from './detection.ts'
import type { PhasorView } from './view.ts'

/** Largest difference between a measured and an estimated current: per unit, and as a share of the current. */
export const currentLimit = { pu: 0.06, share: 0.03 } as const

/**
 * Compares the currents of one unit with the estimate, relative to the voltage at its bus, with the breakers as
 * reported: meters at a bus can be falsified together, the current into a neighbour's branch is not among them.
 */
export function testCurrents(
  network: Network,
  { breakerNames }: Telecontrol,
  site: PmuSite,
  unit: PhasorView,
  estimate: EstimateView,
): readonly Finding[] {
  const [voltage, ...currents] = unit.phasors
  if (voltage === undefined || voltage.magnitudePu < 0.1) return []
  let worst: { readonly breaker: string; readonly off: number; readonly limit: number } | undefined
  site.currents.forEach(({ branch, end }, index) => {
    const measured = currents[index]
    const estimated = estimatedCurrent(network, estimate, branch, end)
    if (measured === undefined || estimated === undefined) return
    const angle = measured.angleRad - voltage.angleRad
    const off = Math.hypot(
      measured.magnitudePu * Math.cos(angle) - estimated.real,
      measured.magnitudePu * Math.sin(angle) - estimated.imaginary,
    )
    const limit = currentLimit.pu + currentLimit.share * Math.hypot(estimated.real, estimated.imaginary)
    if (off / limit <= Math.max(1, worst === undefined ? 0 : worst.off / worst.limit)) return
    worst = { breaker: breakerNames.get(branch) ?? `branch ${branch}`, off, limit }
  })
  if (worst === undefined) return []
  const { breaker, off, limit } = worst
  const evidence = { off_pu: Number(off.toPrecision(6)), limit_pu: Number(limit.toPrecision(6)), breaker }
  return [
    found('current', site.node, `the current through ${breaker} is ${off.toFixed(3)} pu off the estimate`, evidence),
  ]
}

/** The current into a branch at one end by the estimate, in per unit, turned so that the voltage there is real. */
function estimatedCurrent(network: Network, { vmPu, vaRad }: EstimateView, number: number, end: 'from' | 'to') {
  const branch = network.branches[number - 1]
  if (branch === undefined) return undefined
  const port = branchAdmittance(branch)
  const [near, far] = end === 'from' ? [branch.from, branch.to] : [branch.to, branch.from]
  const [vNear, vFar] = [vmPu[busPosition(network, near)] ?? 0, vmPu[busPosition(network, far)] ?? 0]
  const angle = (vaRad[busPosition(network, far)] ?? 0) - (vaRad[busPosition(network, near)] ?? 0)
  const [ownG, ownB] = end === 'from' ? [port.ffG, port.ffB] : [port.ttG, port.ttB]
  const [otherG, otherB] = end === 'from' ? [port.ftG, port.ftB] : [port.tfG, port.tfB]
  const [real, imaginary] = [vFar * Math.cos(angle), vFar * Math.sin(angle)]
  return {
    real: ownG * vNear + otherG * real - otherB * imaginary,
    imaginary: ownB * vNear + otherG * imaginary + otherB * real,
  }
}
