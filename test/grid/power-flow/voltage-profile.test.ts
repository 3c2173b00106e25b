/** The start of an iteration: voltages of a given profile, and of the set points elsewhere. */

import { describe, expect, it } from 'vitest'
import { openBranches } from '#grid/network/network.ts'
import { prepare } from '#grid/power-flow/problem.ts'
import { flatStart, readStart, turnedStart } from '#grid/power-flow/voltage-profile.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

/** Bus 1 is the slack at 1 pu and pi/6, bus 2 has a load only. */
const problem = prepare({ ...twoBusNetwork, slackAngleDeg: 30 }, {})
const sixth = Math.PI / 6

describe('readStart()', () => {
  it('takes what is to be found from the profile, and what is held from the set points', () => {
    const { magnitude, angle } = readStart(problem, { vmPu: [0.8, 0.95], vaRad: [2, 0.4] })
    expect([...magnitude]).toEqual([1, 0.95])
    expect([angle[0], angle[1]]).toEqual([expect.closeTo(sixth, 15), 0.4])
  })

  it.each([0, 0.3, -1, Number.NaN])('begins a bus at 1 pu that had %d pu, as after it was dead', (vm) => {
    expect(readStart(problem, { vmPu: [1, vm], vaRad: [0, 0] }).magnitude[1]).toBe(1)
  })

  it('takes a low voltage that is not a dead one', () => {
    expect(readStart(problem, { vmPu: [1, 0.301], vaRad: [0, 0] }).magnitude[1]).toBe(0.301)
  })

  it('begins an angle at the reference that is not a number', () => {
    const { angle } = readStart(problem, { vmPu: [1, 1], vaRad: [0, Number.NaN] })
    expect(angle[1]).toBeCloseTo(sixth, 15)
  })

  it('gives a bus that is dead now no voltage', () => {
    const dead = prepare(openBranches({ ...twoBusNetwork, slackAngleDeg: 30 }, new Set([1])), {})
    const { magnitude, angle } = readStart(dead, { vmPu: [1, 0.97], vaRad: [0.5, 0.4] })
    expect([magnitude[1], angle[1]]).toEqual([0, 0])
  })

  it('refuses a profile of another network', () => {
    expect(() => readStart(problem, { vmPu: [1, 1], vaRad: [0] })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'Cannot start power flow: the profile has 2 magnitudes and 1 angles, expected 2',
      }),
    )
  })
})

describe('flatStart()', () => {
  it('gives copies: what an iteration changes is not the problem', () => {
    const start = flatStart(problem)
    expect([...start.magnitude]).toEqual([1, 1])
    expect(start.angle[1]).toBeCloseTo(sixth, 15)
    start.magnitude.fill(9)
    start.angle.fill(9)
    expect([...flatStart(problem).magnitude]).toEqual([1, 1])
    expect(flatStart(problem).angle[0]).toBeCloseTo(sixth, 15)
  })
})

describe('turnedStart()', () => {
  it('turns what is behind a phase shifter by its shift and the angle of the DC model', () => {
    const [line] = twoBusNetwork.branches
    const branches = line === undefined ? [] : [{ ...line, shiftDeg: 90 }]
    const start = turnedStart(prepare({ ...twoBusNetwork, slackAngleDeg: 30, branches }, {}))
    const { magnitude, angle } = start ?? { magnitude: [], angle: [] }
    expect([...magnitude]).toEqual([1, 1])
    const load = twoBusNetwork.loads.reduce((sum, { pMw }) => sum + pMw / twoBusNetwork.baseMva, 0)
    expect(angle[0]).toBeCloseTo(sixth, 15)
    expect(angle[1]).toBeCloseTo(sixth - Math.PI / 2 - load * 0.1, 12)
  })

  it('is not there without a phase shift', () => {
    expect(turnedStart(problem)).toBeUndefined()
  })
})
