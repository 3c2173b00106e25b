/** Counts of the uses of a key, as far as the two lists of keys have them. */

import type { KeyCount, Top } from '#ratelimit/contract/usage.ts'

/** A count with its bounds: from `least` to `most` times, or at least `least` where that is all that is known. */
export interface KnownCount {
  readonly least: number
  /** Null where there may be more. */
  readonly most: number | null
}

/** The bounds of a count; the sketch that counts may count too high, never too low. */
function boundsOf({ count, error }: KeyCount): KnownCount {
  return { least: count - error, most: count }
}

/** The refusals of each key that is refused most. */
export function boundRefusals({ refused }: Top): ReadonlyMap<string, KnownCount> {
  return new Map(refused.map((one) => [one.key, boundsOf(one)]))
}

/** The uses of each key: one refused most that is not among the most used was used at least as often. */
export function boundUses({ used, refused }: Top): ReadonlyMap<string, KnownCount> {
  return new Map([
    ...refused.map((one) => [one.key, { ...boundsOf(one), most: null }] as const),
    ...used.map((one) => [one.key, boundsOf(one)] as const),
  ])
}
