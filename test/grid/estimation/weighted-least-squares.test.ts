/** The fit of two buses and a line: states, J and variances that a hand can compute. */

import { describe, expect, it } from 'vitest'
import { prepareFit } from '#grid/estimation/fit-problem.ts'
import type { Measurement } from '#grid/estimation/measurements.ts'
import { explainedVariances, fitState } from '#grid/estimation/weighted-least-squares.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

/** Bus 1 has two voltmeters, of which the better counts four times; bus 2 is measured once, voltage and angle. */
const direct: readonly Measurement[] = [
  { kind: 'v', bus: 1, sigma: 0.01, value: 1 },
  { kind: 'v', bus: 1, sigma: 0.02, value: 1.03 },
  { kind: 'v', bus: 2, sigma: 0.01, value: 0.97 },
  { kind: 'angle', bus: 2, sigma: 0.005, value: -0.1 },
]
const none: ReadonlySet<number> = new Set()

const fitted = (measurements: readonly Measurement[], removed = none) =>
  fitState(prepareFit(twoBusNetwork, measurements), measurements, removed)

const near = (values: ArrayLike<number>, expected: readonly number[]) => {
  expect(values.length).toBe(expected.length)
  for (const [index, value] of expected.entries()) expect(values[index], `value ${index}`).toBeCloseTo(value, 9)
}

describe('fitState()', () => {
  it('takes the mean of two meters by their weights, 10000 and 2500, and J of what is left', () => {
    const { magnitude, angle, converged, residuals, estimated, objective } = fitted(direct)
    near(magnitude, [1.006, 0.97])
    near(angle, [0, -0.1])
    near(residuals, [-0.006, 0.024, 0, 0])
    near(estimated, [1.006, 1.006, 0.97, -0.1])
    // (0.006 / 0.01)^2 + (0.024 / 0.02)^2
    expect(objective).toBeCloseTo(0.36 + 1.44, 9)
    expect(converged).toBe(true)
  })

  it('leaves removed measurements out of the state and of J, and still gives their residuals', () => {
    const { magnitude, residuals, objective } = fitted(direct, new Set([1]))
    near(magnitude, [1, 0.97])
    near(residuals, [0, 0.03, 0, 0])
    expect(objective).toBeCloseTo(0, 12)
  })

  it('finds the state behind flows: 4 pu over y = -10j from 1 to 0.8 pu is 30 degrees', () => {
    const { magnitude, angle, iterations } = fitted([
      { kind: 'v', bus: 1, sigma: 0.01, value: 1 },
      { kind: 'p_flow', branch: 1, side: 'from', sigma: 0.01, value: 4 },
      { kind: 'q_flow', branch: 1, side: 'from', sigma: 0.01, value: 10 - 8 * Math.cos(Math.PI / 6) },
    ])
    near(magnitude, [1, 0.8])
    near(angle, [0, -Math.PI / 6])
    expect(iterations).toBeGreaterThan(2)
  })

  it('begins at its starting point: at the solution one iteration is enough', () => {
    const start = { vmPu: [1.006, 0.97], vaRad: [0, -0.1] }
    expect(fitState(prepareFit(twoBusNetwork, direct), direct, none, start).iterations).toBe(1)
  })

  it.each([
    ['an angle that no meter reaches', new Set([3])],
    ['a bus whose only meters are removed', new Set([2, 3])],
  ])('refuses %s', (_, removed) => {
    expect(() => fitted(direct, removed)).toThrow(expect.objectContaining({ code: 'not_observable' }))
  })
})

describe('explainedVariances()', () => {
  it('is the variance of each estimate: 1 / 12500 where two meters share it, sigma squared where one has it', () => {
    const problem = prepareFit(twoBusNetwork, direct)
    near(
      explainedVariances(problem, direct, none, fitState(problem, direct, none)).map((value) => value * 1e4),
      [0.8, 0.8, 1, 0.25],
    )
  })
})
