/** Rounded numbers of answers. */

/** Rounds to a number of decimals; an absent value is 0, and -0 becomes 0. */
export function round(value: number | undefined, decimals: number): number {
  return Number((value ?? 0).toFixed(decimals)) + 0
}
