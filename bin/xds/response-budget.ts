/** The bound on responses of a control plane in time. */

/** Responses that are taken in a span; further ones wait in the stream, which the control plane then cannot fill. */
export const mostResponses = 200
const spanMs = 10_000

/** Creates a full budget, which begins anew with each span of ten seconds. */
export function createResponseBudget() {
  let beganMs = Number.NEGATIVE_INFINITY
  let responses = 0
  return {
    /** Takes one response, and gives the milliseconds to wait before it; `nowMs` is of a monotonic clock. */
    take(nowMs: number): number {
      if (nowMs >= beganMs + spanMs) {
        beganMs = nowMs
        responses = 0
      }
      responses += 1
      if (responses <= mostResponses) return 0
      // The response is the first one of the next span.
      const waitMs = beganMs + spanMs - nowMs
      beganMs += spanMs
      responses = 1
      return waitMs
    },
  }
}

/** A budget of responses. */
export type ResponseBudget = ReturnType<typeof createResponseBudget>
