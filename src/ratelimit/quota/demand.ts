/** How fast a holder uses a counter, and how many hits it should hold for that. */

/** Hits of the latest second and of the latest ten seconds, both fading, as of a moment. */
export interface Demand {
  recent: number
  past: number
  /** Unix time in milliseconds of the latest hit. */
  seenMs: number
}

const [recentMs, pastMs] = [1_000, 10_000]

/** Below so many hits in the latest second a second's worth is not held: most of it would be returned. */
const leastRecent = 3
/** Below so many in the latest ten seconds nothing is held. */
const leastPast = 2
/** What is held for ten seconds is at most this part of the limit. */
const longPart = 0.01

/** Starts without any demand. */
export function noDemand(nowMs: number): Demand {
  return { recent: 0, past: 0, seenMs: nowMs }
}

/** Adds hits, whether they are admitted or not. */
export function noteDemand(demand: Demand, hits: number, nowMs: number): void {
  const passed = nowMs - demand.seenMs
  if (passed > 0) {
    demand.recent *= Math.exp(-passed / recentMs)
    demand.past *= Math.exp(-passed / pastMs)
    demand.seenMs = nowMs
  }
  demand.recent += hits
  demand.past += hits
}

/**
 * Finds how many hits are worth holding: those of about a second, or of ten seconds while that is a small part of the
 * limit; 0 for a demand so low that single hits cost less.
 *
 * @param restMs - milliseconds until the window ends; what cannot be used by then is not wanted.
 */
export function wantedHits(demand: Demand, limit: number, restMs: number, nowMs: number): number {
  const passed = Math.max(0, nowMs - demand.seenMs)
  const recent = demand.recent * Math.exp(-passed / recentMs)
  const past = demand.past * Math.exp(-passed / pastMs)
  const short = recent >= leastRecent ? recent * Math.min(1, restMs / recentMs) : 0
  const long = past >= leastPast ? Math.min(past * Math.min(1, restMs / pastMs), limit * longPart) : 0
  const wanted = Math.ceil(Math.max(short, long))
  // A lease of one hit saves no call.
  return wanted < 2 ? 0 : wanted
}

/** Milliseconds in which so many hits will be used at the present rate. */
export function millisecondsFor(hits: number, demand: Demand): number {
  const perMs = Math.max(demand.recent / recentMs, demand.past / pastMs)
  return perMs > 0 ? hits / perMs : Number.POSITIVE_INFINITY
}

/** Tells whether a holder has fallen silent: four times as long without a hit as hits are apart, 2 to 15 seconds. */
export function isSilent(demand: Demand, nowMs: number): boolean {
  const apartMs = pastMs / Math.max(1, demand.past)
  return nowMs - demand.seenMs >= Math.min(15_000, Math.max(2_000, 4 * apartMs))
}
