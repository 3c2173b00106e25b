/** The control centre: believes honest meters, names false ones, says once what is wrong and again when it returns. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptPhasors, finishScan, measuredFrequency, testUnits } from '#grid/control-centre/control-centre.ts'
import { reportSequence } from '#grid/control-centre/link-monitor.ts'
import { createView, maximumAlarms, type PhasorView } from '#grid/control-centre/view.ts'
import { trueValue } from '#grid/step/samples.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { contextOf } from '../../support/grid-context.ts'
import { startWorld } from '../../support/grid-session.ts'
import { phasorView } from '../../support/phasor-view.ts'

/** A phasor frame that arrived with the beginning of the step. */
const phasors = ({ startUs }: StepContext, change: Partial<PhasorView> = {}) =>
  phasorView({ measuredUs: startUs - 2_000, arrivedUs: startUs, ...change })

/**
 * The end of a scan in which every meter has reported the very truth.
 *
 * @param error - What is added to the value of the meter of a name.
 */
function scanned(error: Readonly<Record<string, number>> = {}, lost: readonly string[] = []): StepContext {
  const context = contextOf()
  const { view } = context.world
  const points = context.plan.outstations.flatMap((outstation) => outstation.points)
  view.values = Object.fromEntries(
    points.map((point) => [point.name, trueValue(context, point) + (error[point.name] ?? 0)]),
  )
  view.fresh = points.map(({ name }) => name).filter((name) => !lost.includes(name))
  return context
}

/** The largest difference between estimated and true voltages in per unit. */
function voltageError({ world }: StepContext): number {
  const { vmPu } = world.plant.solution
  const errors = world.view.estimate?.vmPu.map((vm, bus) => Math.abs(vm - (vmPu[bus] ?? Number.NaN)))
  return Math.max(...(errors ?? [Number.NaN]))
}

const said = ({ world }: StepContext) => world.view.alarms.map(({ detector, where }) => `${detector} ${where}`)

describe('measuredFrequency()', () => {
  it('is that of the first unit, and undefined before its first frame', () => {
    const context = contextOf()
    const view = { ...createView(), phasors: { 'PMU-1': phasors(context, { frequencyHz: 59.98 }) } }
    expect(measuredFrequency(view, 'PMU-1')).toBe(59.98)
    expect([measuredFrequency(view, 'PMU-2'), measuredFrequency(view, undefined)]).toEqual([undefined, undefined])
    const dead = { ...view, phasors: { 'PMU-1': phasors(context, { frequencyHz: 0 }) } }
    expect(measuredFrequency(dead, 'PMU-1')).toBeUndefined()
  })
})

describe('finishScan()', () => {
  it('estimates the state from honest meters and finds nothing wrong', () => {
    const context = scanned()
    finishScan(context)
    const { estimate, alarms, fresh } = context.world.view
    expect(estimate).toMatchObject({ suspicious: false, removed: [] })
    expect(estimate?.objective).toBeLessThan(0.5)
    expect(voltageError(context)).toBeLessThan(5e-5)
    expect([alarms, fresh]).toEqual([[], []])
    expect(context.events).toMatchObject([
      { topic: 'grid', data: { event: 'estimate', suspicious: false, timestamp: context.startUs / 1e6 } },
    ])
  })

  it('names whichever meter is far from the truth, takes it out, and keeps the state', () => {
    const names = scanned()
      .plan.outstations.flatMap(({ points }) => points)
      .filter(({ kind }) => kind === 'p_flow' || kind === 'p_inj')
      .map(({ name }) => name)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.constantFrom(-0.6, 0.6), (name, error) => {
        const context = scanned({ [name]: error })
        finishScan(context)
        const { estimate } = context.world.view
        expect(estimate).toMatchObject({ suspicious: true, largest: { name }, removed: [name] })
        expect(said(context)).toEqual(['chi_square state estimation', `largest_residual ${name}`])
        expect(voltageError(context)).toBeLessThan(5e-4)
      }),
      { seed: 71, numRuns: 25 },
    )
  })

  it.each([10, -100, 3e38])('names a meter that is wrong by %d pu, as one that is wrong by little', (error) => {
    for (const name of ['V_4', 'Pinj_9', 'Qinj_3', 'Pflow_2-3', 'Qflow_6-11']) {
      const context = scanned({ [name]: error })
      finishScan(context)
      const { estimate } = context.world.view
      expect(estimate, name).toMatchObject({ suspicious: true, largest: { name }, removed: [name] })
      expect(said(context)).toEqual(['chi_square state estimation', `largest_residual ${name}`])
      expect(voltageError(context)).toBeLessThan(5e-4)
    }
  })

  it('keeps the state where no state fits, and says so', () => {
    const context = scanned()
    const { view } = context.world
    finishScan(context)
    const before = view.estimate
    const names = Object.keys(view.values)
    view.values = Object.fromEntries(names.map((name, index) => [name, name === 'Pinj_9' ? 1e9 : 1e6 * (index - 30)]))
    view.fresh = names
    finishScan(context)
    expect(view.estimate).toBe(before)
    expect(said(context)).toEqual(['chi_square state estimation'])
    expect(view.alarms[0]).toMatchObject({ evidence: { meter: 'Pinj_9' } })
    expect(view.alarms[0]?.text).toMatch(/^no state fits the meters: .* and Pinj_9 is farthest off$/)
    expect(context.events).toMatchObject([
      { data: { event: 'estimate', suspicious: false } },
      { topic: 'alarm' },
      { data: { event: 'estimate', suspicious: true, largest: { name: 'Pinj_9' } } },
    ])
  })

  it('counts a phasor unit among the meters while its frames arrive in the scan', () => {
    const freedom = (arrivedBeforeUs: number) => {
      const context = scanned()
      const site = context.plan.pmus[0]
      if (site === undefined) throw new Error('no phasor unit')
      const position = context.network.buses.findIndex(({ id }) => id === site.bus)
      const magnitudePu = context.world.plant.solution.vmPu[position] ?? 0
      const arrivedUs = context.startUs - arrivedBeforeUs
      context.world.view.phasors = {
        [site.node]: phasors(context, { arrivedUs, phasors: [{ magnitudePu, angleRad: 0 }] }),
      }
      expect(meterPoints(context.plan).some(({ name }) => name === `PMU_V_${site.bus}`)).toBe(true)
      finishScan(context)
      return context.world.view.estimate?.degreesOfFreedom ?? 0
    }
    expect(freedom(0) - freedom(2_000_001)).toBe(1)
    expect(freedom(2_000_000)).toBe(freedom(0))
  })

  it('leaves the view as it was where too little arrived to determine every bus', () => {
    const context = scanned()
    finishScan(context)
    const before = context.world.view.estimate
    context.world.view.fresh = context.plan.outstations[0]?.points.map(({ name }) => name) ?? []
    finishScan(context)
    expect(context.world.view.estimate).toBe(before)
    finishScan(context)
    expect(context.world.view.estimate).toBe(before)
    expect(said(context)).toEqual([])
  })

  it('estimates nothing from a scan in which a breaker moved, and begins the next one anew', () => {
    const context = scanned({ V_1: 0.5 })
    context.world.view.switched = true
    finishScan(context)
    expect([context.world.view.estimate, said(context)]).toEqual([null, []])
    expect([context.world.view.switched, context.world.view.fresh]).toEqual([false, []])
  })

  it('uses the breakers as reported: one reported open that is closed does not fit the meters', () => {
    const context = scanned()
    context.world.view.closed = { 1: false }
    finishScan(context)
    expect(context.world.view.estimate?.suspicious).toBe(true)
  })

  it('misses outstations and units that were silent for more than three of their intervals, and no less than a second', () => {
    const silent = (heardBeforeUs: number, unitBeforeUs: number) => {
      const context = contextOf()
      context.world.view.heardUs = { 'RTU-1': context.startUs - heardBeforeUs }
      context.world.view.phasors = { 'PMU-1': phasors(context, { arrivedUs: context.startUs - unitBeforeUs }) }
      finishScan(context)
      return said(context)
    }
    // A scan takes two seconds, and five frames a second come from a unit.
    expect(silent(6_000_000, 1_000_000)).toEqual([])
    expect(silent(6_000_001, 1_000_000)).toEqual(['stale RTU-1'])
    expect(silent(6_000_000, 1_000_001)).toEqual(['stale PMU-1'])
  })

  it('reports a silent outstation once, not again while it returns briefly, and again after half a minute', () => {
    const world = startWorld()
    const events: StepContext['events'] = []
    const scan = (second: number, heardBeforeUs: number) => {
      world.step = second * 10
      const context = contextOf(world)
      world.view.heardUs = { 'RTU-1': context.startUs - heardBeforeUs }
      finishScan(context)
      events.push(...context.events)
      return world.view.alarmCount
    }
    expect([scan(0, 9e6), scan(2, 9e6), scan(4, 0), scan(6, 9e6)]).toEqual([1, 1, 1, 1])
    expect([scan(8, 0), scan(35, 0), scan(37, 9e6)]).toEqual([1, 1, 2])
    expect(world.view.alarms[0]).toEqual({
      number: 1,
      timestamp: 1_764_000_000,
      priority: 'medium',
      acknowledged: false,
      detector: 'stale',
      where: 'RTU-1',
      text: 'not heard for 9.0 s',
      evidence: { silent_s: 9, interval_s: 2 },
    })
    expect(events.filter(({ topic }) => topic === 'alarm').map(({ data }) => data)).toEqual(world.view.alarms)
  })
})

describe('acceptPhasors()', () => {
  it('remembers the newest frame of each unit, and tests it against the one before', () => {
    const context = contextOf()
    const first = phasors(context)
    const jump = phasors(context, {
      measuredUs: first.measuredUs + 200_000,
      arrivedUs: first.arrivedUs + 200_000,
      fingerprint: 'bb',
      phasors: [{ magnitudePu: 1.2, angleRad: 0 }],
    })
    acceptPhasors(context, 'PMU-1', first)
    acceptPhasors(context, 'PMU-2', jump)
    expect(said(context)).toEqual([])
    acceptPhasors(context, 'PMU-1', jump)
    expect(said(context)).toEqual(['step PMU-1'])
    expect(context.world.view.phasors).toEqual({ 'PMU-1': jump, 'PMU-2': jump })
  })

  it('expects frames at the rate of the session', () => {
    const later = (rate: 5 | 10) => {
      const context = contextOf(startWorld({ pmu_rate: rate }))
      const first = phasors(context)
      acceptPhasors(context, 'PMU-1', first)
      const measuredUs = first.measuredUs + 400_000
      acceptPhasors(context, 'PMU-1', { ...first, measuredUs, arrivedUs: measuredUs + 2_000, fingerprint: 'bb' })
      return context.world.view.alarms.map(({ evidence }) => evidence)
    }
    expect([later(5).length, later(10).length]).toEqual([1, 1])
    expect(later(5)).not.toEqual(later(10))
  })
})

describe('testUnits()', () => {
  it('compares the frequencies of all units', () => {
    const context = contextOf()
    const { view } = context.world
    const units = (third: number) => ({
      'PMU-1': phasors(context),
      'PMU-2': phasors(context),
      'PMU-3': phasors(context, { frequencyHz: third }),
    })
    view.phasors = units(60.001)
    testUnits(context)
    expect(said(context)).toEqual([])
    view.phasors = units(61)
    testUnits(context)
    expect(said(context)).toEqual(['frequency PMU-3'])
  })
})

describe('reportSequence()', () => {
  it('raises one alarm for each place, keeps the newest and counts them all', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 600 }), (places) => {
        const context = contextOf()
        for (const place of places) reportSequence(context, `IED-${place}`, 'two publishers')
        const first = [...new Set(places)].map((place) => `sequence IED-${place}`)
        expect(said(context)).toEqual(first.slice(-maximumAlarms))
        expect(context.world.view.alarmCount).toBe(first.length)
      }),
      { seed: 72, numRuns: 20 },
    )
    const context = contextOf()
    for (let place = 0; place <= maximumAlarms; place++) reportSequence(context, `IED-${place}`, '')
    expect([said(context).length, said(context)[0]]).toEqual([maximumAlarms, 'sequence IED-1'])
  })
})
