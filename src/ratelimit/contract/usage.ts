/** Answers about decisions over time, their keys, and what other rules would have decided. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { code, count, descriptor, entry, moment, momentMs, unit } from './parts.ts'

const UsageRow = z.strictObject({
  start: moment,
  domain: z.string().describe('Empty for domains that no rule has.'),
  rule: z.string().describe('Empty for whole requests.'),
  admitted: count,
  refused: count,
  shadow: z.int().describe('Admitted by a shadow mode, though a limit was exceeded.'),
})
/** The decisions of a rule in one bucket of time. */
export type UsageRow = DeepReadonly<z.infer<typeof UsageRow>>

const Fill = z.strictObject({
  domain: z.string(),
  rule: z.string(),
  key: z.string(),
  limit: count,
  unit,
  /** Hits left. */
  remaining: count,
  /** End of its window. */
  endsAt: moment,
})
/** The fullest counter of a rule. */
export type Fill = DeepReadonly<z.infer<typeof Fill>>

/** Decisions over time, by domain and rule, and how full the rules are. */
export const Usage = z.strictObject({
  from: moment,
  to: moment,
  step: z.int().describe('Seconds of a bucket.'),
  since: moment.nullable().describe('The first moment of which anything is known; null when nothing was ever decided.'),
  rows: z.array(UsageRow),
  fills: z.array(Fill).describe('The fullest counter of every rule whose window is open.'),
})
export type Usage = DeepReadonly<z.infer<typeof Usage>>

const KeyLabel = z.strictObject({ domain: z.string(), rule: z.string(), entries: z.array(entry) })
/** The rule and the entries that a key was made of. */
export type KeyLabel = DeepReadonly<z.infer<typeof KeyLabel>>

const KeyCount = z.strictObject({
  key: z.string().describe('The key of a counter, without its window.'),
  label: KeyLabel,
  count: z.int().describe('The true count lies between count - error and count.'),
  error: count,
})
/** Hits of a key. */
export type KeyCount = DeepReadonly<z.infer<typeof KeyCount>>

/** The keys with the most decisions and the most refusals. */
export const Top = z.strictObject({ from: moment, used: z.array(KeyCount), refused: z.array(KeyCount) })
export type Top = DeepReadonly<z.infer<typeof Top>>

/** A ticket that opens the event stream once. */
export const Ticket = z.strictObject({ ticket: z.string(), expires_in: z.int().describe('Seconds.') })
export type Ticket = DeepReadonly<z.infer<typeof Ticket>>

const Verdicts = z.strictObject({ admitted: count, refused: count })
/** Requests by verdict, by their weight. */
export type Verdicts = DeepReadonly<z.infer<typeof Verdicts>>

const SampledRequest = z.strictObject({ domain: z.string(), descriptors: z.array(descriptor), hitsAddend: count })
/** A request of which a sample was kept. */
export type SampledRequest = DeepReadonly<z.infer<typeof SampledRequest>>

/** Decisions of two sets of rules about the sampled requests. */
export const WhatIf = z.strictObject({
  sampled: count,
  requests: z.int().describe('How many requests the sampled ones represent.'),
  /** Times of the first and the last request; 0 without any. */
  from: momentMs,
  to: momentMs,
  /** By the rules that run. */
  was: Verdicts,
  /** By the proposed rules. */
  would: Verdicts,
  /** The first ones that are decided differently. */
  changed: z.array(
    z.strictObject({
      at: momentMs,
      request: SampledRequest,
      was: code,
      would: code,
      /** The rule that refuses, of those that run and of the others; null for none. */
      wasRule: z.string().nullable(),
      wouldRule: z.string().nullable(),
    }),
  ),
  changedRequests: count,
})
export type WhatIf = DeepReadonly<z.infer<typeof WhatIf>>
