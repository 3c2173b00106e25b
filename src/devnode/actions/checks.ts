/** Checks that several actions make of their arguments, and readers of arguments that belong together. */

import { compareNullable } from '../compare.ts'
import { actionError, engineError, sqlError } from '../errors.ts'
import type { Span } from '../queries/reader.ts'
import { isMember, networkWriter } from '../state/roles.ts'
import type { ActionContext } from './action.ts'

/** Tells whether text is `0x` and 40 hex digits of any case. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}

/** Refuses what is not an address in the network's words, which show the text as it was given: action_failed. */
export function assertAddress(subject: string, text: string, shown: string | null = text): void {
  if (!isAddress(text)) throw actionError(`Invalid ${subject}. Must be a valid Ethereum address: ${shown}`)
}

/** Reads a wallet of 40 hex digits with or without `0x`; empty for null, which no row has. */
export function parseWallet(name: string, text: string | null): string {
  if (text === null) return ''
  const digits = text.toLowerCase().replace(/^0x/, '')
  if ([...digits].length !== 40) {
    throw actionError(`${name} must be a 20-byte hex address (40 hex chars, optional 0x prefix)`)
  }
  assertHexDigits(digits)
  return `0x${digits}`
}

/** Refuses text that the network's database cannot decode as hex: action_failed with its first wrong character. */
export function assertHexDigits(text: string): void {
  const wrong = /[^0-9a-f]/u.exec(text)
  if (wrong !== null) throw sqlError(`invalid hexadecimal digit: "${wrong[0]}"`, '22023')
}

/** Reads the hash of a transaction, with `0x` or without; null for null, which no transaction has for its hash. */
export function readTxId(txId: string | null): string | null {
  if (txId?.trim() === '') throw actionError('tx_id is required')
  return txId?.toLowerCase().replace(/^0x/, '') ?? null
}

/** The network's text for a stream that does not exist, where today's network has another one. */
export function missingStreamText({ profile }: ActionContext): string {
  return profile.answers === 'current' ? 'Stream not found' : 'Stream does not exist'
}

/** Refuses a caller outside `system:network_writer`; action_failed with the text of the action. */
export function assertNetworkWriter({ store, caller }: ActionContext, refusal: string): void {
  if (!isMember(store, networkWriter, caller.toLowerCase())) throw actionError(refusal)
}

/** A provider and a stream id that were given side by side; either may be null. */
export interface Locator {
  readonly dataProvider: string | null
  readonly streamId: string | null
}

/** Pairs providers with stream ids, action_failed for other lengths; a null list counts as nulls for the other. */
export function pairLocators(
  dataProviders: readonly (string | null)[] | null,
  streamIds: readonly (string | null)[] | null,
): readonly Locator[] {
  if (dataProviders !== null && streamIds !== null && dataProviders.length !== streamIds.length) {
    throw actionError('Data providers and stream IDs arrays must have the same length')
  }
  return (dataProviders ?? streamIds ?? []).map((_, index) => ({
    dataProvider: dataProviders?.[index] ?? null,
    streamId: streamIds?.[index] ?? null,
  }))
}

/** The order of rows that the network's engine gives by itself: by both names, null last. */
export function compareLocators(left: Locator, right: Locator): number {
  return compareNullable(left.dataProvider, right.dataProvider) || compareNullable(left.streamId, right.streamId)
}

/** A slice by the LIMIT and OFFSET of SQL; engine_failed for a negative one, which the database refuses. */
export function slicePage<T>(rows: readonly T[], limit: bigint, offset: bigint): readonly T[] {
  // The database looks at the offset first.
  if (offset < 0n) throw engineError('ERROR: OFFSET must not be negative (SQLSTATE 2201X)')
  if (limit < 0n) throw engineError('ERROR: LIMIT must not be negative (SQLSTATE 2201W)')
  const start = Number(offset)
  return rows.slice(start, start + Number(limit))
}

/** The part of a list that is taken: all rows without a test, from the first and to the last without bounds. */
interface Page<T> {
  readonly isMeant?: (row: T) => boolean
  readonly offset?: bigint
  readonly limit?: bigint | undefined
}

/** Takes a page of rows, and reads no further than its last one. */
export function takePage<T>(rows: Iterable<T>, { isMeant = () => true, offset = 0n, limit }: Page<T>): readonly T[] {
  const page: T[] = []
  let left = offset
  for (const row of rows) {
    if (!isMeant(row) || left-- > 0n) continue
    page.push(row)
    if (limit !== undefined && BigInt(page.length) >= limit) break
  }
  return page
}

/** The LIMIT and OFFSET of a list that takes null or less than a row for `usual`, and null or less than 0 for the start. */
export function usualPage(
  { limit, offset }: Readonly<Record<'limit' | 'offset', bigint | null>>,
  usual: bigint,
): readonly [limit: bigint, offset: bigint] {
  return [limit === null || limit <= 0n ? usual : limit, offset === null || offset < 0n ? 0n : offset]
}

/** Checks a range of heights; action_failed when it runs backwards. */
export function heightRange(from: bigint, to: bigint): readonly [from: bigint, to: bigint] {
  if (from <= to) return [from, to]
  throw actionError(`Invalid height range: from_height (${from}) > to_height (${to})`)
}

/** The number, or 0 when it is negative. */
export function atLeastZero(value: bigint): bigint {
  return value < 0n ? 0n : value
}

/** A span of time between two arguments; null leaves a bound open. */
export function toSpan(from: bigint | null, to: bigint | null): Span {
  return { from: from ?? undefined, to: to ?? undefined }
}
