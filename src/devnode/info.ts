/** The few ad-hoc queries that clients send: what actions there are, and in which namespaces. */

import { dataType } from '../streamnet/codec/value.ts'
import { columnTypeOf } from '../streamnet/rpc/cell.ts'
import type { QueryResultJson } from '../streamnet/rpc/methods.ts'
import type { DataType } from '../streamnet/types.ts'
import type { Action, SqlType } from './actions/action.ts'
import { actions } from './actions/catalogue.ts'
import { mainNamespace, typeText, wireType } from './engine.ts'
import { DevnodeError } from './errors.ts'

/** The parameters of a query by name, `$` included. */
export type QueryParameters = Readonly<Record<string, unknown>>

interface InfoTable {
  readonly columns: readonly (readonly [name: string, type: DataType])[]
  readonly rows: () => readonly (readonly unknown[])[]
}

const text = dataType('text')
const textList = dataType('text', true)
const bool = dataType('bool')

const tables: ReadonlyMap<string, InfoTable> = new Map([
  [
    'actions',
    {
      columns: [
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
      ],
      rows: () => [...actions.values()].map(describeAction),
    },
  ],
  [
    'namespaces',
    {
      columns: [
        ['name', text],
        ['type', text],
      ],
      rows: () => [
        ['info', 'SYSTEM'],
        [mainNamespace, 'SYSTEM'],
      ],
    },
  ],
])

/** Such as `SELECT name, type FROM info.namespaces WHERE name = $name;`. */
const form =
  /^\s*select\s+(?<columns>\*|\w+(?:\s*,\s*\w+)*)\s+from\s+info\.(?<table>\w+)(?:\s+where\s+(?<column>\w+)\s*=\s*(?<value>\$\w+|'[^']*'))?\s*;?\s*$/i

/**
 * Answers a query of the form `SELECT columns FROM info.table [WHERE column = value]`.
 *
 * @throws DevnodeError engine_failed when it is any other query.
 */
export function answerQuery(query: string, parameters: QueryParameters): QueryResultJson {
  const parts = form.exec(query.slice(0, 2000))?.groups
  const table = tables.get((parts?.table ?? '').toLowerCase())
  if (parts === undefined || table === undefined) throw unsupported()
  const { columns = '', column, value } = parts
  const wanted = value?.startsWith('$') ? parameters[value] : value?.slice(1, -1)
  const rows = table.rows()
  const chosen = column === undefined ? rows : rows.filter((row) => row[requirePosition(table, column)] === wanted)
  const positions =
    columns === '*' ? [...table.columns.keys()] : columns.split(',').map((name) => requirePosition(table, name))
  if (chosen.length === 0) return { column_names: null, column_types: null, values: null }
  return {
    column_names: positions.map((position) => table.columns[position]?.[0] ?? ''),
    column_types: positions.map((position) => columnTypeOf(table.columns[position]?.[1] ?? text)),
    values: chosen.map((row) => positions.map((position) => row[position])),
  }
}

function requirePosition({ columns }: InfoTable, text: string): number {
  const name = text.trim()
  const position = columns.findIndex(([column]) => column === name.toLowerCase())
  if (position >= 0) return position
  throw new DevnodeError('engine_failed', `column "${name}" does not exist`)
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

function describeAction(action: Action): readonly unknown[] {
  const columns = Object.entries(action.returns?.columns ?? {})
  const listNames = (types: readonly SqlType[]) => types.map((type) => typeText(wireType(type)))
  return [
    mainNamespace,
    action.name,
    formatDeclaration(action),
    action.modifiers,
    action.parameters.map(({ name }) => `$${name}`),
    listNames(action.parameters.map(({ type }) => type)),
    columns.map(([name]) => name),
    listNames(columns.map(([, type]) => type)),
    action.returns?.isTable === true,
    false,
  ]
}

function formatLiteral(value: unknown): string {
  if (value === null) return 'NULL'
  return typeof value === 'string' ? `'${value}'` : String(value).toUpperCase()
}

function unsupported(): DevnodeError {
  return new DevnodeError(
    'engine_failed',
    'query is not supported by the development node: expected SELECT ... FROM info.actions or info.namespaces, perhaps WHERE one column = one value',
  )
}
