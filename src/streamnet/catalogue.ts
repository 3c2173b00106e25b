/** The catalogue of operations, from which gateway, command line and documentation are made. */

import { agents } from './catalogue/agents.ts'
import { attestations } from './catalogue/attestations.ts'
import { bridges } from './catalogue/bridges.ts'
import type { CatalogueEntry } from './catalogue/entry.ts'
import { ledger } from './catalogue/ledger.ts'
import { markets } from './catalogue/markets.ts'
import { orders } from './catalogue/orders.ts'
import { composition, visibility } from './catalogue/permissions.ts'
import { procedures } from './catalogue/procedures.ts'
import { records } from './catalogue/records.ts'
import { roles } from './catalogue/roles.ts'
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
