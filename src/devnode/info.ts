/** The few ad-hoc queries that clients send: what actions there are, and in which namespaces. */

import { dataType } from '../streamnet/codec/value.ts'
import { columnTypeOf } from '../streamnet/rpc/cell.ts'
import type { QueryResultJson } from '../streamnet/rpc/methods.ts'
import type { DataType } from '../streamnet/types.ts'
import type { Action } from './actions/action.ts'
import { actions } from './actions/catalogue.ts'
import { type SqlType, typeText, wireType } from './actions/types.ts'
import { mainNamespace } from './engine.ts'
import { engineError } from './errors.ts'

/** The parameters of a query by name, `$` included. */
export type QueryParameters = Readonly<Record<string, unknown>>

type InfoRow = Readonly<Record<string, unknown>>

interface InfoTable {
  /** Types by the names of columns, in the order of `*`. */
  readonly columns: ReadonlyMap<string, DataType>
  rows(): readonly InfoRow[]
}

const text = dataType('text')
const textList = dataType('text', true)
const bool = dataType('bool')

const tables: ReadonlyMap<string, InfoTable> = new Map([
  [
    'actions',
    {
      columns: new Map([
        ['namespace', text],
        ['name', text],
        ['raw_statement', text],
        ['access_modifiers', textList],
        ['parameter_names', textList],
        ['parameter_types', textList],
        ['return_names', textList],
        ['return_types', textList],
        ['returns_table', bool],
        ['built_in', bool],
      ]),
      rows: () => [...actions.values()].map(describeAction),
    },
  ],
  [
    'namespaces',
    {
      columns: new Map(['name', 'type'].map((name) => [name, text])),
      rows: () => ['info', mainNamespace].map((name) => ({ name, type: 'SYSTEM' })),
    },
  ],
])

/** Such as `SELECT name, type FROM info.namespaces WHERE name = $name;`. */
const form =
  /^\s*select\s+(?<columns>\*|\w+(?:\s*,\s*\w+)*)\s+from\s+info\.(?<table>\w+)(?:\s+where\s+(?<column>\w+)\s*=\s*(?<value>\$\w+|'[^']*'))?\s*;?\s*$/i

/** Answers `SELECT columns FROM info.table [WHERE column = value]`; engine_failed for any other query. */
export function answerQuery(query: string, parameters: QueryParameters): QueryResultJson {
  const parts = form.exec(query.slice(0, 2000))?.groups
  const table = tables.get((parts?.table ?? '').toLowerCase())
  if (parts === undefined || table === undefined) {
    throw engineError(
      'query is not supported by the development node: expected SELECT ... FROM info.actions or info.namespaces, perhaps WHERE one column = one value',
    )
  }
  const { columns = '', column, value } = parts
  const wanted = value?.startsWith('$') ? parameters[value] : value?.slice(1, -1)
  const filter = column === undefined ? undefined : findColumn(table, column).name
  const rows = table.rows().filter((row) => filter === undefined || row[filter] === wanted)
  const names = columns === '*' ? [...table.columns.keys()] : columns.split(',')
  const selected = names.map((name) => findColumn(table, name))
  if (rows.length === 0) return { column_names: null, column_types: null, values: null }
  return {
    column_names: selected.map(({ name }) => name),
    column_types: selected.map(({ type }) => columnTypeOf(type)),
    values: rows.map((row) => selected.map(({ name }) => row[name])),
  }
}

function findColumn({ columns }: InfoTable, text: string): { readonly name: string; readonly type: DataType } {
  const name = text.trim().toLowerCase()
  const type = columns.get(name)
  if (type !== undefined) return { name, type }
  throw engineError(`column "${text.trim()}" does not exist`)
}

/** The declaration of an action in the network's language, without its body. */
export function formatDeclaration(action: Action): string {
  const parameters = action.parameters.map(
    ({ name, type, defaultValue }) =>
      `$${name} ${type}${defaultValue === undefined ? '' : ` DEFAULT ${formatLiteral(defaultValue)}`}`,
  )
  const columns = Object.entries(action.returns?.columns ?? {}).map(([name, type]) => `${name} ${type}`)
  const returns =
    action.returns === undefined ? '' : ` RETURNS ${action.returns.isTable ? 'TABLE' : ''}(${columns.join(', ')})`
  return `CREATE ACTION ${action.name}(${parameters.join(', ')}) ${action.modifiers.join(' ')}${returns} {};`
}

function describeAction(action: Action): InfoRow {
  const columns = Object.entries(action.returns?.columns ?? {})
  const listNames = (types: readonly SqlType[]) => types.map((type) => typeText(wireType(type)))
  return {
    namespace: mainNamespace,
    name: action.name,
    raw_statement: formatDeclaration(action),
    access_modifiers: action.modifiers,
    parameter_names: action.parameters.map(({ name }) => `$${name}`),
    parameter_types: listNames(action.parameters.map(({ type }) => type)),
    return_names: columns.map(([name]) => name),
    return_types: listNames(columns.map(([, type]) => type)),
    returns_table: action.returns?.isTable === true,
    built_in: false,
  }
}

function formatLiteral(value: unknown): string {
  if (value === null) return 'NULL'
  return typeof value === 'string' ? `'${value}'` : String(value).toUpperCase()
}
