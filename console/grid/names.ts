/** Names of the grid for the search: buses, stations and breakers. */

import { ask } from '../frame/api.ts'
import type { Named } from '../frame/search-index.ts'
import { type GridPlan, readPlan } from './plan.ts'

/** The parts of a grid by their names; none of a session that an outside simulator feeds. @param simulation - null for the default one. */
export function listNames(plan: GridPlan | undefined, simulation: string | null): readonly Named[] {
  if (plan === undefined) return []
  const query = simulation === null ? '' : `simulation=${encodeURIComponent(simulation)}&`
  const href = (id: number) => `/console/grid?${query}bus=${id}`
  return [
    ...plan.buses.map(({ id }) => ({ name: `Bus ${id}`, kind: 'bus', href: href(id) })),
    ...plan.buses.map(({ id }) => ({ name: `RTU-${id}`, kind: 'station', href: href(id) })),
    ...plan.branches.map(({ name, from }) => ({ name: `CB-${name}`, kind: 'breaker', href: href(from) })),
  ]
}

/** Reads the grid of the default simulation. */
export async function readNames(signal: AbortSignal): Promise<readonly Named[]> {
  const options = { signal, isAside: true }
  const { grid } = await ask<{ readonly grid?: unknown }>('grid', '/api/v1/topology', options)
  return listNames(readPlan(grid), null)
}
