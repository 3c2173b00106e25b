/** Newton's method on a line whose solution is a square root: where it arrives, from where, and where it ends. */

import { describe, expect, it } from 'vitest'
import { solveFromStarts } from '#grid/power-flow/newton.ts'
import { prepare } from '#grid/power-flow/problem.ts'
import type { Voltages } from '#grid/power-flow/voltage-profile.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const reactance = 0.1

/** The line with a load of so many per unit at its end, without reactive power. */
const loaded = (pu: number) => prepare({ ...twoBusNetwork, loads: [{ bus: 2, pMw: pu * 100, qMvar: 0 }] }, {})

/**
 * The voltage at the end of a lossless line: V^4 - V^2 + (P X)^2 = 0 and sin(theta) = -P X / V.
 *
 * @param sign - 1 for the stable solution, -1 for the one below the nose of the curve.
 */
function exact(p: number, sign = 1): { magnitude: number; angle: number } {
  const magnitude = Math.sqrt((1 + sign * Math.sqrt(1 - 4 * (p * reactance) ** 2)) / 2)
  return { magnitude, angle: -Math.asin((p * reactance) / magnitude) }
}

const startAt = (magnitude: number, angle: number): Voltages => ({
  magnitude: Float64Array.of(1, magnitude),
  angle: Float64Array.of(0, angle),
})

describe('solveFromStarts()', () => {
  it.each([0.1, 1, 3, 4.5, 4.9])('finds the root of a load of %d per unit from the flat start', (p) => {
    const { attempt, solvedShare, startedFrom } = solveFromStarts(loaded(p), undefined, {})
    expect([attempt.converged, solvedShare, startedFrom]).toEqual([true, 1, 'flat'])
    expect(attempt.mismatchPu).toBeLessThan(1e-8)
    expect(attempt.voltages.magnitude[1]).toBeCloseTo(exact(p).magnitude, 7)
    expect(attempt.voltages.angle[1]).toBeCloseTo(exact(p).angle, 7)
    expect([attempt.voltages.magnitude[0], attempt.voltages.angle[0]]).toEqual([1, 0])
  })

  it('doubles its digits with each iteration, as only an exact Jacobian lets it', () => {
    const steps = [1e-3, 1e-6, 1e-12].map(
      (tolerancePu) => solveFromStarts(loaded(4), undefined, { tolerancePu }).attempt.iterations,
    )
    expect((steps[1] ?? 0) - (steps[0] ?? 0)).toBeLessThanOrEqual(1)
    expect((steps[2] ?? 0) - (steps[1] ?? 0)).toBeLessThanOrEqual(1)
  })

  it('takes no step from a start that is the solution, and does not change the start', () => {
    const { magnitude, angle } = exact(2)
    const start = startAt(magnitude, angle)
    const { attempt, startedFrom } = solveFromStarts(loaded(2), start, {})
    expect([attempt.iterations, startedFrom]).toEqual([0, 'profile'])
    expect(attempt.voltages.magnitude).not.toBe(start.magnitude)
    solveFromStarts(loaded(3), start, {})
    expect([...start.magnitude, ...start.angle]).toEqual([1, magnitude, 0, angle])
  })

  it('leaves a start below the nose, where there is a second root, for the one above it', () => {
    const below = exact(3, -1)
    const { attempt } = solveFromStarts(loaded(3), startAt(below.magnitude * 1.001, below.angle), {})
    expect(attempt.voltages.magnitude[1]).toBeCloseTo(exact(3).magnitude, 7)
  })

  it('continues from flat where the start does not converge, and counts the steps of both', () => {
    const flat = solveFromStarts(loaded(1), undefined, {}).attempt.iterations
    const { attempt, startedFrom } = solveFromStarts(loaded(1), startAt(1e-4, 0), { maxIterations: 6 })
    expect([attempt.converged, startedFrom]).toEqual([true, 'flat'])
    expect(attempt.iterations).toBe(6 + flat)
  })

  it('raises a load beyond the nose as far as 1 / (2 X) allows, within a 64th of it', () => {
    // The line carries 5 per unit at most, which is 5/6 of this load.
    const { attempt, solvedShare, startedFrom } = solveFromStarts(loaded(6), undefined, {})
    expect([attempt.converged, startedFrom]).toEqual([false, 'homotopy'])
    expect(solvedShare).toBeLessThanOrEqual(5 / 6)
    expect(solvedShare).toBeGreaterThan(5 / 6 - 1 / 32)
    expect(attempt.voltages.magnitude[1]).toBeCloseTo(exact(6 * solvedShare).magnitude, 6)
  })

  it('reports that nothing was solved where no iteration is allowed', () => {
    const { attempt, solvedShare } = solveFromStarts(loaded(1), undefined, { maxIterations: 0 })
    expect([attempt.converged, solvedShare, attempt.iterations]).toEqual([false, 0, 0])
  })

  it('arrives at the same digits by elimination of the dense matrix', () => {
    const [sparse, dense] = (['sparse', 'dense'] as const).map(
      (solver) => solveFromStarts(loaded(4), undefined, { solver }).attempt,
    )
    expect(dense?.iterations).toBe(sparse?.iterations)
    expect(dense?.voltages.magnitude[1]).toBeCloseTo(sparse?.voltages.magnitude[1] ?? 0, 12)
  })
})
