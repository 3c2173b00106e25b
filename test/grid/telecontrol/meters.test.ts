/** The list of meters: every point of every outstation under its own name, and what each measures is what it says. */

import { describe, expect, it } from 'vitest'
import { evaluateMeasurements, meterSigma, phasorSigma } from '#grid/estimation/measurements.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { trueValue } from '#grid/step/samples.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { contextOf } from '../../support/grid-context.ts'
import { startWorld } from '../../support/grid-session.ts'

describe('meterPoints()', () => {
  it.each(caseNames)('lists each meter of %s once: V, P and Q of a bus, P and Q of a branch, V of a unit', (name) => {
    const { plan, network } = contextOf(startWorld({ case: name }))
    const meters = meterPoints(plan)
    expect(new Set(meters.map((meter) => meter.name)).size).toBe(meters.length)
    expect(meters).toHaveLength(3 * network.buses.length + 2 * network.branches.length + network.pmuBuses.length)
    expect(meterPoints(plan)).toBe(meters)
  })

  it.each(caseNames)('gives each point of %s the place in the grid that its outstation reads', (name) => {
    const context = contextOf(startWorld({ case: name }))
    const points = context.plan.outstations.flatMap((outstation) => outstation.points)
    const meters = meterPoints(context.plan).slice(0, points.length)
    expect(meters.map((meter) => meter.name)).toEqual(points.map((point) => point.name))
    const { solution } = context.world.plant
    const values = evaluateMeasurements(
      findCase(name),
      meters.map(({ point }) => point),
      solution,
    )
    points.forEach((point, index) => {
      expect(Math.abs((values[index] ?? Number.NaN) - trueValue(context, point))).toBeLessThan(1e-6)
    })
  })

  it('gives the accuracy of each', () => {
    const sigmas = new Map<string, number>()
    for (const { name, point } of meterPoints(contextOf().plan)) {
      sigmas.set(name.replace(/_[\d-]+$/, ''), point.sigma)
    }
    expect(Object.fromEntries(sigmas)).toEqual({
      V: meterSigma.v,
      Pinj: meterSigma.p_inj,
      Qinj: meterSigma.q_inj,
      Pflow: meterSigma.p_flow,
      Qflow: meterSigma.q_flow,
      PMU_V: phasorSigma.magnitudePu,
    })
  })
})
