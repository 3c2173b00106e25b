/** The tables of a pandapower network in JSON: each is a text of columns, an index and rows. */

import { isRecord, parseJson } from '../../base/json.ts'
import { GridError } from '../errors.ts'

/** One element of a table. */
export interface Element {
  /** The table and the index, for messages: `line 7`. */
  readonly place: string
  readonly index: number
  /**
   * A number; `otherwise` where the cell is empty.
   *
   * @throws GridError invalid_case when the cell has none, and is needed.
   */
  number(column: string, otherwise?: number): number
  /** A text; empty where the cell is. */
  text(column: string): string
  flag(column: string, otherwise: boolean): boolean
  has(column: string): boolean
}

/** The tables of a network. */
export interface Tables {
  readonly name: string
  readonly f0Hz: number
  readonly baseMva: number
  /** The elements of a table, whether in service or not; none where there is no such table. */
  list(table: string): readonly Element[]
}

const refuse = (state: string) => new GridError('invalid_case', `Cannot read network: ${state}`)

/**
 * Reads the tables of a network that pandapower's `to_json` wrote.
 *
 * @throws GridError invalid_case when the text is not such a network.
 */
export function readTables(text: string): Tables {
  const whole = parseJson(text)
  if (whole === undefined) throw refuse('the text is not JSON, expected what pandapower.to_json writes')
  const network = isRecord(whole) && isRecord(whole._object) ? whole._object : undefined
  if (network === undefined || !isRecord(whole) || whole._class !== 'pandapowerNet') {
    throw refuse('_class is not pandapowerNet, expected what pandapower.to_json writes')
  }
  const tables = new Map<string, readonly Element[]>()
  for (const [name, value] of Object.entries(network)) {
    if (isRecord(value) && value._class === 'DataFrame') tables.set(name, readTable(name, value._object))
  }
  const { name, f_hz: f0Hz, sn_mva: baseMva } = network
  return {
    name: typeof name === 'string' ? name : '',
    f0Hz: typeof f0Hz === 'number' ? f0Hz : 50,
    baseMva: typeof baseMva === 'number' ? baseMva : 1,
    list: (table) => tables.get(table) ?? [],
  }
}

function readTable(name: string, written: unknown): readonly Element[] {
  const { columns, index, data } = readFrame(name, written)
  const positions = new Map(columns.map((column, at) => [String(column), at]))
  return data.map((row, at) => {
    const place = `${name} ${String(index[at])}`
    if (!Array.isArray(row)) throw refuse(`${place} is not a row, expected a list of values`)
    return createElement(place, Number(index[at]), (column) => row[positions.get(column) ?? -1] ?? null)
  })
}

interface Frame {
  readonly columns: readonly unknown[]
  readonly index: readonly unknown[]
  readonly data: readonly unknown[]
}

function readFrame(name: string, written: unknown): Frame {
  const frame = typeof written === 'string' ? parseJson(written) : written
  if (!isRecord(frame)) throw refuse(`table ${name} is not JSON of columns, index and data`)
  const { columns, index, data } = frame
  if (Array.isArray(columns) && Array.isArray(index) && Array.isArray(data)) return { columns, index, data }
  throw refuse(`table ${name} has not columns, index and data, expected the orientation "split"`)
}

function createElement(place: string, index: number, read: (column: string) => unknown): Element {
  return {
    place,
    index,
    number(column, otherwise) {
      const value = read(column)
      if (typeof value === 'number' && Number.isFinite(value)) return value
      if (value === null && otherwise !== undefined) return otherwise
      throw refuse(`${column} of ${place} is ${JSON.stringify(value)}, expected a number`)
    },
    text: (column) => String(read(column) ?? ''),
    flag(column, otherwise) {
      const value = read(column)
      return value === null ? otherwise : value === true || value === 1
    },
    has: (column) => read(column) !== null,
  }
}
