import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { findIslands } from '#grid/network/islands.ts'
import { busPosition, openBranches } from '#grid/network/network.ts'
import { outageFactors, solveDcPowerFlow } from '#grid/power-flow/dc-power-flow.ts'
import vectors from '../../vectors/grid-power-flow.json' with { type: 'json' }

const degrees = 180 / Math.PI

describe('solveDcPowerFlow()', () => {
  it.each(['case9', 'case14', 'case30'] as const)('gives the angles and flows of the reference for %s', (name) => {
    const network = findCase(name)
    const result = solveDcPowerFlow(network)
    const { dc_bus, dc_branch } = vectors.cases[name].reference
    for (const [bus = 0, va = 0] of dc_bus) {
      const angle = (result.vaRad[busPosition(network, bus)] ?? 0) * degrees
      expect(Math.abs(angle - va)).toBeLessThanOrEqual(vectors.tolerances.va_deg)
    }
    dc_branch.forEach(([, , flow = 0], index) => {
      expect(Math.abs((result.flowMw[index] ?? 0) - flow)).toBeLessThanOrEqual(vectors.tolerances.flow_mw)
    })
  })

  it.each(caseNames)('balances at every bus of %s but the slack', (name) => {
    const network = findCase(name)
    const { flowMw, vaRad } = solveDcPowerFlow(network)
    const sums = new Map<number, number>()
    const add = (bus: number, mw: number): void => void sums.set(bus, (sums.get(bus) ?? 0) + mw)
    for (const { bus, pMw } of network.loads) add(bus, -pMw)
    for (const { bus, gMw } of network.shunts) add(bus, -gMw)
    for (const { bus, pMw } of network.generators) add(bus, pMw)
    network.branches.forEach(({ from, to }, index) => {
      add(from, -(flowMw[index] ?? 0))
      add(to, flowMw[index] ?? 0)
    })
    for (const [bus, mw] of sums) if (bus !== network.slackBus) expect(Math.abs(mw)).toBeLessThan(1e-6)
    expect(vaRad[busPosition(network, network.slackBus)]).toBeCloseTo(network.slackAngleDeg / degrees, 12)
  })

  it('keeps a phase shifter at its angle: no flow when the angles differ by the shift', () => {
    const network = findCase('case14')
    const shifted = {
      ...network,
      branches: network.branches.map((branch) => (branch.number === 14 ? { ...branch, shiftDeg: 7 } : branch)),
    }
    const before = solveDcPowerFlow(network)
    const after = solveDcPowerFlow(shifted)
    // Only branch 14 feeds bus 8, so the shift moves the angle of bus 8 and no flow.
    expect((before.vaRad[7] ?? 0) - (after.vaRad[7] ?? 0)).toBeCloseTo(7 / degrees, 9)
    expect(after.flowMw[13]).toBeCloseTo(before.flowMw[13] ?? 0, 9)
  })

  it('gives dead buses no angle and their branches no flow', () => {
    const result = solveDcPowerFlow(openBranches(findCase('case14'), new Set([17, 20])))
    expect(result.vaRad[13]).toBe(0)
    expect(result.flowMw[16]).toBeCloseTo(0, 12)
  })
})

describe('outageFactors()', () => {
  it.each(['case14', 'case39', 'case118'] as const)('predict the flows after every outage of %s exactly', (name) => {
    const network = findCase(name)
    const before = solveDcPowerFlow(network).flowMw
    const factors = outageFactors(network)
    factors.forEach((row, outage) => {
      if (row === undefined || outage % 7 !== 0) return
      const number = network.branches[outage]?.number ?? 0
      const after = solveDcPowerFlow(openBranches(network, new Set([number]))).flowMw
      row.forEach((factor, index) => {
        const expected = (before[index] ?? 0) + factor * (before[outage] ?? 0)
        expect(Math.abs((after[index] ?? 0) - expected)).toBeLessThan(1e-6)
      })
    })
  })

  it('have no row for an outage that divides an island, one without voltage too', () => {
    const base = openBranches(findCase('case9'), new Set([1, 3, 4]))
    for (const network of [
      base,
      { ...base, generators: base.generators.map((unit) => ({ ...unit, inService: false })) },
    ]) {
      const before = findIslands(network).length
      const rows = outageFactors(network).map((row) => row === undefined)
      const divides = network.branches.map(
        ({ number }) => findIslands(openBranches(network, new Set([number]))).length > before,
      )
      expect(rows).toEqual(divides)
      expect(rows).toContain(true)
    }
  })
})
