/** Demand of a holder on a counter, and the number of hits to hold for it. */

/** Hits of the latest second, of the latest ten seconds and of the latest minute, all fading, as of a moment. */
export interface Demand {
  recent: number
  past: number
  minute: number
  /** Unix time in milliseconds of the latest hit. */
  seenMs: number
}

const [recentMs, pastMs, minuteMs] = [1_000, 10_000, 60_000]

/** Below so many hits in the latest second a second's worth is not held: most of it would be returned. */
const leastRecent = 3
/** Below so many in the latest ten seconds nothing is held for as long. */
const leastPast = 2
/** Greatest part of the limit to hold for ten seconds. */
const longPart = 0.01
/** Greatest part of the limit to hold for a minute: a hundred holders have a tenth of it. */
const smallPart = 0.001
/** A counter that was hit again while its first hit has not faded below a fifth: within a minute and a half. */
const hitAgain = 1.2
/** Least hits to hold of such a counter, within that part: in a skew most calls are those of rare keys. */
const leastSmall = 8
/** The longest silence before hits are returned, in milliseconds. */
export const longestSilenceMs = 15_000
/** The same for so few hits that holding them is harmless. */
const longestSmallSilenceMs = 120_000

/** Hits that are held, and the limit that they are a part of. */
export interface Held {
  readonly left: number
  readonly limit: number
}

/** Starts without any demand. */
export function noDemand(nowMs: number): Demand {
  return { recent: 0, past: 0, minute: 0, seenMs: nowMs }
}

/** Adds hits, whether they are admitted or not. */
export function noteDemand(demand: Demand, hits: number, nowMs: number): void {
  const passed = nowMs - demand.seenMs
  if (passed > 0) {
    demand.recent *= Math.exp(-passed / recentMs)
    demand.past *= Math.exp(-passed / pastMs)
    demand.minute *= Math.exp(-passed / minuteMs)
    demand.seenMs = nowMs
  }
  demand.recent += hits
  demand.past += hits
  demand.minute += hits
}

/**
 * Finds how many hits are worth holding: those of about a second; or of ten seconds, while that is a hundredth of the
 * limit; or of a minute and eight at the least from the second hit on, while that is a thousandth. 0 where single hits
 * cost less.
 *
 * @param mayBeSmall - whether little may be held of a counter that is rarely hit.
 * @param restMs - milliseconds until the window ends; what cannot be used by then is not wanted.
 */
export function wantedHits(
  demand: Demand,
  limit: number,
  { restMs, mayBeSmall }: { readonly restMs: number; readonly mayBeSmall: boolean },
  nowMs: number,
): number {
  const passed = Math.max(0, nowMs - demand.seenMs)
  const recent = demand.recent * Math.exp(-passed / recentMs)
  const past = demand.past * Math.exp(-passed / pastMs)
  const minute = demand.minute * Math.exp(-passed / minuteMs)
  const short = recent >= leastRecent ? recent * Math.min(1, restMs / recentMs) : 0
  const long = past >= leastPast ? Math.min(past * Math.min(1, restMs / pastMs), limit * longPart) : 0
  const most = mayBeSmall ? Math.floor(limit * smallPart) : 0
  const wish = minute < hitAgain ? 0 : Math.max(leastSmall, minute)
  const small = Math.min(wish * Math.min(1, restMs / minuteMs), most)
  const wanted = Math.ceil(Math.max(short, long, small))
  // A lease of one hit saves no call.
  return wanted < 2 ? 0 : wanted
}

/** Milliseconds in which so many hits will be used at the present rate. */
export function millisecondsFor(hits: number, { recent, past, minute }: Demand): number {
  const perMs = Math.max(recent / recentMs, past / pastMs, minute / minuteMs)
  return perMs > 0 ? hits / perMs : Number.POSITIVE_INFINITY
}

/**
 * Tells whether a holder has fallen silent: four times as long without a hit as hits are apart, 2 to 15 seconds; up to
 * two minutes while what it holds is a thousandth of the limit or less.
 */
export function isSilent(demand: Demand, { left, limit }: Held, nowMs: number): boolean {
  const isSmall = left <= limit * smallPart
  const apartMs = isSmall ? minuteMs / Math.max(1, demand.minute) : pastMs / Math.max(1, demand.past)
  const most = isSmall ? longestSmallSilenceMs : longestSilenceMs
  return nowMs - demand.seenMs >= Math.min(most, Math.max(2_000, 4 * apartMs))
}
