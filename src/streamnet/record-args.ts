/** Records to insert, as the arguments of the network's action. */

import { dataType, numeric } from './codec/value.ts'
import { invalidArgument } from './errors.ts'
import { parseStreamId } from './ids.ts'
import { assertFilled } from './operations/parameters.ts'
import type { Scalar, TypedValue, TypeName } from './types.ts'

/** A record to insert. */
export interface RecordInput {
  /** Unix time in seconds, within 2^53 - 1 of 0: no client reads a later one back. */
  readonly date: number | bigint
  /** Decimal text is exact; a number enters in its shortest form. Rounded to 18 fractional digits. */
  readonly value: string | number
}

/** Records for one of many streams. */
export interface RecordBatch {
  readonly streamId: string
  readonly inputs: readonly RecordInput[]
}

/**
 * The arguments of `insert_records`, four lists with an entry a record; invalid_argument for none or a malformed one.
 */
export function recordArgs(provider: string, batches: readonly RecordBatch[]): readonly TypedValue[] {
  const rows = batches.flatMap(({ streamId, inputs }) => {
    const id = parseStreamId(streamId)
    return inputs.map((record) => ({ id, record }))
  })
  assertFilled(rows, 'records')
  return [
    list('text', rows, () => provider),
    list('text', rows, ({ id }) => id),
    list('int8', rows, ({ record }) => BigInt(checkDate(record))),
    numeric(rows.map(({ record }) => record.value)),
  ]
}

/** A list whose type is stated: finding it from the values would add 0.3 kB to a bundle. */
function list<T>(name: TypeName, rows: readonly T[], read: (row: T) => Scalar): TypedValue {
  return { type: dataType(name, true), value: rows.map(read) }
}

/** Checks the date of a record: a whole number within 2^53 - 1 of 0, else invalid_argument. */
export function checkDate({ date }: RecordInput): number | bigint {
  if (Number.isSafeInteger(Number(date)) && (typeof date === 'number' || BigInt(Number(date)) === date)) return date
  throw invalidArgument(`date is ${date}, expected Unix time in whole seconds, at most 2^53 - 1`)
}
