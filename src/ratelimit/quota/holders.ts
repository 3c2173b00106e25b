/** The holders of one pool: their reports, their departures, and which of them have fallen silent. */

import { type Holding, newHolding, sumLeft } from './holding.ts'
import { type Reported, type ReportTime, report, type Usage } from './report.ts'

/** A holder is silent after three missed reports, but not sooner than this, in milliseconds. */
const leastSilenceMs = 15_000

/**
 * Makes holders of what an earlier pool has kept: they are detached until they report.
 *
 * @param limit - hits of a window; a report speaks of at most one more.
 * @param lagMs - longest time that a message takes between the object and an Envoy.
 */
export function createHolders(
  kept: readonly (readonly [holder: string, holding: Holding])[],
  limit: number,
  lagMs: number,
) {
  const holdings = new Map(kept.map(([holder, holding]) => [holder, { ...holding, isDetached: true }]))
  return {
    holdings,

    /** Applies a report of a holder, which is taken up where it is not known. */
    report(holder: string, { allowed, denied, elapsed }: Usage, time: ReportTime): Reported {
      const usage = { allowed: Math.min(allowed, limit + 1), denied: Math.min(denied, limit + 1), elapsed }
      const reported = report(holdings.get(holder) ?? newHolding(time.nowMs), usage, time)
      holdings.set(holder, reported.holding)
      return reported
    },

    /** Forgets a holder; returns what it had left of a window. */
    drop(holder: string, window: number): number {
      const holding = holdings.get(holder)
      holdings.delete(holder)
      return holding === undefined ? 0 : sumLeft(holding, window)
    },

    /** Detaches a holder; one without an assignment has nothing to go on with. */
    detach(holder: string): void {
      const holding = holdings.get(holder)
      if (holding === undefined) return
      if (holding.assignments.length === 0) holdings.delete(holder)
      else holdings.set(holder, { ...holding, isDetached: true })
    },

    /** Lists the holders that missed three reports; each is to leave. */
    silent: (nowMs: number): readonly string[] =>
      [...holdings].filter(([, holding]) => isSilent(holding, lagMs, nowMs)).map(([holder]) => holder),

    /** Tells whether a detached holder may have sent a report, by its hits and by the time that it speaks of. */
    fits(holder: string, { allowed, elapsed }: Usage, nowMs: number): boolean {
      const holding = holdings.get(holder)
      if (holding === undefined || !holding.isDetached) return false
      const left = holding.assignments.reduce((sum, assignment) => sum + assignment.left, 0)
      return allowed <= left && elapsed * 1000 <= nowMs - holding.lastReportMs + lagMs
    },

    /** Adds up what all holders have left of a window. */
    sumLeft: (window: number): number =>
      [...holdings.values()].reduce((sum, holding) => sum + sumLeft(holding, window), 0),
  }
}

/** Tells whether a holder missed three reports; the assignments of a detached one must have ended as well. */
function isSilent(
  { lastReportMs, intervalMs, isDetached, assignments }: Holding,
  lagMs: number,
  nowMs: number,
): boolean {
  const silentFromMs = lastReportMs + Math.max(leastSilenceMs, 3 * intervalMs + lagMs)
  const endsMs = isDetached ? (assignments.at(-1)?.endsMs ?? 0) + leastSilenceMs : 0
  return nowMs > Math.max(silentFromMs, endsMs)
}
