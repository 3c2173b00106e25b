/** A grid as tables of numbers, one row for each bus, machine and branch, and the network that they describe. */

import { GridError } from '../errors.ts'
import type { Network } from './network.ts'

/** The columns of each table, powers in MW and MVAr, ratings and pick-ups in MVA; a ratio of 0 means a line. */
const columns = {
  buses: ['id', 'pMw', 'qMvar', 'gMw', 'bMvar', 'area', 'baseKv', 'vMaxPu', 'vMinPu', 'x', 'y'],
  generators: [
    ...(['bus', 'pMw', 'vSetpointPu', 'qMaxMvar', 'qMinMvar', 'pMaxMw', 'pMinMw', 'machineMva', 'inertiaS'] as const),
    ...(['c2', 'c1', 'c0'] as const),
  ],
  branches: [
    ...(['from', 'to', 'r', 'x', 'b', 'ratio', 'shiftDeg', 'rateMva'] as const),
    ...(['securePickupMva', 'fragilePickupMva'] as const),
  ],
} as const

type Table = keyof typeof columns

type Rows = readonly (readonly number[])[]

/** A grid written down as tables. */
export type CaseTables = Omit<Network, Table | 'loads' | 'shunts'> & {
  readonly title: string
  /** The archive of the data, and the rules by which ratings, pick-ups and dynamic data were made. */
  readonly source: string
} & Readonly<Record<Table, Rows>>

/**
 * Builds a network with everything in service from its tables.
 *
 * @throws GridError invalid_case when a row does not have as many numbers as its table has columns.
 */
export function toNetwork({
  title: _title,
  source: _source,
  buses,
  generators,
  branches,
  ...rest
}: CaseTables): Network {
  const nodes = readRows('buses', buses)
  return {
    ...rest,
    buses: nodes.map(({ id, area, baseKv, x, y }) => ({ id, area, baseKv, x, y })),
    loads: nodes
      .filter(({ pMw, qMvar }) => pMw !== 0 || qMvar !== 0)
      .map(({ id: bus, pMw, qMvar }) => ({ bus, pMw, qMvar })),
    shunts: nodes
      .filter(({ gMw, bMvar }) => gMw !== 0 || bMvar !== 0)
      .map(({ id: bus, gMw, bMvar }) => ({ bus, gMw, bMvar })),
    // The costs c2, c1, c0 have no use here.
    generators: readRows('generators', generators).map(({ c2: _c2, c1: _c1, c0: _c0, ...unit }) => ({
      ...unit,
      inService: true,
    })),
    branches: readRows('branches', branches).map((branch, index) => ({
      ...branch,
      number: index + 1,
      inService: true,
      ratio: branch.ratio === 0 ? 1 : branch.ratio,
    })),
  }
}

/** A row of a table by the names of its columns. */
export type CaseRow<Name extends Table> = Readonly<Record<(typeof columns)[Name][number], number>>

/**
 * Reads the rows of a table.
 *
 * @throws GridError invalid_case when a row does not have as many numbers as its table has columns.
 */
export function readRows<Name extends Table>(table: Name, rows: Rows): readonly CaseRow<Name>[] {
  const names: readonly (typeof columns)[Name][number][] = columns[table]
  return rows.map((row) => {
    if (row.length !== names.length) {
      const state = `the row ${row.join(', ')} is not of ${names.length} numbers`
      throw new GridError('invalid_case', `Cannot read case: ${state}`)
    }
    // Every name has its number.
    return Object.fromEntries(names.map((name, at) => [name, row[at]])) as Record<(typeof names)[number], number>
  })
}

/** Writes a row of a table from the numbers of its columns; others are left out. */
export function toRow<Name extends Table>(table: Name, numbers: CaseRow<Name>): readonly number[] {
  const names: readonly (typeof columns)[Name][number][] = columns[table]
  return names.map((name) => numbers[name])
}
