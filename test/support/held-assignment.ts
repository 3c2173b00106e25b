/** An assignment of an Envoy and a holding that has it, for tests of what its reports and its time change. */

import { type Assignment, type Holding, newHolding, replaceAssignment } from '#ratelimit/quota/holding.ts'

export const lagMs = 1_000
/** The beginning of the window, Unix time in seconds. */
export const window = 1_200

/** Ten hits at once and one a second: 40 hits in its 30 seconds. */
export const assignment: Assignment = {
  bucket: { maxTokens: 10, tokensPerFill: 1_000 },
  startedMs: 0,
  endsMs: 30_000,
  windowStart: window,
  left: 40,
  owed: 0,
}

/** A holding with the assignment in force since 0, whose last report came at this time. */
export const heldSince = (lastReportMs: number): Holding => ({
  ...replaceAssignment(newHolding(0), assignment, lagMs),
  lastReportMs,
})
