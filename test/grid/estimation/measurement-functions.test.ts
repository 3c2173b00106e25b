/** Flow and injection of a line whose numbers a hand can compute: P = 10 V W sin, Q = 10 V^2 - 10 V W cos. */

import { describe, expect, it } from 'vitest'
import { evaluateFlow, evaluateInjection, orientPort } from '#grid/estimation/measurement-functions.ts'
import { branchAdmittance, planGrid, sumAdmittance } from '#grid/network/admittance.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const plan = planGrid(twoBusNetwork)
const ports = twoBusNetwork.branches.map(branchAdmittance)
const grid = { plan, ports, admittance: sumAdmittance(twoBusNetwork, plan, ports) }
/** Bus 1 leads by 30 degrees, with sin = 1/2; bus 2 is at 0.8 pu. */
const voltages = { magnitude: Float64Array.of(1, 0.8), angle: Float64Array.of(Math.PI / 6, 0) }
const cos = Math.sqrt(3) / 2

function expectNear(values: ArrayLike<number>, expected: readonly number[]): void {
  expect(values.length).toBe(expected.length)
  expected.forEach((value, index) => {
    expect(values[index], `value ${index}`).toBeCloseTo(value, 12)
  })
}

describe('orientPort()', () => {
  it('puts the measured end first, with its half of the two-port', () => {
    const ports = [{ ffG: 1, ffB: 2, ftG: 3, ftB: 4, tfG: 5, tfB: 6, ttG: 7, ttB: 8 }]
    const numbered = { ...grid, ports }
    const from = { near: 0, far: 1, nearG: 1, nearB: 2, acrossG: 3, acrossB: 4 }
    const to = { near: 1, far: 0, nearG: 7, nearB: 8, acrossG: 5, acrossB: 6 }
    expect(orientPort(numbered, 0, 'from')).toEqual(from)
    expect(orientPort(numbered, 0, 'to')).toEqual(to)
  })
})

describe('evaluateFlow()', () => {
  it('gives 10 V W sin and 10 V^2 - 10 V W cos from the leading end, and less than nothing from the other', () => {
    const [from, to] = [orientPort(grid, 0, 'from'), orientPort(grid, 0, 'to')]
    expect(evaluateFlow(from, 'p_flow', voltages)).toBeCloseTo(4, 12)
    expect(evaluateFlow(from, 'q_flow', voltages)).toBeCloseTo(10 - 8 * cos, 12)
    expect(evaluateFlow(to, 'p_flow', voltages)).toBeCloseTo(-4, 12)
    expect(evaluateFlow(to, 'q_flow', voltages)).toBeCloseTo(6.4 - 8 * cos, 12)
  })

  it('writes four derivatives at the place of the row, near angle first, and nothing around them', () => {
    const derivatives = new Float64Array(6)
    evaluateFlow(orientPort(grid, 0, 'from'), 'p_flow', voltages, { derivatives, place: 1 })
    expectNear(derivatives, [0, 8 * cos, 4, -8 * cos, 5, 0])
    evaluateFlow(orientPort(grid, 0, 'from'), 'q_flow', voltages, { derivatives, place: 1 })
    expectNear(derivatives, [0, 4, 20 - 8 * cos, -4, -10 * cos, 0])
  })
})

describe('evaluateInjection()', () => {
  it('is the flow into the only line of the bus', () => {
    expect(evaluateInjection(grid, { kind: 'p_injection', position: 0 }, voltages)).toBeCloseTo(4, 12)
    expect(evaluateInjection(grid, { kind: 'q_injection', position: 0 }, voltages)).toBeCloseTo(10 - 8 * cos, 12)
    expect(evaluateInjection(grid, { kind: 'p_injection', position: 1 }, voltages)).toBeCloseTo(-4, 12)
    expect(evaluateInjection(grid, { kind: 'q_injection', position: 1 }, voltages)).toBeCloseTo(6.4 - 8 * cos, 12)
  })

  it('writes the derivatives by each bus of the row in the order of buses, whichever is measured', () => {
    const derivatives = new Float64Array(6)
    evaluateInjection(grid, { kind: 'p_injection', position: 1 }, voltages, { derivatives, place: 2 })
    expectNear(derivatives, [0, 0, -8 * cos, -4, 8 * cos, -5])
    evaluateInjection(grid, { kind: 'q_injection', position: 0 }, voltages, { derivatives, place: 0 })
    expectNear(derivatives.subarray(0, 4), [4, 20 - 8 * cos, -4, -10 * cos])
  })
})
