/** DC state estimation: weighted means that a hand can compute, and meters that do not determine every angle. */

import { describe, expect, it } from 'vitest'
import type { Measurement } from '#grid/estimation/measurements.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { busPosition, openBranches } from '#grid/network/network.ts'
import { solveDcPowerFlow } from '#grid/power-flow/dc-power-flow.ts'
import { estimateDcState } from '#grid/studies/dc-state-estimation.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

/** The flow into the line at bus 1, in per unit: 10 times the angle of bus 1 less that of bus 2. */
const flow = (value: number, sigma = 0.01): Measurement => ({ kind: 'p_flow', branch: 1, side: 'from', value, sigma })

describe('estimateDcState()', () => {
  it('of one meter is its value', () => {
    expect(estimateDcState(twoBusNetwork, [flow(1)])).toEqual({
      vaRad: [0, expect.closeTo(-0.1, 14)],
      objective: expect.closeTo(0, 18),
      degreesOfFreedom: 0,
    })
  })

  it('weighs meters by the inverse of their variances', () => {
    // 1.2 with a sigma of 0.01 and 0.8 with 0.02: weights 4 to 1, so 1.12 per unit and an angle of -0.112.
    const { vaRad, objective, degreesOfFreedom } = estimateDcState(twoBusNetwork, [flow(1.2), flow(0.8, 0.02)])
    expect(vaRad[1]).toBeCloseTo(-0.112, 12)
    // (0.08 / 0.01)^2 + (0.32 / 0.02)^2.
    expect(objective).toBeCloseTo(64 + 256, 9)
    expect(degreesOfFreedom).toBe(1)
  })

  it('leaves voltages and reactive power out', () => {
    const others: readonly Measurement[] = [
      { kind: 'v', bus: 2, value: 9, sigma: 0.01 },
      { kind: 'q_flow', branch: 1, side: 'from', value: 9, sigma: 0.01 },
      { kind: 'q_injection', bus: 2, value: 9, sigma: 0.01 },
    ]
    expect(estimateDcState(twoBusNetwork, [flow(1), ...others])).toEqual(estimateDcState(twoBusNetwork, [flow(1)]))
  })

  it('finds the angles of the DC power flow from its own injections, the slack being zero', () => {
    const network = { ...findCase('case14'), shunts: [] }
    const truth = solveDcPowerFlow(network)
    const measurements = network.branches.map(
      (branch, index): Measurement => ({
        kind: 'p_flow',
        branch: branch.number,
        side: index % 2 === 0 ? 'from' : 'to',
        value: ((truth.flowMw[index] ?? 0) / network.baseMva) * (index % 2 === 0 ? 1 : -1),
        sigma: 0.01,
      }),
    )
    const { vaRad, objective } = estimateDcState(network, measurements)
    const slack = truth.vaRad[0] ?? 0
    for (const [position, angle] of truth.vaRad.entries()) {
      expect(vaRad[position]).toBeCloseTo(angle - slack, 9)
    }
    expect(objective).toBeLessThan(1e-12)
  })

  it('estimates every island from its own slack, and no angle at dead buses', () => {
    // Bus 8 is a condenser's: its branch open, it is dead. 16-19 cuts two machines off from the rest of case39.
    for (const [name, open, dead] of [
      ['case14', 14, 8],
      ['case39', 27, undefined],
      ['case118', 1, undefined],
    ] as const) {
      const network = openBranches({ ...findCase(name), shunts: [] }, new Set([open]))
      const truth = solveDcPowerFlow(network)
      const measurements = network.branches.map(
        ({ number }, index): Measurement => ({
          kind: 'p_flow',
          branch: number,
          side: 'from',
          value: (truth.flowMw[index] ?? 0) / network.baseMva,
          sigma: 0.01,
        }),
      )
      const { vaRad } = estimateDcState(network, measurements)
      for (const [position, angle] of truth.vaRad.entries()) expect(vaRad[position]).toBeCloseTo(angle, 8)
      if (dead !== undefined) expect(vaRad[busPosition(network, dead)]).toBe(0)
    }
  })

  it('reports how many angles are not determined by how many meters', () => {
    expect(() => estimateDcState(twoBusNetwork, [])).toThrow(
      expect.objectContaining({
        code: 'not_observable',
        message:
          'Cannot estimate DC state: 0 measurements leave some of 1 angles undetermined, expected a path to every bus',
      }),
    )
  })
})
