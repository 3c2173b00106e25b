/** Lag of the runtime: the longest recent wait of a request for its answer, those that still wait included. */

/** A request that was sent; the moment is in milliseconds of `performance.now()`. */
export interface Sent {
  readonly sentAt: number
}

/** Least time for which an answer counts, in milliseconds: longer than the runtime keeps an idle connection. */
const periodMs = 6000

/** The lag of one runtime, from the requests that are sent to it in the order of time; none at the start. */
export function createLag() {
  /** Requests without an answer, the oldest first. */
  const waiting = new Set<Sent>()
  let [begun, current, previous] = [0, 0, 0]

  const turn = (now: number) => {
    if (now - begun < periodMs) return
    previous = now - begun < 2 * periodMs ? current : 0
    begun = now
    current = 0
  }
  return {
    sent: (request: Sent) => void waiting.add(request),
    /** Notes that its answer has begun. */
    answered(request: Sent, now: number): void {
      if (!waiting.delete(request)) return
      turn(now)
      current = Math.max(current, now - request.sentAt)
    },
    /** Forgets a request that gets no answer. */
    forget: (request: Sent) => void waiting.delete(request),
    /** The lag at a moment, in milliseconds. */
    at(now: number): number {
      turn(now)
      const [oldest] = waiting
      return Math.max(current, previous, oldest === undefined ? 0 : now - oldest.sentAt)
    },
  }
}
