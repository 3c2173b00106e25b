/** The part of the demand that a solution serves. */

import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { toSolution } from '#grid/plant/solution.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'

const network = findCase('case9')
const result = solvePowerFlow(network)
const caseLoadMw = network.loads.reduce((sum, { pMw }) => sum + pMw, 0)

describe('toSolution()', () => {
  it('serves every load of the network, and keeps the voltages and flows that were solved', () => {
    const solution = toSolution(network, result, caseLoadMw)
    expect(solution).toMatchObject({ demandMw: caseLoadMw, servedMw: caseLoadMw, vmPu: result.vmPu })
    expect(solution.branches).toBe(result.branches)
  })

  it('counts a load that the network has lost as demand that is not served', () => {
    const [lost, ...loads] = network.loads
    const { demandMw, servedMw } = toSolution({ ...network, loads }, result, caseLoadMw)
    expect(demandMw).toBe(caseLoadMw)
    expect(servedMw).toBeCloseTo(caseLoadMw - (lost?.pMw ?? 0), 9)
  })

  it('keeps the demand beside what is served', () => {
    const loads = network.loads.map((load) => ({ ...load, pMw: load.pMw * 1.2 }))
    const { demandMw, servedMw } = toSolution({ ...network, loads }, result, caseLoadMw * 1.2)
    expect([demandMw, servedMw]).toEqual([expect.closeTo(caseLoadMw * 1.2, 9), expect.closeTo(caseLoadMw * 1.2, 9)])
  })

  it('serves nothing of an island without voltage, and only the share that could be solved', () => {
    const islands = result.islands.map((island) => ({ ...island, energized: false }))
    expect(toSolution(network, { ...result, islands }, caseLoadMw).servedMw).toBe(0)
    expect(toSolution(network, { ...result, solvedShare: 0.5 }, caseLoadMw).servedMw).toBeCloseTo(caseLoadMw / 2, 9)
  })
})
