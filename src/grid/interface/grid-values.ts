/** The grid of the topology: buses, branches, generators, loads and breakers with the values that they have now. */

import { toDegrees } from '../angles.ts'
import type { ControlRoomTopology } from '../contract/control-room.ts'
import type { Bus as BusAnswer, Grid } from '../contract/grid.ts'
import type { Branch, Bus, Network } from '../network/network.ts'
import { islandAt } from '../plant/frequency-islands.ts'
import { blackStartUnits, isLost } from '../plant/machine-connection.ts'
import { rotationAt } from '../plant/observables.ts'
import type { Plant } from '../plant/state.ts'
import { hasTap } from '../plant/tap-changers.ts'
import { round } from '../round.ts'
import type { World } from '../step/world.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'

/** Describes the grid of a world as it is, which meters under attack may not show. */
export function describeGrid(world: World, network: Network, plan: Telecontrol): Grid {
  const { plant } = world
  const { solution, open, shed } = plant
  const blackStart = blackStartUnits(network)
  return {
    case: network.name,
    base_mva: network.baseMva,
    buses: network.buses.map((bus, position) => describeBus(world, bus, position)),
    branches: network.branches.map((branch, index) => describeBranch(world, plan, branch, index)),
    generators: network.generators.map(({ bus, pMaxMw }, index) => ({
      bus,
      p_mw: round(solution.generators[index]?.pMw, 4),
      q_mvar: round(solution.generators[index]?.qMvar, 4),
      p_max_mw: pMaxMw,
      connected: !isLost(plant, index),
      q_limit: solution.limited.find((one) => one.bus === bus)?.at ?? 'none',
      black_start: blackStart.has(index),
    })),
    loads: network.loads.map(({ bus }) => ({ bus, tripped: shed[bus] === 1, shed_share: round(shed[bus], 4) })),
    breakers: network.branches.map(({ number }) => ({
      id: plan.breakerNames.get(number) ?? '',
      branch: number,
      state: open.includes(number) ? 'open' : 'closed',
    })),
  }
}

/** The state of the breaker of a branch; undefined where it is not known. */
export type BreakerState = (branch: number) => 'open' | 'closed' | undefined

/** Describes the grid without a value that was not reported; `stateOf` gives the last report of a branch's breaker. */
export function describePlan(
  network: Network,
  plan: Telecontrol,
  known: Pick<Plant, 'taps'>,
  stateOf: BreakerState,
): ControlRoomTopology['grid'] {
  const blackStart = blackStartUnits(network)
  return {
    case: network.name,
    base_mva: network.baseMva,
    buses: network.buses.map(({ id, baseKv, area, x, y }) => ({ id, base_kv: baseKv, zone: area, x, y })),
    branches: network.branches.map((branch) => {
      const { number, from, to, rateMva } = branch
      return { number, name: branchName(plan, number), from, to, rate_mva: rateMva, ...describeTap(branch, known) }
    }),
    generators: network.generators.map(({ bus, pMaxMw }, index) => {
      return { bus, p_max_mw: pMaxMw, black_start: blackStart.has(index) }
    }),
    loads: network.loads.map(({ bus }) => ({ bus })),
    breakers: network.branches.map(({ number }) => {
      const state = stateOf(number)
      return { id: plan.breakerNames.get(number) ?? '', branch: number, ...(state !== undefined && { state }) }
    }),
  }
}

function describeTap(branch: Branch, { taps }: Pick<Plant, 'taps'>): { readonly tap?: number } {
  return hasTap(branch) ? { tap: taps?.[branch.number] ?? 0 } : {}
}

function branchName(plan: Telecontrol, number: number): string {
  return plan.breakerNames.get(number)?.slice(3) ?? String(number)
}

function describeBus({ plant }: World, { id, baseKv, x, y, area }: Bus, position: number): BusAnswer {
  const { solution, frequency } = plant
  return {
    id,
    base_kv: baseKv,
    zone: area,
    x,
    y,
    vm_pu: round(solution.vmPu[position], 6),
    va_deg: round(toDegrees(solution.vaRad[position] ?? 0), 5),
    frequency_hz: round(rotationAt(plant, id).frequencyHz, 4),
    energized: islandAt(frequency, id) !== undefined && (solution.vmPu[position] ?? 0) > 0,
  }
}

function describeBranch({ plant }: World, plan: Telecontrol, branch: Branch, index: number) {
  const { number, from, to, rateMva } = branch
  const flow = plant.solution.branches[index]
  return {
    number,
    name: branchName(plan, number),
    from,
    to,
    closed: !plant.open.includes(number),
    from_mw: round(flow?.fromMw, 4),
    from_mvar: round(flow?.fromMvar, 4),
    to_mw: round(flow?.toMw, 4),
    to_mvar: round(flow?.toMvar, 4),
    rate_mva: rateMva,
    loading_percent: rateMva > 0 ? round(((flow?.loadingMva ?? 0) / rateMva) * 100, 2) : 0,
    ...describeTap(branch, plant),
  }
}
