/** Parameters that many operations share: whose stream, which page, which range. */

import { decodeHex } from '../../base/hex.ts'
import { invalidArgument, StreamNetError } from '../errors.ts'
import { hexDigits, parseAddress } from '../ids.ts'
import type { Client } from '../ports.ts'
import { requireSigner } from '../transaction/build.ts'
import type { Address } from '../types.ts'

/** A part of a list. */
export interface Page {
  readonly limit?: number | undefined
  /** Rows to skip. */
  readonly offset?: number | undefined
}

/** The address of the writer, who owns the stream; invalid_argument when the client has no signer. */
export function ownProvider(client: Client): Address {
  return requireSigner(client).address
}

/** Chooses the provider of a stream that is read: the given address, else the client's, else invalid_argument. */
export function requireProvider(client: Client, dataProvider: string | undefined): Address {
  if (dataProvider) return parseAddress(dataProvider, 'data_provider')
  if (client.signer) return client.signer.address
  throw invalidArgument('data_provider is required when the client has no private key or signer')
}

/** Checks an integer; invalid_argument, with the sentence `rule`, when it is not one within the bounds. */
export function assertInteger(value: number, min: number, max: number, rule: string): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) throw invalidArgument(`${rule}, got ${value}`)
}

/** Checks an integer from `min` on; invalid_argument, with the sentence `rule`, when it is not one. */
export function assertAtLeast(value: number, min: number, rule: string): void {
  assertInteger(value, min, Number.MAX_SAFE_INTEGER, rule)
}

/** Checks a number that counts from 1, such as an id of the network; else invalid_argument. */
export function checkId(id: number, name = 'query_id'): number {
  assertAtLeast(id, 1, `${name} must be a positive integer`)
  return id
}

/** Checks a page of at most `max` rows, `usual` ones without a limit; gives limit and offset, or invalid_argument. */
export function checkPage({ limit, offset = 0 }: Page, usual: number, max: number): readonly [number, number] {
  const count = limit ?? usual
  assertInteger(count, 1, max, `limit must be between 1 and ${max}`)
  assertAtLeast(offset, 0, 'offset cannot be negative')
  return [count, offset]
}

/** Most rows of a page of streams or attestations, and its rows without a limit. */
export const mostListed = 5_000

/** The 32 bytes of a rule's id of 64 hex digits; else invalid_argument. */
export function parseRuleId(text: string): Uint8Array {
  const digits = hexDigits(text, 64)
  if (digits === undefined) throw invalidArgument('rule_id must be 32 bytes, expected 64 hex digits')
  return decodeHex(digits)
}

/** Heights and a page. */
export interface HeightRange extends Page {
  /** From this block height on. */
  readonly fromHeight?: number | undefined
  /** Up to this block height. */
  readonly toHeight?: number | undefined
}

/** Checks a range of block heights, null for an open bound; invalid_argument for a negative or backward one. */
export function checkHeights({ fromHeight, toHeight }: HeightRange): readonly [number | null, number | null] {
  assertAtLeast(fromHeight ?? 0, 0, 'from_height cannot be negative')
  assertAtLeast(toHeight ?? 0, 0, 'to_height cannot be negative')
  if (fromHeight !== undefined && toHeight !== undefined && fromHeight > toHeight) {
    throw invalidArgument(`Invalid height range: from_height (${fromHeight}) > to_height (${toHeight})`)
  }
  return [fromHeight ?? null, toHeight ?? null]
}

/** Refuses an empty list, and what is not a list: invalid_argument. */
export function assertFilled(list: readonly unknown[], name: string): void {
  if (!Array.isArray(list) || !list.length) throw invalidArgument(`${name} must not be empty, expected a list`)
}

/** The first row of an answer, or not_found. */
export function requireFirst<T>(rows: readonly T[], reason: string): T {
  const [row] = rows
  if (row === undefined) throw new StreamNetError('not_found', reason, { reason })
  return row
}
