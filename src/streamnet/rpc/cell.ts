/** Cells of a result table, written and read by the type of their column. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { decodeHex } from '../../base/hex.ts'
import type { DataType, Scalar } from '../types.ts'
import type { ColumnType } from './methods.ts'

/** Writes a type as the type of a column. */
export function columnTypeOf(type: DataType): ColumnType {
  return { name: type.name, is_array: type.isArray, metadata: [type.precision, type.scale] }
}

/** Writes a value as a cell: int8 as decimal text, bytea as base64, all others as they are. */
export function encodeCell(value: Scalar | readonly Scalar[]): unknown {
  if (Array.isArray(value)) return value.map(encodeCell)
  if (typeof value === 'bigint') return `${value}`
  return value instanceof Uint8Array ? encodeBase64(value) : value
}

/**
 * Reads a cell by the type of its column, never by its looks: base64 that begins with `0x` is base64.
 *
 * @throws TypeError when the cell is not of that type.
 */
export function decodeCell(cell: unknown, column: ColumnType): Scalar | readonly Scalar[] {
  if (!column.is_array || cell === null) return decodeScalar(cell, column.name)
  if (!Array.isArray(cell)) throw wrongCell(column.name)
  return cell.map((one) => decodeScalar(one, column.name))
}

function decodeScalar(cell: unknown, name: string): Scalar {
  if (cell === null || cell === undefined) return null
  if (name === 'bool' && typeof cell === 'boolean') return cell
  if (name === 'int8' && (typeof cell === 'string' ? /^-?\d{1,19}$/.test(cell) : Number.isSafeInteger(cell))) {
    // Tested one line above: digits, or a safe integer as older nodes write it.
    return BigInt(cell as string | number)
  }
  if (name === 'bytea' && typeof cell === 'string') return decodeBytes(cell)
  if ((name === 'text' || name === 'numeric' || name === 'uuid') && typeof cell === 'string') return cell
  throw wrongCell(name)
}

// Base64 has a length of a multiple of four, with any beginning. Old nodes wrote 0x and hex, old gateways
// 0x and base64; what has another length can only be one of those.
function decodeBytes(cell: string): Uint8Array {
  if (cell.length % 4 === 0 || !cell.startsWith('0x')) return decodeBase64(cell)
  const rest = cell.slice(2)
  return /^([0-9a-f]{2})*$/i.test(rest) ? decodeHex(rest) : decodeBase64(rest)
}

function wrongCell(name: string): TypeError {
  return new TypeError(`a cell is not of type ${name}`)
}
