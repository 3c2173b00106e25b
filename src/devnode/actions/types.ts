/** Types of the network's language, their values, and the types of the wire for them. */

import { dataType } from '../../streamnet/codec/value.ts'
import type { DataType } from '../../streamnet/types.ts'

/** The types of the network's language, as its own declarations write them. */
export type SqlType = ScalarType | `${ScalarType}[]`
type ScalarType = 'TEXT' | 'INT' | 'INT8' | 'BIGINT' | 'BOOL' | 'BOOLEAN' | 'BYTEA' | 'UUID' | NumericType
type NumericType = 'NUMERIC(36,18)' | 'NUMERIC(78,0)' | 'NUMERIC(10,2)'

/** A value that is not null: integers and numerics are bigints, numerics scaled by their type. */
export type ScalarValue = string | bigint | boolean | Uint8Array
/** A value that an action takes or gives back. */
export type Value = ScalarValue | null | readonly (ScalarValue | null)[]

interface ScalarOf {
  TEXT: string
  UUID: string
  INT: bigint
  INT8: bigint
  BIGINT: bigint
  BOOL: boolean
  BOOLEAN: boolean
  BYTEA: Uint8Array
  'NUMERIC(36,18)': bigint
  'NUMERIC(78,0)': bigint
  'NUMERIC(10,2)': bigint
}

/** The value of a type, null included. */
export type ValueOf<T extends SqlType> =
  | null
  | (T extends keyof ScalarOf
      ? ScalarOf[T]
      : T extends `${infer S extends ScalarType}[]`
        ? readonly (ScalarOf[S] | null)[]
        : never)

/** The type of the wire for a type of the language. */
export function wireType(type: SqlType): DataType {
  const isArray = type.endsWith('[]')
  const [name = '', precision = '0', scale = '0'] = type.replace('[]', '').split(/[(,)]/)
  return dataType(wireNames[name] ?? 'text', isArray, Number(precision), Number(scale))
}

/** A type of the wire as the network's texts write it. */
export function typeText(type: DataType): string {
  const suffix = type.name === 'numeric' ? `(${type.precision},${type.scale})` : ''
  return `${type.name}${suffix}${type.isArray ? '[]' : ''}`
}

const wireNames: Readonly<Record<string, DataType['name']>> = {
  TEXT: 'text',
  INT: 'int8',
  INT8: 'int8',
  BIGINT: 'int8',
  BOOL: 'bool',
  BOOLEAN: 'bool',
  BYTEA: 'bytea',
  UUID: 'uuid',
  NUMERIC: 'numeric',
}

/** Tells whether two types are the same, of numerics also their digits. */
export function isSameType(left: DataType, right: DataType): boolean {
  if (left.name !== right.name || left.isArray !== right.isArray) return false
  return left.name !== 'numeric' || (left.precision === right.precision && left.scale === right.scale)
}
