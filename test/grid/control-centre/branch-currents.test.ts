/** Measured currents against estimated ones, on a line whose current a hand can compute. */

import { describe, expect, it } from 'vitest'
import { currentLimit, testCurrents } from '#grid/control-centre/branch-currents.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { must } from '../../support/must.ts'
import { estimateView, phasorView } from '../../support/phasor-view.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const plan = planTelecontrol(twoBusNetwork)
const site = must(plan.pmus[0])

/** One per unit through 0.1 pu of reactance: bus 2 lags by asin 0.1. */
const lag = Math.asin(0.1)
const estimate = estimateView({ vmPu: [1, 1], vaRad: [0, -lag] })

/** The current (V1 - V2) / jX: 1 in phase with the voltage, (cos(lag) - 1) / X across it. */
const current = { real: 1, imaginary: (Math.cos(lag) - 1) * 10 }

/** The phasors of a unit, all turned by the same angle. */
function measured(change: { real?: number; imaginary?: number; turn?: number; volts?: number } = {}) {
  const { real = 0, imaginary = 0, turn = 0, volts = 1 } = change
  const [x, y] = [current.real + real, current.imaginary + imaginary]
  return phasorView({
    phasors: [
      { magnitudePu: volts, angleRad: turn },
      { magnitudePu: Math.hypot(x, y), angleRad: Math.atan2(y, x) + turn },
    ],
  })
}

const test = (unit = measured(), seen = estimate, where = site) =>
  testCurrents({ network: twoBusNetwork, plan }, where, unit, seen)

const limit = currentLimit.pu + currentLimit.share * Math.hypot(current.real, current.imaginary)

describe('testCurrents()', () => {
  it.each([0, 1, -3, 3.1])('finds nothing in the current that the estimate has, turned by %d rad', (turn) => {
    expect(test(measured({ turn }))).toEqual([])
  })

  it.each([
    ['along the voltage', 1, 0],
    ['against it', -1, 0],
    ['across it', 0, 1],
  ])('finds a difference %s from the limit on', (_, real, imaginary) => {
    const by = (share: number) => measured({ real: real * share * limit, imaginary: imaginary * share * limit })
    expect(test(by(0.99))).toEqual([])
    expect(test(by(1.01))).toHaveLength(1)
  })

  it('reports the breaker, the difference and the limit', () => {
    expect(test(measured({ real: 0.5 }))).toEqual([
      {
        detector: 'current',
        where: 'PMU-1',
        text: 'the current through CB-1-2 is 0.500 pu off the estimate',
        evidence: { off_pu: expect.closeTo(0.5, 6), limit_pu: expect.closeTo(limit, 6), breaker: 'CB-1-2' },
      },
    ])
  })

  it('measures the current out of the line at its far end', () => {
    const far = { ...site, currents: [{ branch: 1, end: 'to' as const }] }
    // Relative to V2 the same current flows out, and the line is symmetric: conjugate of the near end, negated.
    const unit = phasorView({
      phasors: [
        { magnitudePu: 1, angleRad: -lag },
        {
          magnitudePu: Math.hypot(current.real, current.imaginary),
          angleRad: Math.atan2(current.imaginary, -current.real) - lag,
        },
      ],
    })
    expect(test(unit, estimate, far)).toEqual([])
    expect(test(measured(), estimate, far)).toHaveLength(1)
  })

  it.each(['from', 'to'] as const)('takes the resistance of a line into account at its %s end', (end) => {
    // 0.1 pu of voltage across 0.1 pu of resistance is 1 pu, into the line at bus 1 and out of it at bus 2.
    const network = {
      ...twoBusNetwork,
      branches: twoBusNetwork.branches.map((branch) => ({ ...branch, r: 0.1, x: 0 })),
    }
    const seen = { ...estimate, vmPu: [1, 0.9], vaRad: [0, 0] }
    const found = (currentAngle: number) =>
      testCurrents(
        { network, plan },
        { ...site, currents: [{ branch: 1, end }] },
        phasorView({
          phasors: [
            { magnitudePu: 1, angleRad: 0 },
            { magnitudePu: 1, angleRad: currentAngle },
          ],
        }),
        seen,
      ).length
    expect([found(0), found(Math.PI)]).toEqual(end === 'from' ? [0, 1] : [1, 0])
  })

  it('finds nothing at a dead bus, or for a current that the unit does not report', () => {
    expect(test(measured({ real: 9, volts: 0.09 }))).toEqual([])
    expect(test(phasorView())).toEqual([])
    expect(test(phasorView({ phasors: [] }))).toEqual([])
  })

  it('names the branch that is furthest off its limit', () => {
    const second = { ...must(twoBusNetwork.branches[0]), number: 2 }
    const network = { ...twoBusNetwork, branches: [...twoBusNetwork.branches, second] }
    const both = planTelecontrol(network)
    const unit = measured({ real: 0.5 })
    const [voltage, less] = unit.phasors.map((phasor) => must(phasor))
    const more = must(measured({ real: 0.9 }).phasors[1])
    const named = (...currents: readonly (typeof more)[]) =>
      testCurrents(
        { network, plan: both },
        must(both.pmus[0]),
        { ...unit, phasors: [must(voltage), ...currents] },
        estimate,
      ).map(({ evidence }) => evidence.breaker)
    expect(named(must(less), more)).toEqual(['CB-1-2-2'])
    expect(named(more, must(less))).toEqual(['CB-1-2'])
  })
})
