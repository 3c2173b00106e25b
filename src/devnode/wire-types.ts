/** The types of the network's language as the wire has them, and as texts of errors write them. */

import { dataType } from '../streamnet/codec/value.ts'
import type { DataType } from '../streamnet/types.ts'
import type { SqlType } from './actions/types.ts'

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
