/** The members of an entry of the catalogue, and the words its parameters are typed with. */

import { type SnakeCase, toCamelCase } from '../../base/naming.ts'
import type * as operations from '../operations.ts'

/** Name of an operation as the client has it, in camel case. */
export type OperationName = keyof typeof operations

/**
 * The type of a parameter or result, as data.
 *
 * - `string`, `boolean`, `number`: as in JSON
 * - `stream_id`: `st` and 30 lower-case letters or digits
 * - `address`: 40 hex digits, `0x` in front or not
 * - `tx_hash`: 64 hex digits, `0x` in front or not
 * - `integer`: a whole number; as text where it may pass 2^53
 * - `decimal`: decimal text, or a number
 * - `wei`: a positive whole number as text
 * - `bytes`: bytes in the client, hex or base64 outside
 * - `argument`: any argument of an action, null for one left out
 * - `void`: nothing
 */
export type BasicType =
  | 'string'
  | 'boolean'
  | 'number'
  | 'stream_id'
  | 'address'
  | 'tx_hash'
  | 'integer'
  | 'decimal'
  | 'wei'
  | 'bytes'
  | 'argument'
  | 'void'

/** A type made of others. `nullable` allows null, `map` has stream ids as keys. */
export type ParameterType =
  | BasicType
  | { readonly oneOf: readonly string[] }
  | { readonly list: ParameterType }
  | { readonly map: ParameterType }
  | { readonly anyOf: readonly ParameterType[] }
  | { readonly nullable: ParameterType }
  | { readonly record: readonly Parameter[] }

/** A named parameter, or a named member of a record. */
export interface Parameter {
  /** Snake case, as the description has it. */
  readonly name: string
  readonly type: ParameterType
  /** False when it may be left out. */
  readonly required: boolean
  /** The value that counts when it is left out, where there is one. */
  readonly default?: string | number | boolean
  /** Bounds of an integer, both inclusive. */
  readonly min?: number
  readonly max?: number
  /** One sentence for people. */
  readonly about: string
}

/**
 * Further things that an operation touches, beside the streams, owners and wallets that its parameters name.
 *
 * - `transaction`: a transaction, which has no owner
 * - `constituents`: the values of every stream below a composed one, from which its answer is computed
 * - `children`: the streams that it composes, whose values the composed stream gives to others
 */
export type Access = 'transaction' | 'constituents' | 'children'

/** One operation. */
export interface CatalogueEntry {
  /** The exact name, snake case. */
  readonly name: string
  /** The client's name for it. */
  readonly operation: OperationName
  /** `view` reads, `execute` sends a transaction, `local` sends nothing. */
  readonly kind: 'view' | 'execute' | 'local'
  /** The action of the network it ends in; `<bridge>` is replaced by the bridge's prefix. */
  readonly action?: string
  readonly parameters: readonly Parameter[]
  readonly result: ParameterType
  /** One sentence for people. */
  readonly about: string
  readonly access?: Access
}

type Rules = Partial<Pick<Parameter, 'default' | 'min' | 'max'>>

/** A parameter that must be given. */
export function required(name: string, type: ParameterType, about: string, rules: Rules = {}): Parameter {
  return { name, type, required: true, about, ...rules }
}

/** A parameter that may be left out. */
export function optional(name: string, type: ParameterType, about: string, rules: Rules = {}): Parameter {
  return { name, type, required: false, about, ...rules }
}

/** A record whose members are always there. */
export function record(members: Readonly<Record<string, ParameterType>>): ParameterType {
  return { record: Object.entries(members).map(([name, type]) => required(name, type, '')) }
}

/** A list of a type. */
export function list(type: ParameterType): ParameterType {
  return { list: type }
}

/** A list of records whose members are always there. */
export function table(members: Readonly<Record<string, ParameterType>>): ParameterType {
  return list(record(members))
}

/** A type or null. */
export function nullable(type: ParameterType): ParameterType {
  return { nullable: type }
}

/** One of a few texts. */
export function oneOf(...texts: readonly string[]): ParameterType {
  return { oneOf: texts }
}

/** Parameters of every operation that sends a transaction, beside its own. */
export const sending: readonly Parameter[] = [
  optional('wait', 'boolean', 'Return when the transaction has succeeded in a block, not when it is in the pool.', {
    default: true,
  }),
  optional('timeout_ms', 'integer', 'How long to wait, in milliseconds.', { default: 120_000, min: 1 }),
  optional('description', 'string', 'Public text of at most 200 bytes.', { default: '' }),
]

function operationOf(name: SnakeCase<OperationName>): OperationName {
  // The type of `name` is made of these.
  return toCamelCase(name) as OperationName
}

/** The action, where its name is not that of the operation, and the further access of the operation. */
type Further = Pick<CatalogueEntry, 'action' | 'access'>

/** Makes the entry of an operation that sends a transaction. */
export function execute(
  name: SnakeCase<OperationName>,
  own: readonly Parameter[],
  about: string,
  further?: Further,
): CatalogueEntry {
  const operation = operationOf(name)
  const parameters = [...own, ...sending]
  return { name, operation, kind: 'execute', action: name, parameters, result: 'tx_hash', about, ...further }
}

/** Makes the entry of an operation that reads. */
export function view(
  name: SnakeCase<OperationName>,
  parameters: readonly Parameter[],
  result: ParameterType,
  about: string,
  further?: Further,
): CatalogueEntry {
  return { name, operation: operationOf(name), kind: 'view', action: name, parameters, result, about, ...further }
}

/** Makes the entry of an operation that sends nothing. */
export function local(
  name: SnakeCase<OperationName>,
  parameters: readonly Parameter[],
  result: ParameterType,
  about: string,
): CatalogueEntry {
  return { name, operation: operationOf(name), kind: 'local', parameters, result, about }
}

/** Parameters that many operations share. */
export const shared = {
  streamId: required('stream_id', 'stream_id', 'The stream.'),
  dataProvider: optional('data_provider', 'address', "The stream's owner; the caller when left out."),
  frozenAt: optional('frozen_at', 'integer', 'Only what was known at this block height.', { min: 0 }),
  queryId: required('query_id', 'integer', "The market's id.", { min: 1 }),
  outcome: required('outcome', 'boolean', 'True for YES, false for NO.'),
  wallet: required('wallet', 'address', 'The wallet.'),
  bridge: required('bridge_identifier', 'string', 'The bridge, such as eth_main.'),
} as const

/** The two parameters of a page. */
export function page(limit: number, max: number): readonly Parameter[] {
  return [
    optional('limit', 'integer', 'Rows at most.', { default: limit, min: 1, max }),
    optional('offset', 'integer', 'Rows to skip.', { default: 0, min: 0 }),
  ]
}
