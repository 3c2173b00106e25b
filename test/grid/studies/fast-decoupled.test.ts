import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { openBranches } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { solveFastDecoupled } from '#grid/studies/fast-decoupled.ts'
import { scaleLoads } from '../../support/scale-loads.ts'
import vectors from '../../vectors/grid-power-flow.json' with { type: 'json' }

describe.each(caseNames)('solveFastDecoupled() of %s', (name) => {
  const network = findCase(name)
  const { xb, bx } = vectors.cases[name].fast_decoupled_iterations

  it.each([
    ['XB', xb],
    ['BX', bx],
  ] as const)('%s converges in the %d iterations of the reference to the solution of Newton', (scheme, count) => {
    const result = solveFastDecoupled(network, scheme)
    const newton = solvePowerFlow(network)
    expect(result).toMatchObject({ converged: true, iterations: count })
    newton.vmPu.forEach((vm, bus) => {
      expect(result.vmPu[bus]).toBeCloseTo(vm, 7)
      expect(result.vaRad[bus]).toBeCloseTo(newton.vaRad[bus] ?? 0, 7)
    })
  })
})

describe('solveFastDecoupled()', () => {
  it('solves islands and leaves dead buses at zero', () => {
    const network = openBranches(findCase('case14'), new Set([17, 20]))
    const result = solveFastDecoupled(network, 'XB')
    expect(result.converged).toBe(true)
    expect(result.vmPu[13]).toBe(0)
    expect(result.vmPu[8]).toBeCloseTo(solvePowerFlow(network).vmPu[8] ?? 0, 7)
  })

  it('reports when it does not converge', () => {
    const { converged, iterations, history } = solveFastDecoupled(scaleLoads(findCase('case14'), 12), 'BX')
    expect(converged).toBe(false)
    // The mismatch before the first half-step and after each of them.
    expect(history).toHaveLength(1 + 2 * iterations)
  })
})
