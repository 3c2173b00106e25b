/** Bounds on what waits for a report of usage and on answers about it, and the name of what is counted together beyond them. */

import { hashOf } from '../placement.ts'

/** Bounds on what waits for a report. */
export const usageBounds = {
  /** Rules and seconds counted apart; further ones are counted together. */
  counts: 400,
  keys: 256,
  fills: 200,
  samples: 20,
  /** Descriptors and entries of a sampled request; a longer one is not sampled. */
  sampleEntries: 32,
  /** Length of a text of a sampled request, in UTF-16 code units. */
  sampleText: 256,
  /** Length of all texts of a sampled request together. */
  sampleTexts: 2_048,
  /** Length of a counter's key, of the name of a rule, and of a text of the entries behind a key; more is cut. */
  keyText: 512,
  ruleText: 256,
  entryText: 256,
  /** Entries that are kept of a key. */
  keyEntries: 16,
} as const

/** Lengths of the buckets of an answer, in seconds. Seconds, minutes and hours are kept; the others are sums of them. */
export const usageSteps = [1, 60, 600, 3_600, 21_600] as const

/** The length of a bucket in seconds. */
export type UsageStep = (typeof usageSteps)[number]

/** Seconds for which buckets are kept, by their length. */
export const keptSeconds = { 1: 150, 60: 86_400 + 3_600, 3600: 31 * 86_400 } as const

/** Rows of one answer about usage: 32 MiB is what the platform lets an object answer. */
export const mostUsageRows = 100_000

/** The name of rules that are counted together because there are too many of them. */
export const otherRules = '(others)'

/** Cuts a text to `most` code units, 20 at least; a hash of the rest keeps texts with one beginning apart. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const name = `…#${hashOf(text).toString(16).padStart(8, '0')}`
  // Half of a pair of surrogates would be another text once it is stored.
  const kept = text.slice(0, most - name.length).replace(/[\ud800-\udbff]$/, '')
  return kept + name
}
