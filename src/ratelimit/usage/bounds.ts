/** Bounds on what waits for a report of usage, and the name of what is counted together beyond them. */

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
} as const

/** The name of rules that are counted together because there are too many of them. */
export const otherRules = '(others)'
