/** Tables of a data set: each column is its name and the cell that it takes from a source. */

/** One column. */
export type Column<Source> = readonly [name: string, cell: (source: Source) => unknown]

/** The header of a table, and its row of a source. */
export interface Table<Source> {
  readonly header: readonly string[]
  readonly row: (source: Source) => readonly unknown[]
}

/** Joins columns to a table. */
export function toTable<Source>(columns: readonly Column<Source>[]): Table<Source> {
  return { header: columns.map(([name]) => name), row: (source) => columns.map(([, cell]) => cell(source)) }
}

/** Rounds a number for its cell; an absent one leaves the cell empty. */
export function round(value: number | undefined, digits: number): number | null {
  return value === undefined ? null : Number(value.toFixed(digits))
}
