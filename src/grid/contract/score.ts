/** The score of a detector. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { seconds } from './parts.ts'

const count = z.int().min(0)
const ratio = z.number().min(0).max(1).nullable().describe('Null where nothing can be divided by.')

/** Hits and misses of one way of counting. */
export const Detection = z.strictObject({
  true_positives: count,
  false_positives: count,
  false_negatives: count,
  precision: ratio,
  recall: ratio,
  f1: ratio,
})
export type Detection = DeepReadonly<z.infer<typeof Detection>>

const figures = {
  frame: Detection.describe('Frames that arrived; attacked ones, and those that an alert is on.'),
  flow: Detection.describe('Flows with an attacked frame, and those that an alert names.'),
  episode: Detection.describe('Attacks, and groups of false alarms of one name between the same addresses.'),
  false_alarms_per_hour: z.number(),
}

const ScoredAttack = z.strictObject({
  attack_id: z.string(),
  type: z.string(),
  technique: z.string().nullable(),
  start: seconds,
  end: seconds,
  alerts: count,
  detected: z.boolean(),
  seconds_to_detection: z.number().nullable(),
  first_alert: z.string().nullable().describe('Name of the rule that reported it first.'),
  technique_named: z.boolean().nullable().describe('An alert names its technique; null where none names any.'),
})
/** One attack, and the alerts that report it. */
export type ScoredAttack = DeepReadonly<z.infer<typeof ScoredAttack>>

/** Alerts beside the truth of a run. */
export const Score = z.strictObject({
  rules: z.strictObject({ tolerance_ms: z.number(), grace_s: z.number() }),
  run: z.strictObject({
    start: seconds,
    end: seconds,
    frames: count,
    attacked_frames: count,
    flows: count,
    attacked_flows: count,
    attacks: count,
  }),
  alerts: z.strictObject({
    scored: count,
    outside: count.describe('Alerts before or after the run, which are not scored.'),
    on_a_frame: count,
    on_a_flow: count,
    false_alarms: count,
  }),
  ...figures,
  attacks: z.array(ScoredAttack),
  techniques: z.array(z.strictObject({ technique: z.string().nullable(), attacks: count, detected: count })),
  curve: z
    .array(z.strictObject({ threshold: z.number(), alerts: count, ...figures }))
    .describe('The figures of the alerts whose score is at least the threshold.'),
})
export type Score = DeepReadonly<z.infer<typeof Score>>
