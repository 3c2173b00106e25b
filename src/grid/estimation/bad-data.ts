/** Statistics of residuals: limits beyond which measurements contradict each other, and the most suspicious one. */

/** Most measurements that may be removed from one scan. */
export const maxRemovals = 5

/** The quantile of the standard normal distribution to seven digits (Wichura 1988, algorithm AS 241, PPND7). */
export function normalQuantile(probability: number): number {
  const centred = probability - 0.5
  if (Math.abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred
    return centred * divide(centre, r)
  }
  const r = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)))
  return Math.sign(centred) * (r <= 5 ? divide(tail, r - 1.6) : divide(farTail, r - 5))
}

/** Coefficients of two polynomials of AS 241, the constant first. */
interface Fraction {
  readonly numerator: readonly number[]
  readonly denominator: readonly number[]
}

const centre: Fraction = {
  numerator: [3.3871327179, 50.434271938, 159.29113202, 59.10937472],
  denominator: [1, 17.895169469, 78.757757664, 67.1875636],
}
const tail: Fraction = {
  numerator: [1.4234372777, 2.75681539, 1.3067284816, 0.17023821103],
  denominator: [1, 0.7370016425, 0.12021132975],
}
const farTail: Fraction = {
  numerator: [6.657905115, 3.081226386, 0.42868294337, 0.017337203997],
  denominator: [1, 0.24197894225, 0.012258202635],
}

function divide({ numerator, denominator }: Fraction, x: number): number {
  return polynomial(numerator, x) / polynomial(denominator, x)
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)
}

/**
 * The chi-square quantile by Wilson and Hilferty (1931), k (1 - 2/9k + z sqrt(2/9k))^3: within 0.03 of the exact value
 * from 20 degrees of freedom up at confidences of 95 and 99 %.
 */
export function chiSquareLimit(degreesOfFreedom: number, confidence = 0.95): number {
  if (degreesOfFreedom <= 0) return 0
  const part = 2 / (9 * degreesOfFreedom)
  return degreesOfFreedom * (1 - part + normalQuantile(confidence) * Math.sqrt(part)) ** 3
}

/**
 * The limit below which every normalised residual of a scan of `count` good meters stays (Bonferroni). Most scans of
 * several hundred good meters exceed a fixed limit of 3.
 */
export function residualLimit(count: number, confidence: number): number {
  return count <= 0 ? 0 : normalQuantile(1 - (1 - confidence) / (2 * count))
}

/**
 * Divides residuals by their own deviations: r_i / sqrt(Omega_ii), Omega = R - H G^-1 H' with the diagonal `explained`
 * of H G^-1 H' (Abur and Gomez-Exposito, section 5.7); 0 for a critical measurement, which has no residual variance.
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
