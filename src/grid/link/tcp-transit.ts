/** One direction of a TCP connection while segments are missing: those in flight, and when each is sent again. */

/** One segment from when it was sent until it was acknowledged. Numbers are modulo 2^32. */
export interface Segment<Body> {
  readonly sequence: number
  readonly length: number
  /** Integer microseconds at which it was first sent. */
  readonly sentUs: number
  /** Number of times that it was sent again. */
  readonly retries: number
  /** True when the receiver has it already and waits for what comes before it. */
  readonly hasArrived: boolean
  readonly body: Body
}

/** The state of sender and receiver of one direction; plain data. */
export interface Transit<Body> {
  /** The sequence number that the receiver expects next, which is what it acknowledges. */
  readonly received: number
  /** Segments that are not acknowledged, in the order of their numbers. */
  readonly segments: readonly Segment<Body>[]
  /** Time at which the timer of the oldest segment was set. */
  readonly timerUs: number
  /** Number of times that the timer has run out since a segment was acknowledged at its first try. */
  readonly backoff: number
  /** Time at which a timer last ran out: segments sent before count as lost. 0 before any did. */
  readonly lostUs: number
  /** Smoothed round trip and its mean deviation in microseconds; null before the first measurement. */
  readonly roundTrip: { readonly smoothedUs: number; readonly deviationUs: number } | null
  /** Acknowledgments in a row that acknowledged nothing new because a segment is missing. */
  readonly duplicates: number
}

/** The result of the arrival of a segment. */
export interface Arrival<Body> {
  readonly transit: Transit<Body>
  /** Segments that the application gets now, in order; none where one before is missing or all were there already. */
  readonly delivered: readonly Segment<Body>[]
}

/** Microseconds: the least and the most that Linux waits for an acknowledgment, and what it waits at first. */
const timeout = { leastUs: 200_000, mostUs: 120_000_000, firstUs: 204_000 } as const

/** Microseconds from an acknowledgment to the next segment that was lost before. */
const recoveryUs = 500

/** Duplicate acknowledgments after which a segment counts as lost (RFC 5681 section 3.2). */
const duplicatesOfLoss = 3

/** A direction in which everything up to `next` has arrived. */
export function newTransit<Body>(next: number): Transit<Body> {
  const none = { timerUs: 0, backoff: 0, lostUs: 0, roundTrip: null, duplicates: 0 }
  return { received: next, segments: [], ...none }
}

/** Adds a segment that was sent; the timer runs from the oldest one. */
export function sendSegment<Body>(
  transit: Transit<Body>,
  segment: Pick<Segment<Body>, 'sequence' | 'length' | 'sentUs' | 'body'>,
): Transit<Body> {
  const { segments, timerUs } = transit
  const sent = { ...segment, retries: 0, hasArrived: false }
  return { ...transit, segments: [...segments, sent], timerUs: segments.length === 0 ? segment.sentUs : timerUs }
}

/** Moves every moment of a direction on by a stretch of time in microseconds that does not count. */
export function postpone<Body>(transit: Transit<Body>, byUs: number): Transit<Body> {
  const { segments, timerUs, lostUs } = transit
  return {
    ...transit,
    segments: segments.map((segment) => ({ ...segment, sentUs: segment.sentUs + byUs })),
    timerUs: timerUs + byUs,
    lostUs: lostUs === 0 ? 0 : lostUs + byUs,
  }
}

/** Counts the octets that were sent and not acknowledged. */
export function inFlight({ segments }: Transit<unknown>): number {
  return segments.reduce((sum, { length }) => sum + length, 0)
}

/** Takes a segment in, delivers in order and acknowledges (RFC 9293 section 3.10.7.4); an attacker made `body`. */
export function reassemble<Body>(transit: Transit<Body>, sequence: number, timeUs: number, body?: Body): Arrival<Body> {
  const segments = transit.segments.map((segment) =>
    segment.sequence === sequence && !segment.hasArrived
      ? { ...segment, hasArrived: true, body: body ?? segment.body }
      : segment,
  )
  const missing = segments.findIndex(({ hasArrived }) => !hasArrived)
  const delivered = missing === -1 ? segments : segments.slice(0, missing)
  const last = delivered.at(-1)
  if (last === undefined) {
    const isAhead = segments.some((segment) => segment.sequence === sequence)
    return { transit: { ...transit, segments, duplicates: transit.duplicates + (isAhead ? 1 : 0) }, delivered }
  }
  // A repeated segment gives no round trip: either transmission may be the acknowledged one (Karn's algorithm).
  const isMeasured = last.retries === 0
  const roundTrip = isMeasured ? smooth(transit.roundTrip, timeUs - last.sentUs) : transit.roundTrip
  return {
    transit: {
      ...transit,
      received: (last.sequence + last.length) % 2 ** 32,
      segments: segments.slice(delivered.length),
      timerUs: timeUs,
      backoff: isMeasured ? 0 : transit.backoff,
      roundTrip,
      duplicates: 0,
    },
    delivered,
  }
}

/** Updates the smoothed round trip (RFC 6298 section 2). */
function smooth(before: Transit<unknown>['roundTrip'], measuredUs: number): Transit<unknown>['roundTrip'] {
  if (before === null) return { smoothedUs: measuredUs, deviationUs: measuredUs / 2 }
  const { smoothedUs, deviationUs } = before
  return {
    smoothedUs: Math.round(smoothedUs + (measuredUs - smoothedUs) / 8),
    deviationUs: Math.round(deviationUs + (Math.abs(measuredUs - smoothedUs) - deviationUs) / 4),
  }
}

/** Tests that the oldest segment was sent before one whose timer ran out: both are lost, and it need not wait. */
function isNextLost({ segments: [oldest], lostUs }: Transit<unknown>): boolean {
  return oldest !== undefined && oldest.retries === 0 && oldest.sentUs < lostUs
}

/** The time at which the oldest segment is sent again; infinite where nothing is in flight. The wait doubles each time. */
export function retransmitsUs(transit: Transit<unknown>): number {
  const { segments, timerUs, backoff, roundTrip } = transit
  if (segments.length === 0) return Number.POSITIVE_INFINITY
  if (isNextLost(transit)) return timerUs + recoveryUs
  const waitUs =
    roundTrip === null ? timeout.firstUs : roundTrip.smoothedUs + Math.max(timeout.leastUs, 4 * roundTrip.deviationUs)
  return timerUs + Math.min(timeout.mostUs, waitUs * 2 ** backoff)
}

/** Tests that duplicate acknowledgments show that the oldest segment is lost, before its timer runs out. */
export function isKnownLost({ segments, duplicates }: Transit<unknown>): boolean {
  return duplicates === duplicatesOfLoss && segments[0]?.retries === 0
}

/** Sends the oldest segment again; a timer that ran out doubles the next wait (RFC 6298 section 5.5). */
export function retransmit<Body>(
  transit: Transit<Body>,
  timeUs: number,
  reason: 'timeout' | 'duplicates',
): Transit<Body> {
  const [oldest, ...others] = transit.segments
  if (oldest === undefined) return transit
  const hasTimedOut = reason === 'timeout' && !isNextLost(transit)
  return {
    ...transit,
    segments: [{ ...oldest, retries: oldest.retries + 1 }, ...others],
    timerUs: timeUs,
    ...(hasTimedOut ? { backoff: transit.backoff + 1, lostUs: timeUs } : {}),
  }
}
