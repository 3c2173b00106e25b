/** Alarms of limits: their priorities, their dead bands, chattering, and a clean session without any. */

import { describe, expect, it } from 'vitest'
import { acknowledge } from '#grid/control-centre/alarms.ts'
import type { ControlCentre } from '#grid/control-centre/context.ts'
import { superviseFrequency, superviseLimits } from '#grid/control-centre/limit-alarms.ts'
import { createView } from '#grid/control-centre/view.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'
import { must } from '../../support/must.ts'

const network = findCase('case14')
const plan = planTelecontrol(network)
const outstation = must(plan.outstations.find(({ bus }) => bus === 4))

/** A unit at one of the first buses, with a frequency and a voltage. */
function unitAt(frequencyHz: number, index: number, magnitudePu = 1) {
  const phasors = [{ magnitudePu, angleRad: 0 }]
  return {
    bus: index + 1,
    unit: { measuredUs: 0, arrivedUs: 0, frequencyHz, rocofHzPerS: 0, phasors, fingerprint: '' },
  }
}

/** A control centre that gets one value at a time, ten seconds apart. */
function openCentre() {
  const { configuration } = startWorld()
  const view = createView()
  let startUs = 1_764_000_000_000_000
  const at = (): ControlCentre => {
    startUs += 10_000_000
    return { world: { view, configuration, step: 0 }, network, plan, startUs, events: [] }
  }
  return {
    view,
    measure: (values: Readonly<Record<string, number>>) => {
      view.values = values
      superviseLimits(at(), outstation)
    },
    /** Frequencies that three units report. */
    hear: (...hertz: readonly number[]) => {
      superviseFrequency(
        at(),
        [[1, 2, 3]],
        hertz.map((one, index) => unitAt(one, index)),
      )
    },
    /** The frequency of a unit at bus 2, which is one island, and of one at bus 1 in the other. */
    hearApart: (own: number, other: number, magnitudePu = 1) => {
      const units = [other, own].map((hertz, index) => unitAt(hertz, index, magnitudePu))
      superviseFrequency(at(), [[1, 3], [2]], units)
    },
    shown: () => view.limitAlarms.map(({ kind, priority, where, active }) => [kind, priority, where, active]),
  }
}

describe('superviseLimits()', () => {
  const [p, q] = ['p_flow', 'q_flow'].map((kind) => outstation.points.find((point) => point.kind === kind))
  const rate = (network.branches[must(p).element - 1]?.rateMva ?? 0) / 100

  it('raises a loading after two scans, and another alarm of higher priority when it grows', () => {
    const { measure, shown } = openCentre()
    const load = (share: number) => measure({ [must(p).name]: share * rate, [must(q).name]: 0 })
    load(1.1)
    expect(shown()).toEqual([])
    load(1.1)
    expect(shown()).toEqual([['loading', 'medium', '4-5', true]])
    for (const share of [1.3, 1.3, 0.97, 0.97]) load(share)
    // 97 % is inside the limit, but not inside its dead band.
    expect(shown()).toEqual([
      ['loading', 'medium', '4-5', true],
      ['loading', 'high', '4-5', true],
    ])
    for (const share of [0.9, 0.9]) load(share)
    expect(shown().map(([, , , active]) => active)).toEqual([false, false])
  })

  it('raises low and high voltages, but leaves a dead bus to its own alarm', () => {
    const { measure, shown } = openCentre()
    for (const voltage of [1.12, 1.12, 1, 1, 0.88, 0.88, 0.8, 0.8]) measure({ V_4: voltage })
    expect(shown()).toEqual([
      ['voltage', 'medium', 'bus 4', false],
      ['voltage', 'medium', 'bus 4', true],
      ['voltage', 'high', 'bus 4', true],
    ])
    const dead = openCentre()
    for (let scan = 0; scan < 5; scan++) dead.measure({ V_4: 0.01 })
    expect(dead.shown()).toEqual([])
  })

  it('counts the alarms of a chattering value instead of raising them, until ten minutes were calm', () => {
    const { measure, view } = openCentre()
    const twice = (voltage: number) => {
      for (let scan = 0; scan < 2; scan++) measure({ V_4: voltage })
    }
    for (let turn = 0; turn < 10; turn++) [1.12, 1].forEach(twice)
    expect([view.limitAlarms.length, view.limitAlarmsSuppressed]).toEqual([3, 7])
    for (let scan = 0; scan < 70; scan++) measure({ V_4: 1 })
    expect(view.limits).toEqual({})
    twice(1.12)
    expect(view.limitAlarms).toHaveLength(4)
  })
})

describe('superviseFrequency()', () => {
  it('takes the middle unit: a false one neither raises nor hides an alarm', () => {
    const { hear, shown } = openCentre()
    for (let second = 0; second < 5; second++) hear(60, 60.01, 58)
    expect(shown()).toEqual([])
    for (const hertz of [59.7, 59.7, 59.4, 59.4]) hear(hertz, hertz, 60)
    expect(shown()).toEqual([
      ['frequency', 'medium', 'island of bus 1', true],
      ['frequency', 'high', 'island of bus 1', true],
    ])
  })
})

describe('superviseFrequency() of an island', () => {
  it.each([
    ['joins another one', (centre: ReturnType<typeof openCentre>) => centre.hear(60, 60, 60)],
    ['loses its voltage', (centre: ReturnType<typeof openCentre>) => centre.hearApart(0.0001, 60, 0)],
  ])('ends the alarm when it %s, and raises none of a dead bus', (_, change) => {
    const centre = openCentre()
    for (let second = 0; second < 2; second++) centre.hearApart(59.7, 60)
    expect(centre.shown()).toEqual([['frequency', 'medium', 'island of bus 2', true]])
    for (let second = 0; second < 5; second++) change(centre)
    expect(centre.shown()).toEqual([['frequency', 'medium', 'island of bus 2', false]])
  })
})

describe('a session', () => {
  it('raises no alarm of a limit while nothing is wrong, and some for the overload after two outages', () => {
    const { world } = runSteps(startWorld({ load_noise: 0.005 }), 300)
    expect([world.view.limitAlarms, world.view.limits]).toEqual([[], {}])
    for (const breaker of ['CB-2-3', 'CB-2-4']) {
      applyCommand(world, { kind: 'switch', step: world.step, breaker, closed: false })
    }
    const { outputs } = runSteps(world, 100)
    const events = outputs.flatMap((output) => output.events).map(({ data }) => data)
    expect(events).toContainEqual(expect.objectContaining({ event: 'limit', kind: 'loading', where: '2-5' }))
  })

  it('acknowledges alarms by number, of limits and of detectors, and then all of them', () => {
    const { view, measure } = openCentre()
    for (const voltage of [1.12, 1.12, 1.2, 1.2]) measure({ V_4: voltage })
    acknowledge(view, [2])
    expect(view.limitAlarms.map(({ acknowledged }) => acknowledged)).toEqual([false, true])
    acknowledge(view, undefined)
    expect(view.limitAlarms.every(({ acknowledged }) => acknowledged)).toBe(true)
  })
})
