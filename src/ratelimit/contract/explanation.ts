/** The explanation of the decision that a request would get. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { algorithmKinds } from '../algorithm/algorithm.ts'
import { calendarUnits } from '../algorithm/calendar.ts'
import { unsettledEnds } from '../reservation/reservations.ts'
import { code, count, descriptor, entry, unit } from './parts.ts'

/** One entry of a descriptor. */
export const ExplainedEntry = entry

const headers = z.array(z.strictObject({ key: z.string(), value: z.string() }))

const algorithm = z
  .strictObject({
    kind: z.enum(algorithmKinds),
    seconds: count,
    burst: count.describe('Of `token_bucket`.').exactOptional(),
    period: z.enum(calendarUnits).describe('Of `calendar`.').exactOptional(),
    zone: z.string().describe('Of `calendar`.').exactOptional(),
    charge: z.enum(['all', 'admitted', 'all_or_nothing']),
    reserve: z
      .strictObject({ unsettled: z.enum(unsettledEnds), timeToLive: count.describe('Seconds.') })
      .describe('Where the limit takes reservations.')
      .exactOptional(),
  })
  .describe('Absent for windows of the unit in which every hit counts.')

const limitStatus = {
  code,
  currentLimit: z
    .strictObject({
      requestsPerUnit: count,
      unit,
      name: z.string().exactOptional(),
      algorithm: algorithm.exactOptional(),
    })
    .exactOptional(),
  limitRemaining: count,
  secondsUntilReset: count.exactOptional(),
}

/** The status of a descriptor. */
export const ExplainedStatus = z.strictObject({
  ...limitStatus,
  limits: z.array(z.strictObject(limitStatus)).describe('Each limit of a descriptor that has several.').exactOptional(),
})

const Trial = z.strictObject({
  kind: z.enum(['exact', 'wildcard', 'list', 'network', 'expression', 'bare']),
  /** The joined entry, a wildcard's pattern, or only the key. */
  pattern: z.string(),
  isTaken: z.boolean(),
})
/** One rule that an entry was compared with. */
export type Trial = DeepReadonly<z.infer<typeof Trial>>

const Level = z.strictObject({ entry: ExplainedEntry, trials: z.array(Trial) })
/** One level of the tree: the entry and the rules it was compared with, in order. */
export type Level = DeepReadonly<z.infer<typeof Level>>

const CounterNow = z.strictObject({
  /** Key without its window. */
  key: z.string(),
  hits: count,
  secondsUntilReset: count,
  /** Hits that the request would add; negative for hits given back. */
  addend: z.int(),
})
/** The counter of a descriptor before the request. */
export type CounterNow = DeepReadonly<z.infer<typeof CounterNow>>

const Outcome = z.enum([
  'unknown domain',
  'no rule matches',
  'limit in the request',
  'limit of the last rule',
  'unlimited',
  'replaced',
  'allow list',
  'deny list',
])
/** The deciding rule, in words. */
export type Outcome = z.infer<typeof Outcome>

/** The reasons for the status of one descriptor. */
export const DescriptorExplanation = z.strictObject({
  descriptor,
  /** Empty for an override, which does not look at the tree. */
  levels: z.array(Level),
  outcome: Outcome,
  /** Statistics path of the limit; null without one. */
  rule: z.string().nullable(),
  counter: CounterNow.nullable(),
  status: ExplainedStatus,
})
export type DescriptorExplanation = DeepReadonly<z.infer<typeof DescriptorExplanation>>

/** A request explained, and the answer it would get now. */
export const Explanation = z.strictObject({
  descriptors: z.array(DescriptorExplanation),
  response: z.strictObject({
    overallCode: code,
    statuses: z.array(ExplainedStatus),
    responseHeadersToAdd: headers,
    requestHeadersToAdd: headers.exactOptional(),
    dynamicMetadata: z.record(z.string(), z.unknown()).exactOptional(),
  }),
})
export type Explanation = DeepReadonly<z.infer<typeof Explanation>>
