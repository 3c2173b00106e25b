/** A read of a series: the ledger with a bound on the work, the window that is asked for, and its rows. */

import { DevnodeError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { endOfTime, everyHeight, type StreamEvent } from '../state/events.ts'

/** The ledger as one read sees it. */
export interface Reader {
  readonly store: LedgerStore
  readonly budget: Budget
}

/** Counts the rows that a read or a transaction has touched, so that no taxonomy and no range can hold the node up. */
export interface Budget {
  /** Pays for rows; read_timeout when the budget is spent. */
  spend(rows: number): void
  /** The rows that were paid for. */
  spent(): number
}

/** A fresh budget. The network counts 45 seconds instead of rows. */
export function createBudget(rows: number): Budget {
  let left = rows
  return {
    spend(spent) {
      left -= spent
      if (left >= 0) return
      const state = `the call touches more than ${rows} rows (STREAMNET_MAX_READ_ROWS)`
      throw new DevnodeError('read_timeout', `db timeout: ${state}`)
    },
    spent: () => rows - left,
  }
}

/** Yields rows, and pays for each before it does. A loop over the points of a series does without the generator. */
export function* chargeRows<T>({ spend }: Budget, rows: Iterable<T>): Generator<T> {
  for (const row of rows) {
    spend(1)
    yield row
  }
}

/** A time in seconds, or a height; undefined for an open bound. */
export type Bound = bigint | undefined

/** A span of time, both bounds included. */
export interface Span {
  readonly from?: Bound
  readonly to?: Bound
}

/** The part of a series that is asked for. */
export interface Window extends Span {
  /** Only values stored at or before this block height count; undefined counts them all. */
  readonly frozenAt?: Bound
}

/** One value of a series. */
export type SeriesRow = StreamEvent

/** The most rows that one read returns. */
export const maxRows = 10_000

/** The lower bound of a window, 0 when open. */
export function lowerBound(window: Window): bigint {
  return window.from ?? 0n
}

/** The upper bound of a window, the end of time when open. */
export function upperBound(window: Window): bigint {
  return window.to ?? endOfTime
}

/** The height up to which values count. */
export function heightLimit(window: Window): number {
  return window.frozenAt === undefined ? everyHeight : Number(window.frozenAt)
}
