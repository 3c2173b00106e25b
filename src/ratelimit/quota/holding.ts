/** Holding: the assignments of one Envoy for one bucket, and the hits left of them. */

import { passable, rateOf, type TokenBucket } from './token-bucket.ts'

/** A token bucket in force at an Envoy from a moment on. All times are Unix milliseconds of the quota object's clock. */
export interface Assignment {
  readonly bucket: TokenBucket
  readonly startedMs: number
  /** End at the Envoy, for any delivery within the allowed lag. */
  readonly endsMs: number
  /** Start of the window whose limit it is charged to, Unix time in seconds. */
  readonly windowStart: number
  /** The most hits that may still pass, counted from the last report, and those that are owed. */
  readonly left: number
  /** Hits that may have passed though no report shows them here: of two windows, or lost. Kept to the end. */
  readonly owed: number
}

/** One Envoy's part of one counter. */
export interface Holding {
  /** Assignments that may still let hits pass or be reported, the one in force at the end. */
  readonly assignments: readonly Assignment[]
  /** Hits a second that were asked for lately, allowed and denied. */
  readonly demand: number
  readonly lastReportMs: number
  /** Milliseconds between the last two reports. */
  readonly intervalMs: number
  /** From when on, and until when at least, an assignment or a refusal was in force at the Envoy without a gap. */
  readonly covered: Span
  /** True while what was sent last is a refusal of every hit. */
  readonly isRefused: boolean
  /** True from when its stream ended until its next report: nothing can be sent to the Envoy, and reports may be lost. */
  readonly isDetached: boolean
}

/** A span of time in Unix milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** Seconds for which hits are refused where there is nothing to assign; renewed at half of it. */
export const refusalSeconds = 30

/** A holding that was never assigned anything. */
export function newHolding(nowMs: number): Holding {
  const covered = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY }
  const demands = { demand: 0, lastReportMs: nowMs, intervalMs: 0 }
  return { assignments: [], ...demands, covered, isRefused: false, isDetached: false }
}

/** Puts a new assignment in force; the one before it may be in force until the new one is delivered. */
export function replaceAssignment(holding: Holding, next: Assignment, lagMs: number): Holding {
  const { assignments } = cutAssignments(holding, next.startedMs, lagMs)
  const covered = cover(holding.covered, { fromMs: next.startedMs, untilMs: next.endsMs - lagMs }, lagMs)
  return { ...holding, assignments: [...assignments, next], covered, isRefused: false }
}

/** Refuses every hit from a moment on, for so long; what is in force ends once the refusal is delivered. */
export function refuseHits(holding: Holding, refusal: Span, lagMs: number): Holding {
  const { assignments } = cutAssignments(holding, refusal.fromMs, lagMs)
  return { ...holding, assignments, covered: cover(holding.covered, refusal, lagMs), isRefused: true }
}

/** Tells whether a refusal that was sent lasts long enough to need no renewal yet. */
export function isRefusedFor({ isRefused, covered }: Holding, nowMs: number): boolean {
  return isRefused && covered.untilMs - nowMs > (refusalSeconds * 1000) / 2
}

function cover(covered: Span, next: Span, lagMs: number): Span {
  const isGap = next.fromMs + lagMs > covered.untilMs
  return { fromMs: isGap ? next.fromMs + lagMs : covered.fromMs, untilMs: next.untilMs }
}

/** Ends what is in force once its replacement is delivered. */
export function cutAssignments(holding: Holding, nowMs: number, lagMs: number): Holding {
  const since = holding.lastReportMs - lagMs
  const assignments = holding.assignments.flatMap((assignment) => {
    const endsMs = Math.min(assignment.endsMs, nowMs + lagMs)
    const seconds = (endsMs - Math.max(assignment.startedMs, since)) / 1000
    const left = Math.min(assignment.left, passable(assignment.bucket, seconds) + assignment.owed)
    return left > 0 ? [{ ...assignment, endsMs, left }] : []
  })
  return { ...holding, assignments }
}

/** Lets the assignment in force last longer: the Envoy goes on with the same bucket, which is not filled anew. */
export function extendAssignment(holding: Holding, endsMs: number, lagMs: number): Holding {
  const last = holding.assignments.at(-1)
  if (last === undefined || endsMs <= last.endsMs) return holding
  const longer = { ...last, endsMs, left: last.left + rateOf(last.bucket) * ((endsMs - last.endsMs) / 1000) }
  const assignments = [...holding.assignments.slice(0, -1), longer]
  return { ...holding, assignments, covered: { ...holding.covered, untilMs: endsMs - lagMs } }
}

/** The most hits of a window that may still pass, or have passed and were not reported. */
export function sumLeft({ assignments }: Holding, windowStart: number): number {
  let left = 0
  for (const assignment of assignments) if (assignment.windowStart === windowStart) left += assignment.left
  return left
}
