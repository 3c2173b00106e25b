/** Preparation of a fit: the states to find, and measurements that no fit can use. */

import { describe, expect, it } from 'vitest'
import { prepareFit } from '#grid/estimation/fit-problem.ts'
import type { Measurement } from '#grid/estimation/measurements.ts'
import { openBranches } from '#grid/network/network.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const direct: readonly Measurement[] = [
  { kind: 'v', bus: 1, sigma: 0.01, value: 1 },
  { kind: 'v', bus: 1, sigma: 0.02, value: 1.03 },
]

describe('prepareFit()', () => {
  it('has an angle and a magnitude for each live bus to find, but for the angle of the slack', () => {
    expect(prepareFit(twoBusNetwork, direct)).toMatchObject({ states: 3, fixed: Int32Array.of(1, 0, 0, 0) })
  })

  it('has nothing to find at a bus without a machine behind an open breaker', () => {
    expect(prepareFit(openBranches(twoBusNetwork, new Set([1])), direct)).toMatchObject({
      states: 1,
      fixed: Int32Array.of(1, 0, 1, 1),
      energized: Int32Array.of(1, 0),
    })
  })

  it.each([
    [{ value: Number.NaN }, 'measurement 1 is NaN with sigma 0.02'],
    [{ value: Number.POSITIVE_INFINITY }, 'measurement 1 is Infinity with sigma 0.02'],
    [{ sigma: 0 }, 'measurement 1 is 1.03 with sigma 0'],
    [{ sigma: Number.NaN }, 'measurement 1 is 1.03 with sigma NaN'],
    [{ sigma: Number.POSITIVE_INFINITY }, 'measurement 1 is 1.03 with sigma Infinity'],
  ])('refuses %j', (change, message) => {
    const measurements = direct.map((one, index) => (index === 1 ? { ...one, ...change } : one))
    expect(() => prepareFit(twoBusNetwork, measurements)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    )
  })
})
