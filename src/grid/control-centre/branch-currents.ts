/** Compares the currents that phasor units measure with those that follow from the estimate. */

import type { EstimateView } from '../contract/grid.ts'
import { branchAdmittance } from '../network/admittance.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { PmuSite } from '../telecontrol/telecontrol.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, found, livePu } from './detection.ts'
import type { PhasorView } from './view.ts'

/** Largest difference between a measured and an estimated current: per unit, and as a share of the current. */
export const currentLimit = { pu: 0.06, share: 0.03 } as const

/** Compares the currents of a unit with the estimate: who falsifies all meters of a bus does not reach them. */
export function testCurrents(
  { network, plan }: Pick<ControlCentre, 'network' | 'plan'>,
  site: PmuSite,
  unit: PhasorView,
  estimate: EstimateView,
): readonly Finding[] {
  const [voltage, ...currents] = unit.phasors
  if (voltage === undefined || voltage.magnitudePu < livePu) return []
  const differences = site.currents.flatMap(({ branch, end }, index) => {
    const estimated = computeCurrent(network, estimate, branch, end)
    const difference = compare(currents[index], estimated, voltage.angleRad)
    return difference === undefined ? [] : [{ branch, ...difference }]
  })
  const [worst] = differences
    .filter(({ off, limit }) => off / limit > 1)
    .sort((one, other) => other.off / other.limit - one.off / one.limit)
  if (worst === undefined) return []
  const { branch, off, limit } = worst
  const breaker = plan.breakerNames.get(branch) ?? `branch ${branch}`
  const evidence = { off_pu: Number(off.toPrecision(6)), limit_pu: Number(limit.toPrecision(6)), breaker }
  return [
    found('current', site.node, `the current through ${breaker} is ${off.toFixed(3)} pu off the estimate`, evidence),
  ]
}

/** A current in per unit, in phase with the voltage and across it. */
interface Current {
  readonly real: number
  readonly imaginary: number
}

/** The difference of two currents, and the largest one that is tolerated; undefined where a current is missing. */
function compare(
  measured: PhasorView['phasors'][number] | undefined,
  estimated: Current | undefined,
  voltageRad: number,
): { readonly off: number; readonly limit: number } | undefined {
  if (measured === undefined || estimated === undefined) return undefined
  const angle = measured.angleRad - voltageRad
  const off = Math.hypot(
    measured.magnitudePu * Math.cos(angle) - estimated.real,
    measured.magnitudePu * Math.sin(angle) - estimated.imaginary,
  )
  return { off, limit: currentLimit.pu + currentLimit.share * Math.hypot(estimated.real, estimated.imaginary) }
}

/** The current into a branch at one end by the estimate. */
function computeCurrent(
  network: Network,
  { vmPu, vaRad }: EstimateView,
  number: number,
  end: 'from' | 'to',
): Current | undefined {
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
