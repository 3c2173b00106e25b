/** Checks that many actions make of their arguments, and lists read side by side. */

import { actionError, DevnodeError } from '../errors.ts'

/** Tells whether text is `0x` and 40 hex digits of any case. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}

/** The elements of an array argument; a null array has none. */
export function elementsOf<T>(array: readonly T[] | null): readonly T[] {
  return array ?? []
}

/**
 * Pairs providers with stream ids.
 *
 * @throws DevnodeError action_failed when the lists have different lengths.
 */
export function pairLocators(
  dataProviders: readonly (string | null)[] | null,
  streamIds: readonly (string | null)[] | null,
): readonly { readonly dataProvider: string; readonly streamId: string }[] {
  const ids = elementsOf(streamIds)
  const providers = elementsOf(dataProviders)
  if (providers.length !== ids.length) {
    throw actionError('Data providers and stream IDs arrays must have the same length')
  }
  return ids.map((streamId, index) => ({ dataProvider: providers[index] ?? '', streamId: streamId ?? '' }))
}

/**
 * A slice of a list by the LIMIT and OFFSET of SQL.
 *
 * @throws DevnodeError engine_failed when one of them is negative: the database refuses the query.
 */
export function slicePage<T>(rows: readonly T[], limit: bigint, offset: bigint): readonly T[] {
  // The database looks at the offset first.
  if (offset < 0n)
    throw new DevnodeError('engine_failed', 'ERROR: OFFSET must not be negative (SQLSTATE 2201X)')
  if (limit < 0n)
    throw new DevnodeError('engine_failed', 'ERROR: LIMIT must not be negative (SQLSTATE 2201W)')
  const start = Number(offset)
  return rows.slice(start, start + Number(limit))
}

/**
 * Checks a range of heights.
 *
 * @throws DevnodeError action_failed when it runs backwards.
 */
export function heightRange(from: bigint, to: bigint): readonly [from: bigint, to: bigint] {
  if (from <= to) return [from, to]
  throw actionError(`Invalid height range: from_height (${from}) > to_height (${to})`)
}

/** The order of text by its UTF-16 code units, which of ASCII is the network's order too. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** The number, or 0 when it is negative. */
export function atLeastZero(value: bigint): bigint {
  return value < 0n ? 0n : value
}
