/** Account of a pool: the hits of the window that it draws from, and where they are. */

import type { Draw } from '../lease/lease.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, windowStart } from '../window.ts'

/** Hits of one window. */
export interface Account {
  /** Start of the window, Unix time in seconds. */
  readonly window: number
  /** Unix time in milliseconds at which the window's assignments must have ended, by any clock. */
  readonly safeEndMs: number
  /** Hits of the window that are not in the open lease, as of the last answer. */
  readonly others: number
  /** Hits of the lease that were reported since it was opened. */
  readonly spent: number
  /** Reported hits that are to be counted. */
  readonly excess: number
  readonly lease: { readonly id: number; readonly granted: number } | null
}

/** The account of a pool that has drawn nothing yet. */
export const emptyAccount: Account = { window: 0, safeEndMs: 0, others: 0, spent: 0, excess: 0, lease: null }

/** The most that clocks may differ, in milliseconds: 1 % of the window, and five seconds at most. */
export function clockMargin(unit: Unit): number {
  return Math.min(5_000, unitSeconds[unit] * 10)
}

/** Opens the window of a moment (Unix milliseconds), if it is a later one: nothing of it is known to be used. */
export function turnWindow(account: Account, unit: Unit, nowMs: number): Account {
  const window = windowStart(unit, Math.floor(nowMs / 1000))
  if (window <= account.window) return account
  const safeEndMs = (window + unitSeconds[unit]) * 1000 - clockMargin(unit)
  return { ...emptyAccount, window, safeEndMs, excess: account.excess }
}

/** Charges hits of a report to the window. */
export function chargeReport(account: Account, reported: Pick<Account, 'spent' | 'excess'>): Account {
  return { ...account, spent: account.spent + reported.spent, excess: account.excess + reported.excess }
}

/** Finds the hits of the window that assignments may let pass. */
export function remainingHits({ others, spent, excess }: Account, limit: number): number {
  return Math.max(0, limit - others - spent - excess)
}

/** The call that drew: its id names the lease that it opened. */
interface DrawnCall {
  readonly id: number
  /** Unix time in milliseconds at which it was made. */
  readonly askedMs: number
  readonly unit: Unit
}

/** Enters the answer to a draw, which has counted the excess and closed the lease that was open. */
export function enterDraw(account: Account, draw: Draw, { id, askedMs, unit }: DrawnCall): Account {
  if (draw.windowStart < account.window) return { ...account, excess: 0, lease: null }
  return {
    window: draw.windowStart,
    safeEndMs: askedMs + draw.millisecondsUntilReset - clockMargin(unit),
    others: draw.after - draw.granted,
    spent: 0,
    excess: 0,
    lease: draw.granted > 0 ? { id, granted: draw.granted } : null,
  }
}

/** Enters the answer to a look: what others have used of the same window. */
export function enterLook(account: Account, draw: Draw): Account {
  if (draw.windowStart !== account.window) return account
  return { ...account, others: draw.after - (account.lease?.granted ?? 0) }
}

/** Notes that the answer to a draw is lost: the lease may be closed and another open, and neither is ever given back. */
export function loseDraw(account: Account): Account {
  return { ...account, others: account.others + (account.lease?.granted ?? 0), lease: null, spent: 0 }
}
