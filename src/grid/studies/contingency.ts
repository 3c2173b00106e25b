/** Outages of one branch each: every single outage solved, or screened by the DC sensitivities. */

import { findIslands, type Island } from '../network/islands.ts'
import { type Branch, type Network, openBranches } from '../network/network.ts'
import { outageFactors, solveDcPowerFlow } from '../power-flow/dc-power-flow.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import type { PowerFlowResult } from '../power-flow/result.ts'

/** The outcome of one outage. */
export interface Contingency {
  readonly branch: number
  readonly from: number
  readonly to: number
  /** `island`: the outage cuts buses off; `divergent`: no voltages satisfy the injections. */
  readonly outcome: 'solved' | 'island' | 'divergent'
  /** Buses cut off from the larger part, by id; empty unless `island`. */
  readonly separated: readonly number[]
  /** Lowest voltage and its bus; null unless `solved`. */
  readonly lowest: { readonly bus: number; readonly vmPu: number } | null
  /** The branch with the highest share of its rating; null unless `solved`. */
  readonly worst: { readonly branch: number; readonly loadingMva: number; readonly loadingPercent: number } | null
}

/** Solves every outage of one branch in service by AC power flow from `base`: fixed dispatch, no reactive limits. */
export function* analyzeContingencies(
  network: Network,
  base: PowerFlowResult = solvePowerFlow(network),
): Generator<Contingency, void> {
  const islandCount = findIslands(network).length
  for (const branch of network.branches.filter(({ inService }) => inService)) {
    yield analyzeOutage(network, branch, islandCount, base)
  }
}

/** Solves one outage from the solution `base` of the network, which has `islandCount` islands. */
function analyzeOutage(network: Network, branch: Branch, islandCount: number, base: PowerFlowResult): Contingency {
  const { number, from, to } = branch
  const outage = openBranches(network, new Set([number]))
  const unsolved = { branch: number, from, to, separated: [], lowest: null, worst: null }
  const islands = findIslands(outage)
  if (islands.length > islandCount) return { ...unsolved, outcome: 'island', separated: listCutOff(islands, branch) }
  const result = solvePowerFlow(outage, { start: base })
  if (!result.converged) return { ...unsolved, outcome: 'divergent' }
  return { ...unsolved, outcome: 'solved', lowest: findLowest(outage, result), worst: findWorst(outage, result) }
}

/** Lists the buses that an open branch cuts off: those of the smaller part, even where it holds the slack. */
function listCutOff(islands: readonly Island[], { from, to }: Branch): readonly number[] {
  const ends = islands.filter(({ buses }) => buses.includes(from) || buses.includes(to))
  const main = ends.reduce((left, right) => (right.buses.length > left.buses.length ? right : left))
  return ends.filter((island) => island !== main).flatMap(({ buses }) => buses)
}

function findLowest(network: Network, { vmPu }: PowerFlowResult): Contingency['lowest'] {
  let lowest: Contingency['lowest'] = null
  network.buses.forEach(({ id }, position) => {
    const vm = vmPu[position] ?? 0
    // Dead buses have no voltage to be low.
    if (vm > 0 && (lowest === null || vm < lowest.vmPu)) lowest = { bus: id, vmPu: vm }
  })
  return lowest
}

function findWorst(network: Network, { branches }: PowerFlowResult): Contingency['worst'] {
  let worst: Contingency['worst'] = null
  network.branches.forEach(({ number, rateMva }, index) => {
    const loadingMva = branches[index]?.loadingMva ?? 0
    const loadingPercent = (100 * loadingMva) / rateMva
    if (worst === null || loadingPercent > worst.loadingPercent) {
      worst = { branch: number, loadingMva, loadingPercent }
    }
  })
  return worst
}

/** The effect of an outage by the DC sensitivities. */
export interface ScreenedContingency {
  readonly branch: number
  /** True when the outage splits an island: the sensitivities then say nothing about flows. */
  readonly splitsIsland: boolean
  /** The highest expected active flow over rating, in percent, and where. */
  readonly worstBranch: number | null
  readonly worstPercent: number
}

/** Ranks outages by the worst loading that the DC model expects, by one sparse solution per branch. */
export function screenContingencies(network: Network): readonly ScreenedContingency[] {
  const { flowMw } = solveDcPowerFlow(network)
  const screened = outageFactors(network).map((factors, outage): ScreenedContingency => {
    const branch = network.branches[outage]?.number ?? 0
    if (factors === undefined) return { branch, splitsIsland: true, worstBranch: null, worstPercent: 0 }
    let worstBranch: number | null = null
    let worstPercent = 0
    network.branches.forEach(({ number, rateMva, inService }, index) => {
      if (index === outage || !inService) return
      const expected = (flowMw[index] ?? 0) + (factors[index] ?? 0) * (flowMw[outage] ?? 0)
      const percent = (100 * Math.abs(expected)) / rateMva
      if (percent > worstPercent) [worstBranch, worstPercent] = [number, percent]
    })
    return { branch, splitsIsland: false, worstBranch, worstPercent }
  })
  return screened.sort((left, right) => right.worstPercent - left.worstPercent || left.branch - right.branch)
}
