/** A table of pandapower as a data frame of pandas, in the JSON that pandapower's `from_json` reads. */

type Cell = number | string | boolean | null

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>

/** The dtype of pandas by `typeof`; text, and a column that is empty in every row, is `object`. */
const dtypes: Readonly<Record<string, string>> = { number: 'float64', boolean: 'bool' }

/** Columns that pandapower keeps as whole numbers. */
const whole = /^(?:bus|from_bus|to_bus|hv_bus|lv_bus|parallel|max_step)$/

/** Writes a table as pandas does in the orientation "split"; undefined for one without rows. */
export function writeFrame(
  rows: readonly Row[],
  index: readonly number[] = rows.map((_, at) => at),
): object | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const columns = Object.keys(first)
  const types = columns.map((column) => [column, whole.test(column) ? 'int64' : findType(rows, column)])
  return {
    _module: 'pandas.core.frame',
    _class: 'DataFrame',
    orient: 'split',
    _object: JSON.stringify({ columns, index, data: rows.map((row) => columns.map((column) => row[column] ?? null)) }),
    dtype: Object.fromEntries(types),
    is_multiindex: false,
    is_multicolumn: false,
  }
}

function findType(rows: readonly Row[], column: string): string {
  const found = rows.map((row) => row[column]).find((value) => value !== null)
  return dtypes[typeof found] ?? 'object'
}
