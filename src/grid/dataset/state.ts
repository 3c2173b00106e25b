/** Rows of a run's state, one a second: what the control centre knows, and what is true. */

import { gridSummary, type World, worldTimeUs } from '../engine.ts'
import type { Network } from '../network/network.ts'
import { branchNames } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { type Column, round, type Table, toTable } from './columns.ts'

/** The table of measurements: the last value of each point in per unit, each breaker's state, each unit's last frame. */
export function measurementTable({ outstations, pmus, breakerNames }: Telecontrol): Table<World> {
  return toTable<World>([
    ['t_us', worldTimeUs],
    ...outstations
      .flatMap(({ points }) => points)
      .map(({ name }): Column<World> => [`${name}_pu`, ({ view }) => round(view.values[name], 6)]),
    ...[...breakerNames].map(
      ([branch, name]): Column<World> => [`${name}_closed`, ({ view }) => toBit(view.closed[branch])],
    ),
    ...pmus.flatMap(({ node }) => phasorColumns(node)),
  ])
}

function phasorColumns(node: string): readonly Column<World>[] {
  return [
    [`${node}_frequency_hz`, ({ view }) => round(view.phasors[node]?.frequencyHz, 4)],
    [`${node}_rocof_hz_per_s`, ({ view }) => round(view.phasors[node]?.rocofHzPerS, 4)],
    [`${node}_v_pu`, ({ view }) => round(view.phasors[node]?.phasors[0]?.magnitudePu, 6)],
    [`${node}_v_rad`, ({ view }) => round(view.phasors[node]?.phasors[0]?.angleRad, 6)],
  ]
}

/** A world with its summary, which is computed once for a row. */
interface Truth extends World {
  readonly summary: ReturnType<typeof gridSummary>
}

/** The table of the truth: the solved grid, the true breakers, and the attacks that are enabled. */
export function truthTable(network: Network, { breakerNames }: Telecontrol): Table<World> {
  const summaryNames = ['frequency_hz', 'load_mw', 'served_mw', 'shed_mw', 'losses_mw'] as const
  const { header, row } = toTable<Truth>([
    ['t_us', worldTimeUs],
    ['attacks', ({ attacks }) => attacks.map(({ order }) => order.type).join(' ')],
    ...summaryNames.map((name): Column<Truth> => [name, ({ summary }) => summary[name]]),
    ...network.buses.flatMap(({ id }, at): Column<Truth>[] => [
      [`V_${id}_pu`, ({ plant }) => round(plant.solution.vmPu[at], 6)],
      [`angle_${id}_rad`, ({ plant }) => round(plant.solution.vaRad[at], 6)],
    ]),
    ...[...branchNames(network).values()].flatMap((name, at): Column<Truth>[] => [
      [`Pflow_${name}_mw`, ({ plant }) => round(plant.solution.branches[at]?.fromMw, 4)],
      [`Qflow_${name}_mvar`, ({ plant }) => round(plant.solution.branches[at]?.fromMvar, 4)],
    ]),
    ...network.branches.map(
      ({ number }): Column<Truth> => [
        `${breakerNames.get(number)}_closed`,
        ({ plant }) => toBit(!plant.open.includes(number)),
      ],
    ),
  ])
  return { header, row: (world) => row({ ...world, summary: gridSummary(world) }) }
}

function toBit(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : value ? 1 : 0
}
