/** Flows, outputs and losses at voltages that are given: a line, a transformer, and machines that share a bus. */

import { describe, expect, it } from 'vitest'
import { type Network, openBranches } from '#grid/network/network.ts'
import { type Problem, prepare } from '#grid/power-flow/problem.ts'
import { type PowerFlowResult, toResult } from '#grid/power-flow/result.ts'
import type { Voltages } from '#grid/power-flow/voltage-profile.ts'
import { must } from '../../support/must.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const machine = must(twoBusNetwork.generators[0])
const line = must(twoBusNetwork.branches[0])

/** The result of a network at voltages of its two buses. */
function resultAt(
  network: Network,
  [v1, v2]: readonly [number, number],
  angle: number,
  solvedShare = 1,
): PowerFlowResult {
  const voltages = { magnitude: Float64Array.of(v1, v2), angle: Float64Array.of(0, angle) }
  const problem = prepare(network, {})
  // No iteration: the injections at these voltages are all that is computed.
  const [p, q] = [0, 1].map((part) =>
    Float64Array.from({ length: 2 }, (_, bus) => injection(problem, voltages, bus, part)),
  )
  const injections = { p: must(p), q: must(q) }
  const attempt = { voltages, converged: solvedShare === 1, iterations: 3, mismatchPu: 1e-9, injections }
  return toResult(problem, { attempt, solvedShare, startedFrom: 'flat' })
}

/** V_i sum V_k (G cos + B sin) and V_i sum V_k (G sin - B cos). */
function injection({ plan, admittance }: Problem, { magnitude, angle }: Voltages, bus: number, part: number): number {
  let sum = 0
  for (let slot = plan.pattern.rowStart[bus] ?? 0; slot < (plan.pattern.rowStart[bus + 1] ?? 0); slot++) {
    const other = plan.pattern.columns[slot] ?? 0
    const turned = (angle[bus] ?? 0) - (angle[other] ?? 0)
    const [g, b] = [admittance.conductance[slot] ?? 0, admittance.susceptance[slot] ?? 0]
    const value = part === 0 ? g * Math.cos(turned) + b * Math.sin(turned) : g * Math.sin(turned) - b * Math.cos(turned)
    sum += (magnitude[bus] ?? 0) * (magnitude[other] ?? 0) * value
  }
  return sum
}

describe('toResult()', () => {
  it('computes V1 V2 sin(delta) / X through a line without losses', () => {
    const { branches, lossesMw } = resultAt(
      { ...twoBusNetwork, loads: [{ bus: 2, pMw: 500 * 0.95, qMvar: 0 }] },
      [1, 0.95],
      -Math.PI / 6,
    )
    // 1 * 0.95 * sin 30 degrees / 0.1 = 4.75 per unit at both ends.
    expect(branches[0]?.fromMw).toBeCloseTo(475, 9)
    expect(branches[0]?.toMw).toBeCloseTo(-475, 9)
    // V1 (V1 - V2 cos 30 degrees) / X and V2 (V2 - V1 cos 30 degrees) / X.
    expect(branches[0]?.fromMvar).toBeCloseTo(1000 * (1 - 0.95 * Math.cos(Math.PI / 6)), 9)
    expect(branches[0]?.toMvar).toBeCloseTo(950 * (0.95 - Math.cos(Math.PI / 6)), 9)
    expect(branches[0]?.loadingMva).toBeCloseTo(Math.hypot(475, 1000 * (1 - 0.95 * Math.cos(Math.PI / 6))), 9)
    expect(lossesMw).toBeCloseTo(0, 9)
  })

  it('counts what a resistance turns into heat as losses: I^2 R', () => {
    const { lossesMw, branches } = resultAt(
      { ...twoBusNetwork, branches: [{ ...line, r: 0.1, x: 0 + 1e-12 }], loads: [] },
      [1, 0.9],
      0,
    )
    // The current is 0.1 / 0.1 = 1 per unit: 0.1 per unit of heat. 90 MW leave the line at bus 2.
    expect((branches[0]?.fromMw ?? 0) + (branches[0]?.toMw ?? 0)).toBeCloseTo(10, 6)
    expect(branches[0]?.toMw).toBeCloseTo(-90, 6)
    // Without a load at bus 2 everything that the machine gives is lost.
    expect(lossesMw).toBeCloseTo(100, 6)
  })

  it('puts the ratio of a transformer at its from side', () => {
    const network = { ...twoBusNetwork, branches: [{ ...line, ratio: 1.1 }], loads: [] }
    const { branches } = resultAt(network, [1.1, 1], 0)
    // 1.1 behind the ratio is 1: no voltage across the reactance, so nothing flows.
    expect(branches[0]).toMatchObject({ fromMw: expect.closeTo(0, 9), fromMvar: expect.closeTo(0, 9) })
    expect(resultAt(network, [1, 1], 0).branches[0]?.toMvar).toBeCloseTo(1000 * (1 - 1 / 1.1), 9)
  })

  it('lets the first machine of the slack bus take the rest, and shares reactive power by ranges', () => {
    const second = { ...machine, pMw: 30, qMaxMvar: 100, qMinMvar: -100 }
    const loads = [
      { bus: 1, pMw: 20, qMvar: 40 },
      { bus: 2, pMw: 100, qMvar: 0 },
    ]
    const { generators } = resultAt({ ...twoBusNetwork, generators: [machine, second], loads }, [1, 1], -Math.asin(0.1))
    // 100 MW leave through the line, 20 MW are the load's: the second gives its 30 MW, the first 90 MW.
    expect(generators.map(({ pMw }) => pMw)).toEqual([expect.closeTo(90, 9), 30])
    // Ranges of 600 and 200 MVAr share what the line takes and 40 MVAr of load as 3 to 1.
    const together = 1000 * (1 - Math.cos(Math.asin(0.1))) + 40
    expect(generators.map(({ qMvar }) => qMvar)).toEqual([
      expect.closeTo(together * 0.75, 8),
      expect.closeTo(together * 0.25, 8),
    ])
  })

  it('scales the dispatch with the share that was solved, except the slack, which balances', () => {
    const second = { ...machine, bus: 2, pMw: 40 }
    const result = resultAt({ ...twoBusNetwork, generators: [machine, second] }, [1, 1], -Math.asin(0.03), 0.5)
    expect(result.generators.map(({ pMw }) => pMw)).toEqual([expect.closeTo(30, 9), 20])
    // Half the load of 100 MW is fed by 30 and 20 MW.
    expect(result.lossesMw).toBeCloseTo(0, 9)
    expect([result.converged, result.solvedShare]).toEqual([false, 0.5])
  })

  it('gives machines out of service and in dead islands nothing, and dead loads no part in losses', () => {
    const idle = { ...machine, bus: 2, inService: false, pMw: 77 }
    // A condenser cannot balance an island: bus 2 is dead once the line is open.
    const condenser = { ...machine, bus: 2, pMaxMw: 0, pMw: 0 }
    const network = openBranches({ ...twoBusNetwork, generators: [machine, idle, condenser] }, new Set([1]))
    const { generators, lossesMw, islands } = resultAt(network, [1, 0], 0)
    expect(generators.slice(1)).toEqual([
      { pMw: 0, qMvar: 0 },
      { pMw: 0, qMvar: 0 },
    ])
    expect(islands.map(({ energized }) => energized)).toEqual([true, false])
    expect(lossesMw).toBeCloseTo(0, 9)
  })
})
