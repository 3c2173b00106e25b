import { describe, expect, it } from 'vitest'
import { branchAdmittance, planGrid, sumAdmittance } from '#grid/network/admittance.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { toDense } from '#grid/network/linear-algebra/elimination-plan.ts'
import { openBranches } from '#grid/network/network.ts'

describe('sumAdmittance()', () => {
  it.each(caseNames)('is symmetric for %s, which has no phase shifters', (name) => {
    const network = findCase(name)
    const plan = planGrid(network)
    const { conductance, susceptance } = sumAdmittance(network, plan, network.branches.map(branchAdmittance))
    const size = network.buses.length
    for (const values of [conductance, susceptance]) {
      const full = toDense(plan.pattern, values)
      for (let row = 0; row < size; row++) {
        for (let column = 0; column < row; column++) {
          expect(full[row * size + column]).toBeCloseTo(full[column * size + row] ?? 0, 12)
        }
      }
    }
  })

  it('keeps the plan while breakers and loads change and makes another for other branches', () => {
    const network = findCase('case30')
    const plan = planGrid(network)
    expect(planGrid(openBranches(network, new Set([1, 5])))).toBe(plan)
    expect(planGrid({ ...network, branches: network.branches.slice(1) })).not.toBe(plan)
  })
})

describe('branchAdmittance()', () => {
  it('turns a phase shifter against itself: Yft and Ytf are no longer equal', () => {
    const branch = findCase('case14').branches[7]
    if (branch === undefined) throw new Error('case14 has twenty branches')
    const port = branchAdmittance({ ...branch, r: 0, x: 0.2, b: 0, ratio: 1, shiftDeg: 90 })
    // y = -5j, a = j: Yft = -y / conj(a) = -5, Ytf = -y / a = 5.
    expect(port.ftG).toBeCloseTo(-5, 12)
    expect(port.tfG).toBeCloseTo(5, 12)
    expect(port.ftB).toBeCloseTo(0, 12)
    expect(port.tfB).toBeCloseTo(0, 12)
    expect(branchAdmittance({ ...branch, inService: false }).ttB).toBe(0)
  })
})
