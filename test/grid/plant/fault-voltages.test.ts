/** Voltages during a fault: those before it without one, lower with one, and lowest beside it. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { solveFault } from '#grid/plant/fault-voltages.ts'
import { toSolution } from '#grid/plant/solution.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { scaleLoads } from '../../support/scale-loads.ts'

const solved = (name: (typeof caseNames)[number], scale = 1) => {
  const network = scaleLoads(findCase(name), scale)
  return { network, before: toSolution(network, solvePowerFlow(network), 0) }
}

describe('solveFault()', () => {
  it.each(caseNames)('gives the solution of %s again where nothing has a fault', (name) => {
    const { network, before } = solved(name)
    const { vmPu, branches, generators } = solveFault(network, before, [])
    vmPu.forEach((vm, bus) => {
      expect(vm).toBeCloseTo(before.vmPu[bus] ?? 0, 6)
    })
    branches.forEach(({ fromMw, toMvar }, index) => {
      expect(fromMw).toBeCloseTo(before.branches[index]?.fromMw ?? 0, 3)
      expect(toMvar).toBeCloseTo(before.branches[index]?.toMvar ?? 0, 3)
    })
    generators.forEach(({ qMvar }, index) => {
      expect(qMvar).toBeCloseTo(before.generators[index]?.qMvar ?? 0, 3)
    })
  })

  it('of any line lowers voltages around it the most, and feeds the fault from both ends', () => {
    const anyFault = fc.record({
      name: fc.constantFrom(...caseNames),
      at: fc.nat(),
      scale: fc.double({ min: 0.6, max: 1.1, noNaN: true }),
    })
    fc.assert(
      fc.property(anyFault, ({ name, at, scale }) => {
        const { network, before } = solved(name, scale)
        const line = network.branches[at % network.branches.length]
        const index = at % network.branches.length
        if (line === undefined || !before.vmPu.every((vm) => vm > 0)) return
        const { vmPu, branches } = solveFault(network, before, [line.number])
        const drop = (bus: number) => {
          const position = network.buses.findIndex(({ id }) => id === bus)
          return (before.vmPu[position] ?? 0) - (vmPu[position] ?? 0)
        }
        const drops = network.buses.map(({ id }) => drop(id))
        expect(Math.min(...drops)).toBeGreaterThan(-0.02)
        expect(Math.max(drop(line.from), drop(line.to))).toBeCloseTo(Math.max(...drops), 9)
        const flow = branches[index]
        // No power leaves a fault: each end takes reactive power, the charging of the line aside.
        expect(Math.min(flow?.fromMvar ?? 0, flow?.toMvar ?? 0)).toBeGreaterThan(-100 * line.b - 1e-6)
        expect(Math.min(flow?.fromMw ?? 0, flow?.toMw ?? 0)).toBeGreaterThan(-1e-6)
      }),
      { numRuns: 60, seed: 1 },
    )
  })

  it('is the textbook quotient at a line that one machine feeds: half of its impedance over the whole way', () => {
    const network = { ...findCase('case9'), loads: [], shunts: [] }
    const before = toSolution(network, solvePowerFlow(network), 0)
    const { vmPu } = solveFault(network, before, [1])
    // Bus 1 feeds line 1-4 (x = 0.0576) through its own reactance; no resistance divides the voltage otherwise.
    const unit = network.generators.find(({ bus }) => bus === 1)
    const reactance = (0.25 * network.baseMva) / (unit?.machineMva ?? 1)
    const { qMvar = 0, pMw = 0 } = before.generators[0] ?? {}
    const [vm = 1] = before.vmPu
    const behind = Math.hypot(vm + (reactance * qMvar) / network.baseMva / vm, (reactance * pMw) / network.baseMva / vm)
    expect(vmPu[0]).toBeCloseTo((behind * 0.0288) / (0.0288 + reactance), 6)
  })
})
