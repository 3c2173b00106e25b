/**
 * The size of tests that sweep over seeds or random inputs.
 *
 * The gate runs a tenth of each, and fast-check begins from the same seed each time. `npm run soak -- sweeps` runs them
 * whole, from seeds of chance, by the variable SWEEPS: 1 is the whole.
 */

import { configureGlobal } from 'fast-check'

const scale = Number(process.env.SWEEPS ?? 0.1)
if (process.env.SWEEPS === undefined) configureGlobal({ seed: 1 })

/**
 * Runs of a sweep.
 *
 * @param all - runs of the whole sweep.
 * @param least - runs below which the sweep proves nothing.
 */
export function sweep(all: number, least = 20): number {
  return Math.min(all, Math.max(least, Math.ceil(all * scale)))
}
