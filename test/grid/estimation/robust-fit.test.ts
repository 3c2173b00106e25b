/** Robust fits of two buses and a line, which a hand can compute. */

import { describe, expect, it } from 'vitest'
import { prepareFit } from '#grid/estimation/fit-problem.ts'
import type { Measurement } from '#grid/estimation/measurements.ts'
import { fitRobustly, holdState } from '#grid/estimation/robust-fit.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const none: ReadonlySet<number> = new Set()

/** Bus 1 has three voltmeters of 0.01 pu, of which the last one reads `last`; bus 2 has one meter for each state. */
const metered = (last: number): readonly Measurement[] => [
  { kind: 'v', bus: 1, sigma: 0.01, value: 1 },
  { kind: 'v', bus: 1, sigma: 0.01, value: 1.01 },
  { kind: 'v', bus: 1, sigma: 0.01, value: last },
  { kind: 'v', bus: 2, sigma: 0.01, value: 0.97 },
  { kind: 'angle', bus: 2, sigma: 0.005, value: -0.1 },
]

const robust = (measurements: readonly Measurement[]) =>
  fitRobustly(prepareFit(twoBusNetwork, measurements), measurements, none)

describe('fitRobustly()', () => {
  it('is the fit of least squares where no residual is beyond three deviations', () => {
    const { converged, magnitude, objective } = robust(metered(1.02))
    expect(converged).toBe(true)
    expect(magnitude[0]).toBeCloseTo(1.01, 9)
    expect(objective).toBeCloseTo(2, 9)
  })

  it.each([1.5, 100, 3e38])('is pulled by a meter that reads %d pu as by one of three deviations', (value) => {
    const { converged, magnitude, angle, objective } = robust(metered(value))
    expect(converged).toBe(true)
    // 2 x - 2.01 = 3 sigma: each of the others gives way by half of it.
    expect(magnitude[0]).toBeCloseTo(1.02, 4)
    expect([magnitude[1], angle[1]]).toEqual([expect.closeTo(0.97, 9), expect.closeTo(-0.1, 9)])
    expect(objective / ((value - 1.02) / 0.01) ** 2).toBeCloseTo(1, 2)
  })
})

describe('holdState()', () => {
  it('is the start with its residuals, and does not count as converged', () => {
    const measurements = metered(7)
    const problem = prepareFit(twoBusNetwork, measurements)
    const held = holdState(problem, measurements, none, { vmPu: [1, 0.9], vaRad: [0, -0.1] })
    expect([held.converged, held.iterations, Array.from(held.magnitude)]).toEqual([false, 0, [1, 0.9]])
    expect(held.residuals[2]).toBe(6)
  })

  it('refuses too few meters', () => {
    const measurements = metered(1).slice(0, 4)
    const problem = prepareFit(twoBusNetwork, measurements)
    expect(() => holdState(problem, measurements, none)).toThrow(expect.objectContaining({ code: 'not_observable' }))
  })
})
