/** An Envoy as a model: one bucket of the quota filter, as a stock Envoy enforces what it is sent. */

import type { Sent } from '#ratelimit/quota/division.ts'
import type { Usage } from '#ratelimit/quota/report.ts'
import { fillSeconds } from '#ratelimit/quota/token-bucket.ts'

/** A modelled Envoy whose fallbacks refuse. All times are milliseconds of one true clock. */
export interface QuotaEnvoy {
  /** Applies what was sent to it. */
  receive(sent: Sent, nowMs: number): void
  /** Asks for so many hits. @returns those that pass. */
  ask(hits: number, nowMs: number): number
  /** Takes the report of now; counts begin anew. */
  usage(nowMs: number): Usage
}

/** Makes an Envoy without an assignment. */
export function createQuotaEnvoy(): QuotaEnvoy {
  let bucket: Sent['bucket'] = null
  let tokens = 0
  let filledMs = 0
  let endsMs = 0
  let [allowed, denied] = [0, 0]
  let reportedMs: number | null = null

  function fill(nowMs: number): void {
    if (bucket === null) return
    const filled = tokens + ((nowMs - filledMs) / 1000) * (bucket.tokensPerFill / fillSeconds)
    tokens = Math.min(bucket.maxTokens, filled)
    filledMs = nowMs
  }

  return {
    receive({ bucket: next, seconds }, nowMs) {
      const isSame =
        bucket !== null &&
        nowMs < endsMs &&
        next?.maxTokens === bucket.maxTokens &&
        next.tokensPerFill === bucket.tokensPerFill
      endsMs = nowMs + seconds * 1000
      if (isSame) return
      bucket = next
      tokens = next?.maxTokens ?? 0
      filledMs = nowMs
    },
    ask(hits, nowMs) {
      fill(nowMs)
      const passed = bucket === null || nowMs >= endsMs ? 0 : Math.min(hits, Math.floor(tokens))
      tokens -= passed
      allowed += passed
      denied += hits - passed
      return passed
    },
    usage(nowMs) {
      const usage = { allowed, denied, elapsed: Math.floor((nowMs - (reportedMs ?? nowMs)) / 1000) }
      reportedMs = nowMs
      allowed = 0
      denied = 0
      return usage
    },
  }
}
