/** Decisions over a time as the usage interface answers them, added up into rates and sums. */

import type { Usage } from '#ratelimit/contract/usage.ts'

/** Three rates over time, per second, and where nothing was known. */
export interface Rates {
  readonly x: readonly number[]
  readonly admitted: readonly (number | null)[]
  readonly refused: readonly (number | null)[]
  readonly shadow: readonly (number | null)[]
  /** The end of what is not known, Unix seconds; null when everything is. */
  readonly unknownUntil: number | null
}

/** Adds rows up into rates per second, one for every bucket. @param rule - Empty for whole requests. */
export function computeRates({ from, to, step, since, rows }: Usage, rule: string): Rates {
  const count = Math.max(1, Math.round((to - from) / step))
  const first = Math.floor(from / step) * step
  const x = Array.from({ length: count }, (_, index) => first + index * step)
  const isKnown = (second: number) => since !== null && second + step > since
  const empty = () => x.map((second): number | null => (isKnown(second) ? 0 : null))
  const sums = { admitted: empty(), refused: empty(), shadow: empty() }
  const now = Date.now() / 1000
  for (const row of rows) {
    const at = Math.round((row.start - first) / step)
    if (row.rule !== rule || at < 0 || at >= count) continue
    // An open bucket is divided by the seconds that have passed of it.
    const passed = Math.max(1, Math.min(step, now - row.start))
    for (const kind of ['admitted', 'refused', 'shadow'] as const) {
      sums[kind][at] = (sums[kind][at] ?? 0) + row[kind] / passed
    }
  }
  const isPartlyUnknown = since === null || first < since - step
  return { x, ...sums, unknownUntil: isPartlyUnknown ? (since ?? to) : null }
}

/** Decisions per second that were not in a shadow, admitted and refused together; null where nothing was known. */
export function sumDecided({ admitted, refused }: Rates): readonly (number | null)[] {
  return admitted.map((rate, at) => (rate === null ? null : rate + (refused[at] ?? 0)))
}

/** Requests per second with any decision; null where nothing was known. */
export function sumRequests(rates: Rates): readonly (number | null)[] {
  return sumDecided(rates).map((rate, at) => (rate === null ? null : rate + (rates.shadow[at] ?? 0)))
}

/** Decisions by outcome. */
export type DecisionSums = Pick<Usage['rows'][number], 'admitted' | 'refused' | 'shadow'>

/** Adds up the decisions of a rule by outcome, or of whole requests where it is empty. */
export function sumDecisions({ rows }: Usage, rule: string): DecisionSums {
  const sums = { admitted: 0, refused: 0, shadow: 0 }
  for (const row of rows) {
    if (row.rule !== rule) continue
    sums.admitted += row.admitted
    sums.refused += row.refused
    sums.shadow += row.shadow
  }
  return sums
}
