/** Rows of a run's state, one a second: what the control centre knows, and what is true. */

import { gridSummary, type World, worldTimeUs } from '../engine.ts'
import type { Network } from '../network/network.ts'
import { branchNames, type Telecontrol } from '../telecontrol/telecontrol.ts'

/** A table that grows by a row for each second. */
export interface StateTable {
  readonly columns: readonly string[]
  /** The row of a world after a step. */
  row(world: World): readonly unknown[]
}

/** The table of measurements: the last value of each point in per unit, each breaker's state, each unit's last frame. */
export function measurementTable({ outstations, pmus, breakerNames }: Telecontrol): StateTable {
  const points = outstations.flatMap((outstation) => outstation.points.map(({ name }) => name))
  const breakers = [...breakerNames]
  return {
    columns: [
      't_us',
      ...points.map((name) => `${name}_pu`),
      ...breakers.map(([, name]) => `${name}_closed`),
      ...pmus.flatMap(({ node }) => phasorColumns.map((name) => `${node}_${name}`)),
    ],
    row(world) {
      const { values, closed, phasors } = world.view
      return [
        worldTimeUs(world),
        ...points.map((name) => round(values[name], 6)),
        ...breakers.map(([branch]) => toBit(closed[branch])),
        ...pmus.flatMap(({ node }) => {
          const { frequencyHz, rocofHzPerS, phasors: [voltage] = [] } = phasors[node] ?? {}
          const { magnitudePu, angleRad } = voltage ?? {}
          return [round(frequencyHz, 4), round(rocofHzPerS, 4), round(magnitudePu, 6), round(angleRad, 6)]
        }),
      ]
    },
  }
}

const phasorColumns = ['frequency_hz', 'rocof_hz_per_s', 'v_pu', 'v_rad'] as const

/** The table of the truth: the solved grid, the true breakers, and the attacks that are enabled. */
export function truthTable(network: Network, { breakerNames }: Telecontrol): StateTable {
  const { buses, branches } = network
  const names = [...branchNames(network).values()]
  const breakers = branches.map(({ number }) => breakerNames.get(number))
  return {
    columns: [
      't_us',
      'attacks',
      ...summaryColumns,
      ...buses.flatMap(({ id }) => [`V_${id}_pu`, `angle_${id}_rad`]),
      ...names.flatMap((name) => [`Pflow_${name}_mw`, `Qflow_${name}_mvar`]),
      ...breakers.map((name) => `${name}_closed`),
    ],
    row(world) {
      const { solution, open } = world.plant
      const summary = gridSummary(world)
      return [
        worldTimeUs(world),
        world.attacks.map(({ order }) => order.type).join(' '),
        ...summaryColumns.map((name) => summary[name]),
        ...buses.flatMap((_, at) => [round(solution.vmPu[at], 6), round(solution.vaRad[at], 6)]),
        ...branches.flatMap((_, at) => {
          const { fromMw, fromMvar } = solution.branches[at] ?? {}
          return [round(fromMw, 4), round(fromMvar, 4)]
        }),
        ...branches.map(({ number }) => toBit(!open.includes(number))),
      ]
    },
  }
}

const summaryColumns = ['frequency_hz', 'load_mw', 'served_mw', 'shed_mw', 'losses_mw'] as const

function round(value: number | undefined, digits: number): number | null {
  return value === undefined ? null : Number(value.toFixed(digits))
}

function toBit(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : value ? 1 : 0
}
