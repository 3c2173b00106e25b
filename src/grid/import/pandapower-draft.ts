/** A grid of pandapower while its elements are read: its buses and branches so far, and the bus of an element. */

import { GridError } from '../errors.ts'
import type { Element, Tables } from './pandapower-tables.ts'
import type { ReadBranch, ReadBus, ReadGenerator } from './read-grid.ts'

/** A grid while its elements are read. */
export interface Draft {
  readonly tables: Tables
  readonly buses: Map<number, Building>
  /** The bus that a bus became part of, by the ids of pandapower. */
  readonly joined: ReadonlyMap<number, number>
  /** Takes an id that no bus has. */
  readonly nextId: () => number
  readonly branches: ReadBranch[]
  readonly generators: ReadGenerator[]
  readonly warnings: string[]
}

/** A bus whose injections and shunts are added up. */
export type Building = { -readonly [Key in keyof ReadBus]: ReadBus[Key] }

/** A bus at which nothing is yet. */
export const noPower = { pMw: 0, qMvar: 0, gMw: 0, bMvar: 0 } as const

/** The elements of a table that are in service. */
export function listInService({ tables }: Pick<Draft, 'tables'>, table: string): readonly Element[] {
  return tables.list(table).filter((element) => element.flag('in_service', true))
}

/** The error for an element at a bus that is in no table. */
export function unknownBus({ place }: Element): GridError {
  return new GridError('invalid_case', `Cannot read network: ${place} is at a bus that does not exist`)
}

/**
 * The bus at which an element is; undefined where that bus is out of service.
 *
 * @throws GridError invalid_case when the bus is in no table.
 */
export function findBus({ buses, joined }: Draft, element: Element, column = 'bus'): Building | undefined {
  const part = joined.get(element.number(column))
  if (part === undefined) throw unknownBus(element)
  return buses.get(part + 1)
}

/** Adds a bus that the file does not have beside one that it has. */
export function addBus({ buses, nextId }: Draft, beside: ReadBus): Building {
  const bus = { ...beside, ...noPower, id: nextId() }
  buses.set(bus.id, bus)
  return bus
}
