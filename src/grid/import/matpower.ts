/** MATPOWER case files (version 2 of the format, MATPOWER manual, appendix B). */

import { GridError } from '../errors.ts'
import { type MatrixRow, readCaseText } from './matpower-text.ts'
import type { ReadBranch, ReadBus, ReadGenerator, ReadGrid } from './read-grid.ts'

/** Fewest columns of a matrix; further ones are results and prices, which are not read. */
const leastColumns = { bus: 13, gen: 10, branch: 11 } as const

type Name = keyof typeof leastColumns

/** A row, and its number in its matrix, from 1. */
interface Row extends MatrixRow {
  readonly number: number
}

const reference = 3
const isolated = 4

/** Fields that are read, or that the power flow does not need: no warning names them. */
const unwarned = new Set(['bus', 'gen', 'branch', 'gencost', 'areas'])

/**
 * Reads a case file; the format lacks the frequency.
 *
 * @throws GridError invalid_case when the file is not of the format, or has not exactly one reference bus.
 */
export function readMatpower(text: string, f0Hz: number): ReadGrid {
  const { name, scalars, matrices } = readCaseText(text)
  const [isolatedBuses, buses] = split(checkRows('bus', matrices.get('bus')), (row) => cell(row, 2) === isolated)
  const isolatedIds = new Set(isolatedBuses.map((row) => cell(row, 1)))
  const [units, idleUnits] = split(
    checkRows('gen', matrices.get('gen')),
    (row) => cell(row, 8) > 0 && !isolatedIds.has(cell(row, 1)),
  )
  const [branches, idleBranches] = split(
    checkRows('branch', matrices.get('branch')),
    (row) => cell(row, 11) > 0 && !isolatedIds.has(cell(row, 1)) && !isolatedIds.has(cell(row, 2)),
  )
  const costs = matrices.get('gencost') ?? []
  const slack = findReference(buses)
  return {
    name,
    format: 'MATPOWER case file',
    baseMva: scalars.get('baseMVA') ?? 100,
    f0Hz,
    slackBus: cell(slack, 1),
    slackAngleDeg: cell(slack, 9),
    buses: buses.map(readBus),
    generators: units.map((row) => readGenerator(row, costs[row.number - 1])),
    branches: branches.map(readBranch),
    warnings: [
      ...nameRows('mpc.bus', 'isolated', isolatedBuses),
      ...nameRows('mpc.gen', 'out of service', idleUnits),
      ...nameRows('mpc.branch', 'out of service', idleBranches),
      ...nameSoldLoads(units),
      ...[...matrices.keys()].filter((field) => !unwarned.has(field)).map((field) => `mpc.${field} is left out`),
    ],
  }
}

function checkRows(matrix: Name, rows: readonly MatrixRow[] | undefined): readonly Row[] {
  if (rows === undefined) throw new GridError('invalid_case', `Cannot read case: there is no mpc.${matrix}`)
  const least = leastColumns[matrix]
  const short = rows.find(({ numbers }) => numbers.length < least)
  if (short === undefined) return rows.map((row, index) => ({ ...row, number: index + 1 }))
  const state = `mpc.${matrix} has ${short.numbers.length} columns here, expected at least ${least}`
  throw new GridError('invalid_case', `Cannot read case: line ${short.line}: ${state}`)
}

/** A number by its column, counted from 1 as the manual does. */
function cell({ numbers }: MatrixRow, column: number): number {
  return numbers[column - 1] ?? 0
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function nameRows(matrix: string, state: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return []
  const numbers = rows.map(({ number }) => number).join(', ')
  return [`${matrix} ${rows.length === 1 ? 'row' : 'rows'} ${numbers}: ${state}, left out`]
}

function findReference(buses: readonly Row[]): Row {
  const [first, ...others] = buses.filter((row) => cell(row, 2) === reference)
  if (first !== undefined && others.length === 0) return first
  const state =
    first === undefined ? 'no bus is' : `buses ${[first, ...others].map((row) => cell(row, 1)).join(', ')} are`
  throw new GridError('invalid_case', `Cannot read case: ${state} of type 3, expected one reference bus`)
}

/** The numbers of columns by the names that we have for them. */
function cells<Name extends string>(row: MatrixRow, columns: Readonly<Record<Name, number>>): Record<Name, number> {
  const read = Object.entries<number>(columns).map(([name, column]) => [name, cell(row, column)])
  return Object.fromEntries(read) as Record<Name, number> // the same names
}

function readBus(row: Row): ReadBus {
  return cells(row, { id: 1, pMw: 3, qMvar: 4, gMw: 5, bMvar: 6, area: 7, baseKv: 10, vMaxPu: 12, vMinPu: 13 })
}

function readGenerator(row: Row, cost: MatrixRow | undefined): ReadGenerator {
  const numbers = cells(row, { bus: 1, pMw: 2, qMaxMvar: 4, qMinMvar: 5, vSetpointPu: 6, pMaxMw: 9, pMinMw: 10 })
  return { ...numbers, cost: readCost(cost) }
}

/** Names the loads that have a price: machines of negative output. */
function nameSoldLoads(rows: readonly Row[]): readonly string[] {
  const sold = rows.filter((row) => cell(row, 10) < 0 && cell(row, 9) <= 0)
  return sold.map(
    ({ number }) => `mpc.gen row ${number}: a load with a price, taken as a machine that keeps its output`,
  )
}

/** The polynomial of a cost; none where it is piecewise linear or of a higher order. */
function readCost(row: MatrixRow | undefined): ReadGenerator['cost'] {
  const coefficients = row?.numbers.slice(4, 4 + (row.numbers[3] ?? 0)) ?? []
  if (row?.numbers[0] !== 2 || coefficients.length > 3) return [0, 0, 0]
  const [c0 = 0, c1 = 0, c2 = 0] = coefficients.toReversed()
  return [c2, c1, c0]
}

function readBranch(row: Row): ReadBranch {
  const { ratio, ...numbers } = cells(row, { from: 1, to: 2, r: 3, x: 4, b: 5, rateMva: 6, ratio: 9, shiftDeg: 10 })
  // 0 says that it is a line.
  return { ...numbers, ratio: ratio === 0 ? 1 : ratio, place: `line ${row.line}` }
}
