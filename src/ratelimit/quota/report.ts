/** Reports of one Envoy for one bucket: they explain hits of its assignments, and tell its demand. */

import type { Assignment, Holding, Span } from './holding.ts'
import { passable } from './token-bucket.ts'

/** Use of one bucket by a report. */
export interface Usage {
  /** Hits that passed since the last report. */
  readonly allowed: number
  /** Hits that were refused since the last report. */
  readonly denied: number
  /** Seconds since the last report that the Envoy sent, arrived or not; it leaves out a part of a second. */
  readonly elapsed: number
}

/** The moment of a report. */
export interface ReportTime {
  /** Unix time in milliseconds. */
  readonly nowMs: number
  /** Longest time that a message takes between the object and an Envoy. */
  readonly lagMs: number
  /** Start of the present window, Unix time in seconds. */
  readonly windowStart: number
}

/** Result of a report. */
export interface Reported {
  readonly holding: Holding
  /** Reported hits that were charged to this window when they were assigned. */
  readonly spent: number
  /** Reported hits that no assignment covers: they are to be counted. */
  readonly excess: number
}

/** The part of a new report in the demand where the difference may be chance; beyond that the report is the demand. */
const newest = 0.85
/** Milliseconds that a report speaks of at least: one that comes at once says nothing about a rate. */
const leastSpanMs = 500

/**
 * Applies a report.
 *
 * Its hits explain first what time has taken off the assignments, then they are taken off what is left of them. Where
 * hits may have passed without any assignment (before the first one, after the last one ended), only time takes off.
 * So what is left never falls below what may still pass.
 *
 * The first report after the stream ended may not follow the last one that arrived: others were lost, or it was late
 * itself. The most that may have passed in the time that it does not speak of counts as used.
 */
export function report(holding: Holding, usage: Usage, { nowMs, lagMs, windowStart }: ReportTime): Reported {
  const { lastReportMs, covered } = holding
  const parts = holding.assignments.map((assignment) => toPart(assignment, nowMs - lagMs))
  let unexplained = explainByTime(parts, usage.allowed)
  if (holding.isDetached) {
    loseGap(parts, { fromMs: lastReportMs - lagMs, untilMs: nowMs - usage.elapsed * 1000 })
  }
  const isCovered = covered.fromMs <= lastReportMs - lagMs && nowMs <= covered.untilMs
  if (isCovered) unexplained = explainByRest(parts, unexplained)
  const present = parts.filter(({ assignment }) => assignment.windowStart === windowStart)
  const elsewhere = sumBy(parts, ({ taken }) => taken) - sumBy(present, ({ taken }) => taken)
  owe(present.at(-1), elsewhere, nowMs)
  const spent = sumBy(present, (part) => part.taken + part.lost + (part.possible === 0 ? part.rest : 0))
  const assignments = parts.flatMap(({ assignment, rest, owed, possible }) =>
    possible > 0 && rest > 0 ? [{ ...assignment, left: rest, owed }] : [],
  )
  const spanMs = holding.isDetached ? usage.elapsed * 1000 : nowMs - lastReportMs
  const demand = nextDemand(holding.demand, usage, spanMs)
  const intervalMs = Math.max(leastSpanMs, spanMs)
  const next = { ...holding, assignments, demand, lastReportMs: nowMs, intervalMs, isDetached: false }
  return { holding: next, spent, excess: unexplained }
}

/** An assignment while a report is applied to it; all but the assignment in hits. */
interface Part {
  readonly assignment: Assignment
  /** Hits that may pass from now on; 0 once it has ended. */
  readonly possible: number
  /** Reported hits that it explains. */
  taken: number
  /** Hits that may have passed and were not reported. */
  lost: number
  owed: number
  /** Hits left of it, those owed included. */
  rest: number
}

/** Computes the hits of an assignment that may still pass: those from `sinceMs` on may not have been reported. */
function toPart(assignment: Assignment, sinceMs: number): Part {
  const { bucket, endsMs, startedMs, left, owed } = assignment
  const possible = passable(bucket, (endsMs - Math.max(startedMs, sinceMs)) / 1000)
  return { assignment, taken: 0, lost: 0, possible, owed, rest: Math.min(left, possible + owed) }
}

/** Explains hits by what time has taken off, from the newest on: it may belong to another window than the oldest. */
function explainByTime(parts: readonly Part[], hits: number): number {
  let unexplained = hits
  for (const part of parts.toReversed()) {
    part.taken = Math.min(unexplained, part.assignment.left - part.rest)
    unexplained -= part.taken
  }
  return unexplained
}

/** Charges the most that may have passed in a span without a report: what time has not taken off is owed. */
function loseGap(parts: readonly Part[], { fromMs, untilMs }: Span): void {
  for (const part of parts) {
    const { bucket, startedMs, endsMs, left } = part.assignment
    const most = passable(bucket, (Math.min(untilMs, endsMs) - Math.max(fromMs, startedMs)) / 1000)
    part.lost = Math.min(most, left - part.rest - part.taken)
    part.owed = Math.min(part.rest, part.owed + most - part.lost)
  }
}

/** Takes hits off what is left but not owed, from the oldest on, and returns those that remain. */
function explainByRest(parts: readonly Part[], hits: number): number {
  let unexplained = hits
  for (const part of parts) {
    const more = Math.min(unexplained, part.rest - Math.min(part.owed, part.rest))
    part.taken += more
    part.rest -= more
    unexplained -= more
  }
  return unexplained
}

/** Notes that hits which another window explains may have passed under the assignment in force, as far as it can. */
function owe(last: Part | undefined, elsewhere: number, nowMs: number): void {
  if (last === undefined) return
  const passed = passable(last.assignment.bucket, (nowMs - last.assignment.startedMs) / 1000)
  last.owed = Math.min(last.rest, last.owed + Math.min(elsewhere, passed))
}

function sumBy<T>(items: readonly T[], amountOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0)
}

function nextDemand(demand: number, { allowed, denied }: Usage, spanMs: number): number {
  const seconds = spanMs / 1000
  if (spanMs < leastSpanMs) return demand
  const [expected, seen] = [demand * seconds, allowed + denied]
  // Hits that come independently of each other deviate by the root of their number.
  const isStep = Math.abs(seen - expected) > Math.sqrt(expected)
  return isStep ? seen / seconds : (1 - newest) * demand + newest * (seen / seconds)
}
