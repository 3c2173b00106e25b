/** Reactive limits: the rule itself, over random grids, and the ways of a bus to a limit and back. */

import { describe, expect, it } from 'vitest'
import { type CaseName, caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { type Network, openBranches } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import type { PowerFlowResult } from '#grid/power-flow/result.ts'
import { randomOf } from '../../support/random.ts'
import { sweep } from '../../support/sweep.ts'

/** A case with one or two branches open, other loads, dispatch and set points. */
function randomNetwork(name: CaseName, random: () => number): Network {
  const base = findCase(name)
  const scale = 0.5 + random()
  const branch = () => 1 + Math.floor(random() * base.branches.length)
  const near = () => scale * (0.8 + 0.4 * random())
  return {
    ...openBranches(base, new Set(random() < 0.5 ? [branch()] : [branch(), branch()])),
    loads: base.loads.map(({ bus, pMw, qMvar }) => ({ bus, pMw: pMw * near(), qMvar: qMvar * near() })),
    generators: base.generators.map((unit) => ({
      ...unit,
      pMw: unit.pMw * scale,
      vSetpointPu: unit.vSetpointPu + 0.06 * (random() - 0.5),
    })),
  }
}

/** Machines against the rule: at a limit with the voltage on the wrong side, and beyond a limit. */
function countBroken({ buses, generators }: Network, result: PowerFlowResult) {
  const limited = new Map(result.limited.map(({ bus, at }) => [bus, at]))
  const slacks = new Set(result.islands.map(({ slackBus }) => slackBus))
  let [wrongSide, beyond] = [0, 0]
  generators.forEach((unit, index) => {
    const position = buses.findIndex(({ id }) => id === unit.bus)
    const [v, q] = [result.vmPu[position] ?? 0, result.generators[index]?.qMvar ?? 0]
    if (v === 0 || slacks.has(unit.bus)) return
    const side = limited.get(unit.bus)
    if (side === 'max' && v > unit.vSetpointPu + 1e-6) wrongSide += 1
    if (side === 'min' && v < unit.vSetpointPu - 1e-6) wrongSide += 1
    if (side === undefined && Math.abs(v - unit.vSetpointPu) > 1e-9) wrongSide += 1
    if (q > unit.qMaxMvar + 1e-3 || q < unit.qMinMvar - 1e-3) beyond += 1
  })
  return { wrongSide, beyond }
}

describe('solveWithLimits()', () => {
  it('leaves no machine at a limit with its voltage on the other side of its set point', () => {
    const random = randomOf(7)
    let [solved, beyond] = [0, 0]
    for (const name of caseNames) {
      for (let run = 0; run < sweep(300, 30); run++) {
        const network = randomNetwork(name, random)
        const result = solvePowerFlow(network, { reactiveLimits: true })
        if (!result.converged) continue
        solved += 1
        const broken = countBroken(network, result)
        expect(broken.wrongSide, `${name}, run ${run}`).toBe(0)
        if (broken.beyond > 0) beyond += 1
      }
    }
    expect(solved).toBeGreaterThan(sweep(300, 30) * 4)
    // Where two roots contradict each other, in one of a hundred grids with set points at random.
    expect(beyond / solved).toBeLessThan(0.03)
  })

  it('lets a machine return to its voltage when the load has fallen, from the limits of the solution before', () => {
    const base = findCase('case14')
    const scaled = (scale: number): Network => ({
      ...base,
      loads: base.loads.map(({ bus, pMw, qMvar }) => ({ bus, pMw: pMw * scale, qMvar: qMvar * scale })),
    })
    const heavy = solvePowerFlow(scaled(1.4), { reactiveLimits: true })
    expect(heavy.limited.length).toBeGreaterThan(1)
    expect(heavy.limited).toContainEqual({ bus: 3, at: 'max' })
    const light = solvePowerFlow(scaled(1), { reactiveLimits: true, start: heavy })
    expect(light.limited).toEqual([])
    expect(light.vmPu[2]).toBe(1.01)
    const again = solvePowerFlow(scaled(1.4), { reactiveLimits: true, start: light })
    expect(again.limited).toEqual(heavy.limited)
    expect(again.vmPu[13]).toBeCloseTo(heavy.vmPu[13] ?? 0, 6)
  })

  it('is the solution without limits where none is reached', () => {
    for (const name of ['case9', 'case14', 'case30'] as const) {
      const network = findCase(name)
      const { limited, vmPu } = solvePowerFlow(network, { reactiveLimits: true })
      expect([limited, vmPu]).toEqual([[], solvePowerFlow(network).vmPu])
    }
  })
})
