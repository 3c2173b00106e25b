/** Measurement functions: what they say of a solved grid, and derivatives that are those of the functions. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  branchIndex,
  evaluateMeasurements,
  type MeasurementPoint,
  modelMeasurements,
  nameMeasurement,
} from '#grid/estimation/measurements.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import type { Network } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { fullMeasurementSet } from '../../support/grid-measurements.ts'

/** Every kind of point at every place, flows at both ends. */
function everyPoint(network: Network): MeasurementPoint[] {
  const sigma = 0.01
  return [
    ...network.buses.flatMap(({ id: bus }) =>
      (['v', 'angle', 'p_injection', 'q_injection'] as const).map((kind) => ({ kind, bus, sigma })),
    ),
    ...network.branches.flatMap(({ number: branch }) =>
      (['p_flow', 'q_flow'] as const).flatMap((kind) =>
        (['from', 'to'] as const).map((side) => ({ kind, branch, side, sigma })),
      ),
    ),
  ]
}

describe('evaluateMeasurements()', () => {
  it.each(caseNames)('gives the values of the power flow of %s', (name) => {
    const network = findCase(name)
    const solution = solvePowerFlow(network)
    const points = everyPoint(network)
    const values = evaluateMeasurements(network, points, solution)
    points.forEach((point, index) => {
      const value = (values[index] ?? Number.NaN) * network.baseMva
      if ('branch' in point) {
        const flow = solution.branches[point.branch - 1]
        const [p, q] = point.side === 'from' ? [flow?.fromMw, flow?.fromMvar] : [flow?.toMw, flow?.toMvar]
        expect(value).toBeCloseTo((point.kind === 'p_flow' ? p : q) ?? Number.NaN, 4)
      } else {
        const bus = network.buses.findIndex(({ id }) => id === point.bus)
        if (point.kind === 'v') expect(values[index]).toBe(solution.vmPu[bus])
        if (point.kind === 'angle') expect(values[index]).toBe(solution.vaRad[bus])
      }
    })
  })

  it.each(caseNames)('balances at every bus of %s: what is injected flows out or into the shunt', (name) => {
    const network = findCase(name)
    const solution = solvePowerFlow(network)
    const shunts = new Map(network.shunts.map((shunt) => [shunt.bus, shunt]))
    for (const [position, { id }] of network.buses.entries()) {
      const flows = network.branches.flatMap(({ number, from, to }): MeasurementPoint[] => [
        ...(from === id ? [{ kind: 'p_flow', branch: number, side: 'from', sigma: 1 } as const] : []),
        ...(to === id ? [{ kind: 'p_flow', branch: number, side: 'to', sigma: 1 } as const] : []),
      ])
      const [injected = Number.NaN] = evaluateMeasurements(
        network,
        [{ kind: 'p_injection', bus: id, sigma: 1 }],
        solution,
      )
      const out = evaluateMeasurements(network, flows, solution).reduce((sum, value) => sum + value, 0)
      const shunt = ((shunts.get(id)?.gMw ?? 0) / network.baseMva) * (solution.vmPu[position] ?? 0) ** 2
      expect(injected).toBeCloseTo(out + shunt, 9)
    }
  })
})

describe('modelMeasurements()', () => {
  it('gives derivatives that central differences confirm, in any state', () => {
    const network = findCase('case14')
    const points = everyPoint(network)
    const { rowStart, columns, evaluate } = modelMeasurements(network, points)
    const state = fc.array(
      fc.tuple(fc.double({ min: 0.85, max: 1.15, noNaN: true }), fc.double({ min: -0.6, max: 0.6, noNaN: true })),
      { minLength: network.buses.length, maxLength: network.buses.length, size: 'max' },
    )
    const at = (magnitude: Float64Array, angle: Float64Array) => {
      const values = new Float64Array(points.length)
      evaluate(magnitude, angle, values)
      return values
    }
    const step = 1e-5
    fc.assert(
      fc.property(state, (buses) => {
        const magnitude = Float64Array.from(buses, ([vm]) => vm)
        const angle = Float64Array.from(buses, ([, va]) => va)
        const derivatives = new Float64Array(columns.length)
        evaluate(magnitude, angle, new Float64Array(points.length), derivatives)
        // Row by row as the model claims; places that it leaves out must have no influence.
        const claimed = points.map(
          (_, row) =>
            new Map(
              Array.from(columns.subarray(rowStart[row], rowStart[row + 1]), (column, index) => [
                column,
                derivatives[(rowStart[row] ?? 0) + index] ?? Number.NaN,
              ]),
            ),
        )
        for (let column = 0; column < 2 * buses.length; column++) {
          const moved = (by: number) => {
            const [vm, va] = [magnitude.slice(), angle.slice()]
            const target = column % 2 === 0 ? va : vm
            target[column >> 1] = (target[column >> 1] ?? 0) + by
            return at(vm, va)
          }
          const [up, down] = [moved(step), moved(-step)]
          points.forEach((_, row) => {
            const slope = ((up[row] ?? 0) - (down[row] ?? 0)) / (2 * step)
            expect(Math.abs((claimed[row]?.get(column) ?? 0) - slope)).toBeLessThan(1e-6)
          })
        }
      }),
      { seed: 91, numRuns: 4 },
    )
  })
})

describe('fullMeasurementSet()', () => {
  it.each(caseNames)('holds V, P and Q of every bus of %s and P and Q of every branch, each once', (name) => {
    const network = findCase(name)
    const points = fullMeasurementSet(network)
    expect(points).toHaveLength(3 * network.buses.length + 2 * network.branches.length)
    const places = points.map((point) => JSON.stringify({ ...point, sigma: 0 }))
    expect(new Set(places).size).toBe(points.length)
  })
})

describe('nameMeasurement()', () => {
  it('names flows after the bus where they are measured', () => {
    const network = findCase('case9')
    const name = (point: MeasurementPoint) => nameMeasurement(network, point)
    expect(name({ kind: 'v', bus: 4, sigma: 1 })).toBe('V_4')
    expect(name({ kind: 'p_flow', branch: 2, side: 'from', sigma: 1 })).toBe('Pflow_4-5')
    expect(name({ kind: 'q_flow', branch: 2, side: 'to', sigma: 1 })).toBe('Qflow_5-4')
  })
})

describe('branchIndex()', () => {
  it('finds branches by number where some are missing, and refuses the others', () => {
    const network = findCase('case9')
    const thinned = { ...network, branches: network.branches.filter(({ number }) => number % 2 === 0) }
    expect([2, 4, 8].map((number) => branchIndex(thinned, number))).toEqual([0, 1, 3])
    expect(() => branchIndex(thinned, 3)).toThrow('branch 3 does not exist in "case9"')
    expect(() => branchIndex(thinned, 0)).toThrow('branch 0 does not exist')
  })
})
