/** Everything that a decision reads besides the request. */

import type { OverLimitCache } from '../over-limit-cache.ts'
import type { CounterStore, StatSink, UsageSink } from '../ports.ts'
import type { RuleBook } from '../rule-book.ts'
import type { Settings } from '../settings.ts'

/** Inputs of a decision besides the request. */
export interface DecisionContext {
  /** The rules of one revision, the same for the whole request; null when none was ever loaded. */
  readonly rules: RuleBook | null
  readonly settings: Settings
  readonly counters: CounterStore
  /** Null when switched off (`LOCAL_CACHE_SIZE_IN_BYTES=0`). */
  readonly overLimitCache: OverLimitCache | null
  readonly stats: StatSink
  /** Called with every decision; undefined where decisions are not recorded. */
  readonly usage?: UsageSink | undefined
  /** Draws the id of a request whose counters must all take its hits: text that no other request has. */
  readonly drawId: () => string
  /** Unix time in milliseconds, read when the request arrived. */
  readonly nowMs: number
}
