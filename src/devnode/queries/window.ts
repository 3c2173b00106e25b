/** The window of a read of a series, and its rows. */

import type { LedgerStore } from '../ports.ts'
import { endOfTime } from '../state/events.ts'
import type { Budget } from './budget.ts'

/** The ledger as one read sees it. */
export interface Reader {
  readonly store: LedgerStore
  readonly budget: Budget
}

/** The part of a series that is asked for; an open bound is undefined. */
export interface Window {
  readonly from: bigint | undefined
  readonly to: bigint | undefined
  /** Only values stored at or before this block height count; undefined counts them all. */
  readonly frozenAt: bigint | undefined
}

/** One value of a series. */
export interface SeriesRow {
  readonly time: bigint
  /** Scaled by 10^18. */
  readonly value: bigint
}

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
export function heightLimit(window: Pick<Window, 'frozenAt'>): number {
  return window.frozenAt === undefined ? Number.POSITIVE_INFINITY : Number(window.frozenAt)
}
