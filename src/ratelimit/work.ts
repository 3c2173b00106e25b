/** The work that one request may cost: a budget that is charged, and refuses when it is used up. */

import { RatelimitError } from './errors.ts'

/**
 * A budget, and the units that are left of it.
 *
 * One unit is a character that a wildcard is compared with: 5 ns at worst (`bench/rules.bench.ts`). Lengths and
 * numbers have bounds of their own, but the rules multiply them.
 */
export interface Work {
  readonly most: number
  left: number
}

/** Begins a budget of `most` units. */
export function beginWork(most: number): Work {
  return { most, left: most }
}

/**
 * Takes units from a budget.
 *
 * @throws RatelimitError request_too_large when the budget is used up; the message names its setting.
 */
export function charge(work: Work, units: number): void {
  work.left -= units
  if (work.left >= 0) return
  throw new RatelimitError(
    'request_too_large',
    `Cannot decide: matching the wildcards of the rules costs too much, expected at most ${work.most} comparisons (REQUEST_MAX_COMPARISONS); send fewer or shorter values, or configure fewer wildcards with text between two *`,
  )
}
