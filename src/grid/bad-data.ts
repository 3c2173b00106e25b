/** Statistics of residuals: when a set of measurements contradicts itself, and which one is to blame. */

/** A normalised residual above this points at a bad measurement. */
export const residualThreshold = 3

/** How many measurements may be removed from one scan. */
export const maxRemovals = 5

/** Quantiles of the standard normal distribution for the confidences in use. */
const normalQuantiles = { 0.95: 1.6448536269514722, 0.99: 2.3263478740408408 } as const

/** Confidence of a chi-square limit. */
export type Confidence = keyof typeof normalQuantiles

/**
 * The chi-square quantile by Wilson and Hilferty (1931): k (1 - 2/9k + z sqrt(2/9k))^3.
 *
 * Within 0.03 of the exact value from 20 degrees of freedom up.
 *
 * @returns 0 for no degrees of freedom.
 */
export function chiSquareLimit(degreesOfFreedom: number, confidence: Confidence = 0.95): number {
  if (degreesOfFreedom <= 0) return 0
  const part = 2 / (9 * degreesOfFreedom)
  return degreesOfFreedom * (1 - part + normalQuantiles[confidence] * Math.sqrt(part)) ** 3
}

/**
 * Divides residuals by their own standard deviations: r_i / sqrt(Omega_ii), Omega = R - H G^-1 H'
 * (Abur and Gomez-Exposito, Power System State Estimation, section 5.7).
 *
 * A critical measurement has no residual variance, so nothing can be said about it: its entry is 0.
 *
 * @param explained - The diagonal of H G^-1 H'.
 */
export function normalizeResiduals(
  residuals: readonly number[],
  sigmas: readonly number[],
  explained: readonly number[],
): number[] {
  return residuals.map((residual, index) => {
    const variance = (sigmas[index] ?? 0) ** 2
    const left = variance - (explained[index] ?? 0)
    return left > 1e-6 * variance ? Math.abs(residual) / Math.sqrt(left) : 0
  })
}

/** The position of the largest value among those that are still in use; -1 when none is. */
export function findLargest(values: readonly number[], removed: ReadonlySet<number>): number {
  let best = -1
  values.forEach((value, index) => {
    if (!removed.has(index) && (best < 0 || value > (values[best] ?? 0))) best = index
  })
  return best
}
