/** Lines of alerts as rows: JSON objects, CSV, and the tables of Zeek. */

import { isRecord, parseJson } from '../../base/json.ts'
import { suggest } from '../../base/nearest.ts'
import { GridError } from '../errors.ts'

/** A line as fields: of JSON its members, of a table its columns. */
export type Row = Readonly<Record<string, unknown>>

/** Reads one line; null for a line without a row. */
export type RowReader = (written: string, line: number) => Row | null

/**
 * Reads a line of JSON.
 *
 * @throws GridError invalid_request when it is not a JSON object.
 */
export function readJsonRow(written: string, line: number): Row {
  const value = parseJson(written)
  if (isRecord(value)) return value
  const expected = value === undefined ? 'one JSON object a line' : 'a JSON object'
  throw wrong(line, `it is ${quote(written)}, expected ${expected}`)
}

/** Makes a function that reads the rows of a table by the names of the columns in its first line. */
function openTable(
  split: (line: string) => readonly string[],
  testColumns: (columns: readonly string[], line: number) => void,
): RowReader {
  let columns: readonly string[] | null = null
  return (written, line) => {
    const cells = split(written)
    if (columns === null) {
      columns = cells.map((cell) => cell.trim().toLowerCase())
      testColumns(columns, line)
      return null
    }
    if (cells.length === columns.length) return Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
    throw wrong(line, `it has ${cells.length} columns, expected the ${columns.length} of its first line`)
  }
}

/**
 * Makes a reader of Zeek's logs: JSON, or tables with tabs, whose columns are in the line `#fields`.
 *
 * @throws GridError invalid_request when the reader meets a line of neither form, or a row before its columns.
 */
export function openZeekRows(): RowReader {
  let readTable: RowReader | null = null
  return (written, line) => {
    if (written.startsWith('{')) return readJsonRow(written, line)
    if (written.startsWith('#fields\t')) {
      // Logs that follow each other name their columns anew.
      readTable = openTable(
        (cells) => cells.split('\t'),
        () => {},
      )
      return readTable(written.slice('#fields\t'.length), line)
    }
    if (written.startsWith('#')) return null
    if (readTable === null) throw wrong(line, 'a table of Zeek has no line "#fields" before its rows')
    const row = readTable(written, line)
    const isSet = ([, cell]: [string, unknown]) => cell !== '-' && cell !== '(empty)'
    return row === null ? null : Object.fromEntries(Object.entries(row).filter(isSet))
  }
}

/**
 * Makes a reader of CSV, whose first line names its columns.
 *
 * @throws GridError invalid_request when the reader meets an unknown column, or a line with another number of cells.
 */
export function openCsvRows(): RowReader {
  return openTable(splitCsv, assertColumns)
}

/** The cells of a line such as `1.5,"a ""b"", c",` (RFC 4180); a quoted cell holds no line break. */
function splitCsv(line: string): readonly string[] {
  const cells: string[] = []
  for (const [, quoted, plain] of `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
  }
  return cells
}

const tableColumns = ['time', 'frame', 'source', 'target', 'name', 'technique', 'score'] as const

function assertColumns(columns: readonly string[], line: number): void {
  const unknown = columns.find((column) => !tableColumns.some((known) => known === column))
  const expected = `expected time and any of ${tableColumns.slice(1).join(', ')}`
  if (unknown !== undefined) {
    throw wrong(line, `there is a column ${quote(unknown)}, ${suggest(unknown, tableColumns, expected)}`)
  }
  if (!columns.includes('time')) throw wrong(line, `there is no column "time", ${expected}`)
}

/** Writes the beginning of a value, for a message. */
export function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'missing'
}

/** The error for a line that cannot be read. */
export function wrong(line: number, state: string): GridError {
  return new GridError('invalid_request', `Cannot read alerts: line ${line}: ${state}`)
}
