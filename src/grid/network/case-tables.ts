/** A grid as tables, one row for each bus, machine and branch, and the network that they describe. */

import { GridError } from '../errors.ts'
import type { Branch, Bus, Generator, Network } from './network.ts'

/** One line per bus: id, load MW and MVAr, shunt MW and MVAr, area, base kV, Vmax, Vmin, x, y. */
export type BusRow = readonly [
  id: number,
  pMw: number,
  qMvar: number,
  gMw: number,
  bMvar: number,
  area: number,
  baseKv: number,
  vMaxPu: number,
  vMinPu: number,
  x: number,
  y: number,
]

/** One line per machine: bus, P, V setpoint, Qmax, Qmin, Pmax, Pmin, machine MVA, H on the base, c2, c1, c0. */
export type GeneratorRow = readonly [
  bus: number,
  pMw: number,
  vSetpointPu: number,
  qMaxMvar: number,
  qMinMvar: number,
  pMaxMw: number,
  pMinMw: number,
  machineMva: number,
  inertiaS: number,
  c2: number,
  c1: number,
  c0: number,
]

/** One line per branch: from, to, r, x, b, ratio (0: none), shift, rating, secure and fragile pick-up in MVA. */
export type BranchRow = readonly [
  from: number,
  to: number,
  r: number,
  x: number,
  b: number,
  ratio: number,
  shiftDeg: number,
  rateMva: number,
  securePickupMva: number,
  fragilePickupMva: number,
]

/** A grid written down as tables. */
export interface CaseTables {
  readonly name: string
  readonly title: string
  readonly baseMva: number
  readonly f0Hz: number
  readonly slackBus: number
  readonly slackAngleDeg: number
  readonly buses: readonly BusRow[]
  readonly generators: readonly GeneratorRow[]
  readonly branches: readonly BranchRow[]
  readonly pmuBuses: readonly number[]
}

/** A grid as JSON: the rows are lists of numbers. */
type WrittenTables = {
  readonly [Field in keyof CaseTables]: CaseTables[Field] extends readonly (readonly number[])[]
    ? readonly (readonly number[])[]
    : CaseTables[Field]
} & {
  /** The archive of the data, and the rules by which ratings, pick-ups and dynamic data were made. */
  readonly source: string
}

/**
 * Reads the tables of a grid.
 *
 * @throws GridError invalid_case when a row does not have as many numbers as its table has columns.
 */
export function readTables({ source: _, buses, generators, branches, ...rest }: WrittenTables): CaseTables {
  return {
    ...rest,
    buses: expectRows<BusRow>(buses, 11),
    generators: expectRows<GeneratorRow>(generators, 12),
    branches: expectRows<BranchRow>(branches, 10),
  }
}

function expectRows<Row extends readonly number[]>(
  rows: readonly (readonly number[])[],
  columns: Row['length'],
): readonly Row[] {
  const wrong = rows.find(({ length }) => length !== columns)
  if (wrong !== undefined) {
    const row = wrong.join(', ')
    throw new GridError('invalid_case', `Cannot read case: the row ${row} is not of ${columns} numbers`)
  }
  // Every row has the columns of `Row`, which are all numbers.
  return rows as unknown as readonly Row[]
}

/** Builds a network with everything in service from its tables. */
export function toNetwork({ buses, generators, branches, ...rest }: CaseTables): Network {
  return {
    ...rest,
    buses: buses.map(toBus),
    loads: buses.map(([bus, pMw, qMvar]) => ({ bus, pMw, qMvar })).filter(({ pMw, qMvar }) => pMw !== 0 || qMvar !== 0),
    shunts: buses
      .map(([bus, , , gMw, bMvar]) => ({ bus, gMw, bMvar }))
      .filter(({ gMw, bMvar }) => gMw !== 0 || bMvar !== 0),
    generators: generators.map(toGenerator),
    branches: branches.map(toBranch),
  }
}

function toBus([id, , , , , area, baseKv, vMaxPu, vMinPu, x, y]: BusRow): Bus {
  return { id, area, baseKv, vMaxPu, vMinPu, x, y }
}

function toGenerator(row: GeneratorRow): Generator {
  const [bus, pMw, vSetpointPu, qMaxMvar, qMinMvar, pMaxMw, pMinMw, machineMva, inertiaS, c2, c1, c0] = row
  return {
    bus,
    inService: true,
    pMw,
    vSetpointPu,
    qMaxMvar,
    qMinMvar,
    pMaxMw,
    pMinMw,
    machineMva,
    inertiaS,
    cost: [c2, c1, c0],
  }
}

/** A ratio of 0 means a line, as in the tables of the cases. */
function toBranch(row: BranchRow, index: number): Branch {
  const [from, to, r, x, b, ratio, shiftDeg, rateMva, securePickupMva, fragilePickupMva] = row
  return {
    number: index + 1,
    from,
    to,
    inService: true,
    r,
    x,
    b,
    ratio: ratio === 0 ? 1 : ratio,
    shiftDeg,
    rateMva,
    securePickupMva,
    fragilePickupMva,
  }
}
