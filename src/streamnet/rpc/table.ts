/** Result tables: cells read strictly by column type, rows by column name. */

import { decodeHex } from '../../base/hex.ts'
import { type CamelCase, toCamelCase } from '../../base/naming.ts'
import { malformedResponse } from '../errors.ts'
import type { Scalar } from '../types.ts'
import { decodeCell } from './cell.ts'
import type { ColumnType, QueryResultJson } from './methods.ts'

/** A result as columns and rows of exact values. */
export interface Table {
  readonly columnNames: readonly string[]
  readonly columnTypes: readonly ColumnType[]
  readonly rows: readonly (readonly (Scalar | readonly Scalar[])[])[]
}

/** The kinds of columns: `int` a safe integer, `int8` a bigint, `decimal` text, `hex` text of bytes with `0x`. */
interface Kinds {
  readonly text: string
  readonly decimal: string
  readonly int: number
  readonly int8: bigint
  readonly bool: boolean
  readonly bytes: Uint8Array
  readonly hex: Uint8Array
  readonly 'bytes[]': readonly Uint8Array[]
}

/** The kind of a column; a question mark allows null. */
export type Kind = keyof Kinds | `${keyof Kinds}?`
/** The columns an operation reads, by their names on the wire. */
export type Shape = Readonly<Record<string, Kind>>

type ValueOf<K> = K extends `${infer Base extends keyof Kinds}?`
  ? Kinds[Base] | null
  : K extends keyof Kinds
    ? Kinds[K]
    : never
/** A row in camel case. */
export type Row<S extends Shape> = {
  readonly [Name in keyof S & string as CamelCase<Name>]: ValueOf<S[Name]>
}

/** Reads a result, which may lack names and values without rows; malformed_response for a wrong cell or a short row. */
export function readTable(json: QueryResultJson | null): Table {
  const columnNames = json?.column_names ?? []
  const columnTypes = json?.column_types ?? []
  try {
    const rows = (json?.values ?? []).map((row) => {
      if (row.length !== columnTypes.length) throw new TypeError(`a row has ${row.length} cells`)
      return columnTypes.map((type, index) => decodeCell(row[index], type))
    })
    return { columnNames, columnTypes, rows }
  } catch (cause) {
    // What decoders throw are Errors.
    throw malformed((cause as Error).message)
  }
}

/**
 * Reads the rows of a table by a shape: columns by name, in any order, names in camel case. Columns
 * the shape does not name are left out.
 *
 * @throws StreamNetError malformed_response when a column is missing or of another kind.
 */
export function readRows<S extends Shape>(table: Table, shape: S): readonly Row<S>[] {
  // Made once for a column: a table may have ten thousand rows.
  const columns = Object.entries(shape).map(([name, kind]) => ({
    member: toCamelCase(name),
    index: table.columnNames.indexOf(name),
    read: kindReader(kind, name),
  }))
  return table.rows.map((row) => {
    const members: Record<string, unknown> = {}
    for (const { member, index, read } of columns) members[member] = read(row[index])
    // The members are the shape's names in camel case, each with the kind just checked.
    return members as Row<S>
  })
}

type Cell = Scalar | readonly Scalar[] | undefined

/** Reads the cells of a column; malformed_response when one is of another kind. */
function kindReader(kind: Kind, name: string): (value: Cell) => unknown {
  // Without its question mark a kind is one of `Kinds`.
  const base = kind.replace('?', '') as keyof Kinds
  return (value) => {
    if (value === null && base !== kind) return null
    const read = readers[base](value, name)
    if (read === undefined) throw malformed(`column ${name} is missing or not ${base}`)
    return read
  }
}

const typed = (type: string) => (value: Cell) => (typeof value === type ? value : undefined)

/** By kind: the value, or undefined when it is of another kind. */
const readers: Readonly<Record<keyof Kinds, (value: Cell, name: string) => unknown>> = {
  text: typed('string'),
  decimal: typed('string'),
  int(value, name) {
    if (typeof value !== 'bigint') return undefined
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
    throw malformed(`${name} is ${value}, beyond 2^53; narrow the range, or read it whole by callProcedure()`)
  },
  int8: typed('bigint'),
  bool: typed('boolean'),
  bytes: (value) => (value instanceof Uint8Array ? value : undefined),
  'bytes[]': (value) => (Array.isArray(value) && value.every((item) => item instanceof Uint8Array) ? value : undefined),
  hex: (value) =>
    typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value) ? decodeHex(value.slice(2)) : undefined,
}

function malformed(state: string) {
  return malformedResponse(`Cannot read the node's answer: ${state}`)
}
