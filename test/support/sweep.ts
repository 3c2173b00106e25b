/**
 * The size of tests that sweep over seeds or random inputs.
 *
 * The gate runs a part of each, and fast-check begins from the same seed each time. `npm run soak -- sweeps` runs them
 * whole, from seeds of chance, by the variable SWEEPS: 1 is the whole.
 */

import { configureGlobal } from 'fast-check'

const scale = process.env.SWEEPS
if (scale === undefined) configureGlobal({ seed: 1 })

/**
 * Runs of a sweep.
 *
 * @param all - runs of the whole sweep.
 * @param part - runs in the gate: where it says nothing else a tenth of the whole, 20 at the least and 200 at the most.
 */
export function sweep(all: number, part = Math.min(200, Math.max(20, Math.ceil(all / 10)))): number {
  return scale === undefined ? Math.min(all, part) : Math.ceil(all * Number(scale))
}
