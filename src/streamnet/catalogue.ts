/** The catalogue of operations, from which gateway, command line and documentation are made. */

import { agents } from './catalogue/agents.ts'
import type { CatalogueEntry } from './catalogue/entry.ts'
import { markets } from './catalogue/markets.ts'
import { attestations, bridges, ledger, procedures } from './catalogue/network.ts'
import { orders } from './catalogue/orders.ts'
import { composition, roles, visibility } from './catalogue/permissions.ts'
import { records } from './catalogue/records.ts'
import { streams } from './catalogue/streams.ts'

/** Every operation of the main client: its exact name, parameters, result and action, in the order of the documentation. */
export const catalogue: readonly CatalogueEntry[] = [
  ...streams,
  ...records,
  ...procedures,
  ...composition,
  ...visibility,
  ...roles,
  ...ledger,
  ...markets,
  ...orders,
  ...attestations,
  ...bridges,
  ...agents,
]

const byName: ReadonlyMap<string, CatalogueEntry> = new Map(catalogue.map((entry) => [entry.name, entry]))

/**
 * Finds an operation.
 *
 * @param name - its exact name, in snake case.
 * @returns undefined when there is none of this name.
 */
export function findOperation(name: string): CatalogueEntry | undefined {
  return byName.get(name)
}
