/** Answers about the configuration: files, revisions, what changes, what is wrong. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { count, momentMs } from './parts.ts'

/** One mistake in one file. */
export const Mistake = z.strictObject({
  file: z.string().describe('The runtime key of the file.'),
  path: z.string().describe('Such as descriptors[2].rate_limit.unit; empty for the whole file.'),
  line: count,
  message: z.string(),
  hint: z.string().exactOptional(),
})
export type Mistake = DeepReadonly<z.infer<typeof Mistake>>

/** One rule that appears, disappears or changes. */
export const RuleChange = z.strictObject({
  change: z.enum(['added', 'removed', 'changed']),
  /** Full key, for example `shop.tenant_gold.route`; only the domain's name for a whole domain. */
  key: z.string(),
  /** The rule in words before and after; null where it does not exist. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  losesCounters: z.boolean().describe('True when hits that were counted no longer count.'),
})
export type RuleChange = DeepReadonly<z.infer<typeof RuleChange>>

/** The difference of two sets of files: files by key, and rules. */
export const Changes = z.strictObject({
  files: z.strictObject({ added: z.array(z.string()), changed: z.array(z.string()), removed: z.array(z.string()) }),
  rules: z.array(RuleChange),
  leftOut: count.describe('How many further entries there are, where the lists have no room for all.').exactOptional(),
})
export type Changes = DeepReadonly<z.infer<typeof Changes>>

/** A change that was accepted, or would be. */
export const Change = z.strictObject({ revision: count, changes: Changes })
export type Change = DeepReadonly<z.infer<typeof Change>>

/** One accepted configuration; a roll back is a new revision with old files. */
export const Revision = z.strictObject({
  revision: count,
  at: momentMs,
  who: z.string(),
  restored: count.describe('The revision whose files a roll back has brought back; absent otherwise.').exactOptional(),
  changes: Changes,
})
export type Revision = DeepReadonly<z.infer<typeof Revision>>

/** A change that was refused, and why. */
export const Refusal = z.strictObject({ at: momentMs, who: z.string(), mistakes: z.array(Mistake) })
export type Refusal = DeepReadonly<z.infer<typeof Refusal>>

/** The configuration as a whole. */
export const Status = z.strictObject({
  revision: count.describe('The newest; 0 when none was ever accepted.'),
  revisions: z.array(Revision),
  lastError: Refusal.nullable(),
  isolate: z.strictObject({
    revision: z.int().describe('The one by which the answering isolate decides.'),
    checkedMsAgo: z.number().nullable(),
  }),
})
export type Status = DeepReadonly<z.infer<typeof Status>>

/** The files of a revision. */
export const Snapshot = z.strictObject({
  revision: count,
  files: z.array(z.strictObject({ key: z.string(), text: z.string() })),
})
export type Snapshot = DeepReadonly<z.infer<typeof Snapshot>>
