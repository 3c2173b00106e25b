/** Loads that follow their voltages: the solution is that of constant power at what they take there. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { type LoadModel, type Network, openBranches, totalLoadMw } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { loadsAt, voltageFactor } from '#grid/power-flow/voltage-loads.ts'
import { sweep } from '../../support/sweep.ts'

const shares = {
  active: { impedance: 0.3, current: 0.4 },
  reactive: { impedance: 0.6, current: 0.3 },
} satisfies Partial<LoadModel>

function withModel(network: Network): Network {
  return { ...network, loadModel: { ...shares, referencePu: solvePowerFlow(network).vmPu } }
}

function scaled(network: Network, factor: number): Network {
  const loads = network.loads.map(({ bus, pMw, qMvar }) => ({ bus, pMw: pMw * factor, qMvar: qMvar * factor }))
  return { ...network, loads }
}

describe('voltageFactor()', () => {
  it.each([
    [{ impedance: 1, current: 0 }, 0.81],
    [{ impedance: 0, current: 1 }, 0.9],
    [{ impedance: 0, current: 0 }, 1],
    [{ impedance: 0.3, current: 0.4 }, 0.903],
  ])('of %o at 0.9 of the reference is %d', (one, factor) => {
    expect(voltageFactor(one, 0.9)).toBeCloseTo(factor, 12)
  })
})

describe.each(['case9', 'case14', 'case39', 'case118'])('loadsAt() in %s', (name) => {
  const network = findCase(name)

  it('leaves the published solution as it is, and constant loads at any voltage', () => {
    const result = solvePowerFlow(withModel(network))
    solvePowerFlow(network).vmPu.forEach((vm, bus) => {
      expect(result.vmPu[bus]).toBeCloseTo(vm, 9)
    })
    expect(loadsAt(network, [])).toBe(network.loads)
  })

  it('gives a solution of the same loads held constant, with and without reactive limits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 1.3, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 1, max: network.branches.length }), { maxLength: 3 }),
        fc.boolean(),
        (factor, opened, reactiveLimits) => {
          const changed = scaled(openBranches(withModel(network), new Set(opened)), factor)
          const result = solvePowerFlow(changed, { reactiveLimits })
          if (!result.converged) return
          const { loadModel: _, ...rest } = { ...changed, loads: loadsAt(changed, result.vmPu) }
          const held = solvePowerFlow(rest, { reactiveLimits, start: result })
          expect(held).toMatchObject({ converged: true, limited: result.limited })
          held.vmPu.forEach((vm, bus) => {
            expect(vm).toBeCloseTo(result.vmPu[bus] ?? 0, 6)
          })
          expect(held.lossesMw).toBeCloseTo(result.lossesMw, 3)
        },
      ),
      { seed: 3, numRuns: sweep(200) },
    )
  })

  it('takes less where voltages are lower', () => {
    const low = {
      ...withModel(network),
      generators: network.generators.map((unit) => ({ ...unit, vSetpointPu: 0.95 })),
    }
    const taken = loadsAt(low, solvePowerFlow(low).vmPu).reduce((sum, { pMw }) => sum + pMw, 0)
    expect(taken / totalLoadMw(network)).toBeLessThan(0.98)
  })
})
