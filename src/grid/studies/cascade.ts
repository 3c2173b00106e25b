/** Cascades of overloads: one trip after another, with a power flow between them. */

import type { Sliced } from '../../base/slices.ts'
import { findIslands, type Island } from '../network/islands.ts'
import { type Generator, type Network, openBranches, totalLoadMw } from '../network/network.ts'
import { operatingSeconds, type RelaySetting, relaysFor } from '../plant/protection.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import type { PowerFlowResult } from '../power-flow/result.ts'

/** One branch that its relay opened. */
export interface CascadeTrip {
  readonly branch: number
  /** Seconds since the first event. */
  readonly atSeconds: number
  /** Loading over pick-up when it tripped. */
  readonly multiple: number
}

/** The dispatch for losses: 1 % above the load. */
const lossAllowance = 1.01

/** Load above `full` of capacity is shed to `full * margin` of it, so that losses still fit. */
const capacityShare = { full: 0.98, margin: 0.97 } as const

/** An island without a solution, or with a lower voltage in per unit, keeps this share of its load and tries again. */
const shedding = { leastPu: 0.7, keptShare: 0.95, mostTries: 25 } as const

/** Relays slower than this do not trip: operators would act first. */
export const slowestTripSeconds = 60

/**
 * Opens branches and follows the overloads until nothing trips any more; it yields at each trip and each try. Only the
 * branch with the largest M = loading / pick-up above 1 trips, after the time of its curve; then each island is solved:
 * what is missing to its load and 1 % for losses is spread over the headroom of its units, what is too much taken off
 * in proportion; its slack is the unit with the largest Pmax; load above 98 % of capacity is shed to 97 % of that. An
 * island that does not converge or has a bus below 0.7 pu sheds 5 % and tries again, 25 times at most; then it is dark.
 */
export function* runCascade(
  network: Network,
  opened: ReadonlySet<number>,
  relays: readonly RelaySetting[] = relaysFor(network),
) {
  const wantedMw = totalLoadMw(network)
  const trips: CascadeTrip[] = []
  let current = yield* settleIslands(openBranches(network, opened))
  let atSeconds = 0
  for (;;) {
    const next = findNextTrip(current.result, current.network, relays)
    if (next === undefined) break
    atSeconds += next.seconds
    yield
    trips.push({ branch: next.branch, atSeconds, multiple: next.multiple })
    current = yield* settleIslands(openBranches(current.network, new Set([next.branch])))
  }
  const servedMw = totalLoadMw(current.network)
  return { trips, servedMw, lostMw: wantedMw - servedMw, network: current.dispatched }
}

function findNextTrip(result: PowerFlowResult, network: Network, relays: readonly RelaySetting[]) {
  const loadings = new Map(network.branches.map(({ number }, index) => [number, result.branches[index]]))
  const [worst] = relays
    .map(({ branch, pickupMva }) => {
      const multiple = (loadings.get(branch)?.loadingMva ?? 0) / pickupMva
      return { branch, multiple, seconds: operatingSeconds(multiple) }
    })
    .filter(({ seconds }) => seconds <= slowestTripSeconds)
    .toSorted((one, other) => other.multiple - one.multiple)
  return worst
}

interface Settled {
  /** The grid that is left, with the dispatch of before the cascade: every later dispatch is worked out from that one. */
  readonly network: Network
  readonly dispatched: Network
  readonly result: PowerFlowResult
}

/** Balances every island and solves the whole; an island without a solution is dark, with its units off. */
function* settleIslands(network: Network): Sliced<Settled> {
  let settled = network
  for (const island of findIslands(network, { largestUnitIsSlack: true })) {
    settled = island.energized ? yield* holdIsland(settled, island) : darken(settled, island.buses)
  }
  let dispatched = settled
  for (const { buses, energized } of findIslands(settled, { largestUnitIsSlack: true })) {
    if (energized) dispatched = dispatchIsland(dispatched, new Set(buses))
  }
  return { network: settled, dispatched, result: solvePowerFlow(dispatched, { largestUnitIsSlack: true }) }
}

function darken(network: Network, buses: readonly number[]): Network {
  const here = new Set(buses)
  return {
    ...network,
    loads: network.loads.filter(({ bus }) => !here.has(bus)),
    generators: network.generators.map((unit) => (here.has(unit.bus) ? { ...unit, inService: false } : unit)),
  }
}

function* holdIsland(network: Network, { buses }: Island): Sliced<Network> {
  const here = new Set(buses)
  const units = network.generators.filter(({ bus, inService }) => here.has(bus) && inService)
  const capacityMw = units.reduce((sum, { pMaxMw }) => sum + pMaxMw, 0)
  const loadMw = loadAt(network, here)
  const { full, margin } = capacityShare
  const kept = loadMw > full * capacityMw ? (full * margin * capacityMw) / loadMw : 1
  let trial = scaleIsland(network, here, kept)
  for (let tries = 0; tries < shedding.mostTries; tries++) {
    if (isSolvableIsland(dispatchIsland(trial, here), here)) return trial
    yield
    trial = scaleIsland(trial, here, shedding.keptShare)
  }
  return darken(network, buses)
}

function loadAt(network: Network, here: ReadonlySet<number>): number {
  return network.loads.reduce((sum, { bus, pMw }) => sum + (here.has(bus) ? pMw : 0), 0)
}

function scaleIsland(network: Network, here: ReadonlySet<number>, factor: number): Network {
  return {
    ...network,
    loads: network.loads.map((load) =>
      here.has(load.bus) ? { ...load, pMw: load.pMw * factor, qMvar: load.qMvar * factor } : load,
    ),
  }
}

/** Spreads what the island's dispatch misses over its headroom, or takes what is too much off in proportion. */
function dispatchIsland(network: Network, here: ReadonlySet<number>): Network {
  const isHere = ({ bus, inService }: Generator): boolean => inService && here.has(bus)
  const units = network.generators.filter(isHere)
  const dispatchedMw = units.reduce((sum, { pMw }) => sum + pMw, 0)
  const findHeadroom = ({ pMaxMw, pMw }: Generator): number => Math.max(pMaxMw - pMw, 0)
  const headroomMw = units.reduce((sum, unit) => sum + findHeadroom(unit), 0)
  const missingMw = loadAt(network, here) * lossAllowance - dispatchedMw
  const redispatch = (unit: Generator): number => {
    if (missingMw > 0) return unit.pMw + (headroomMw > 0 ? (missingMw * findHeadroom(unit)) / headroomMw : 0)
    return dispatchedMw > 0 ? (unit.pMw * (dispatchedMw + missingMw)) / dispatchedMw : unit.pMw
  }
  return {
    ...network,
    generators: network.generators.map((unit) => (isHere(unit) ? { ...unit, pMw: redispatch(unit) } : unit)),
  }
}

/** Tests that the island, solved separately, converges with every voltage at 0.7 pu or above. */
function isSolvableIsland(network: Network, here: ReadonlySet<number>): boolean {
  const alone = {
    ...network,
    branches: network.branches.map((branch) => (here.has(branch.from) ? branch : { ...branch, inService: false })),
    generators: network.generators.map((unit) => (here.has(unit.bus) ? unit : { ...unit, inService: false })),
    loads: network.loads.filter(({ bus }) => here.has(bus)),
  }
  const result = solvePowerFlow(alone, { largestUnitIsSlack: true })
  if (!result.converged) return false
  return network.buses.every(({ id }, position) => !here.has(id) || (result.vmPu[position] ?? 0) >= shedding.leastPu)
}
