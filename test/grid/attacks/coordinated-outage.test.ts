/** COORDINATED_OUTAGE: two lines, a cascade, and a control centre that goes on seeing yesterday. */

import { describe, expect, it } from 'vitest'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import {
  alarmNames,
  type Duel,
  detectors,
  disableAll,
  duel,
  handled,
  measurementsOf,
} from '../../support/attack-session.ts'
import { changesIn, runSteps } from '../../support/grid-session.ts'
import vectors from '../../vectors/grid-cascade.json' with { type: 'json' }

/** Breakers in the order in which they opened, with their seconds since the attack began. */
function openings({ attacked }: Duel) {
  return attacked.outputs.flatMap(({ events }, index) =>
    events.flatMap(({ data }) => {
      const { event, breaker, cause } = data as Record<string, string>
      return event === 'breaker' ? [{ breaker, cause, second: index / 10 }] : []
    }),
  )
}

describe('COORDINATED_OUTAGE', () => {
  it('opens its lines one after another at the stagger, with commands of the stations own protocols', () => {
    const run = duel('COORDINATED_OUTAGE', { branches: ['1-5', '2-4', '3-4'], stagger_s: 2 }, { steps: 80 })
    expect(openings(run)).toEqual([
      { breaker: 'CB-1-5', cause: expect.stringContaining('IEC 104'), second: 0.2 },
      { breaker: 'CB-2-4', cause: expect.stringContaining('DNP3'), second: 2.2 },
      { breaker: 'CB-3-4', cause: expect.stringContaining('Modbus'), second: 4.2 },
    ])
    const commands = run.attacked.incidents.filter(({ impact }) => impact !== undefined)
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      expect(command).toMatchObject({
        attack_id: run.attackId,
        attack_type: 'COORDINATED_OUTAGE',
        technique: techniqueOf('COORDINATED_OUTAGE'),
        severity: 'CRITICAL',
        src_ip: '10.20.0.66',
      })
    }
  })

  it('starts the cascade of the reference: the same lines in the same order, the first at its second', () => {
    const run = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, { steps: 600, configuration: { load_noise: 0 } })
    const tripped = openings(run).filter(({ cause }) => cause?.startsWith('GOOSE'))
    const wanted = vectors['case14_open_2-3_and_2-4'].trips
    expect(tripped.map(({ breaker }) => breaker)).toEqual(wanted.map(({ line }) => `CB-${line}`))
    expect(tripped[0]?.second).toBeCloseTo(0.2 + (wanted[0]?.t_s ?? 0), 0)
    const { servedMw, demandMw } = run.attacked.world.plant.solution
    expect(demandMw - servedMw).toBeGreaterThan(100)
  })

  it('shows the control centre the values and states of before, while the grid is another', () => {
    const run = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, { steps: 100 })
    const { view, plant } = run.attacked.world
    expect(plant.open).toEqual([3, 4])
    expect([view.closed[3], view.closed[4]]).toEqual([true, true])
    expect(Math.abs(plant.solution.branches[2]?.fromMw ?? 1)).toBe(0)
    expect(view.values['Pflow_2-3']).toBeGreaterThan(0.5)
    expect(detectors(run.alarms)).not.toContain('chi_square')
    expect(run.alarms.some(({ detector }) => detector === 'angle')).toBe(true)
  })

  it('freezes the magnitudes of phasors, and neither angle nor frequency nor time', () => {
    const run = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, { steps: 40 })
    const frozen = new Map<string, string>()
    for (const pair of handled(run.attacked).filter(({ before }) => before.protocol === 'C37.118')) {
      const { was, is } = measurementsOf(run.attacked.world, pair)
      const magnitudes = JSON.stringify(is.phasors.map(({ magnitude }) => magnitude))
      expect(frozen.get(is.node) ?? magnitudes).toBe(magnitudes)
      frozen.set(is.node, magnitudes)
      expect(is.phasors.map(({ angle }) => angle)).toEqual(was.phasors.map(({ angle }) => angle))
      expect([is.frequencyHz, is.time]).toEqual([was.frequencyHz, was.time])
    }
    expect(frozen.size).toBe(4)
  })

  it.each([0, 3, 12])(
    'hides the outage from a control centre that has heard nothing or little: after %i steps',
    (warmUp) => {
      const run = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, { warmUp, steps: 100 })
      const { view, plant } = run.attacked.world
      expect(plant.open).toEqual([3, 4])
      expect([view.closed[3], view.closed[4]]).toEqual([true, true])
      expect(view.values['Pflow_2-3']).toBeGreaterThan(0.5)
      expect(view.values['Pflow_2-3']).toBeCloseTo(run.twin.world.view.values['Pflow_2-3'] ?? 0, 1)
      expect(detectors(run.alarms)).not.toContain('chi_square')
    },
  )

  it('freezes the magnitudes of slow phasor units, too, at what they were before the first command', () => {
    const options = { warmUp: 45, steps: 30, configuration: { pmu_rate: 1 } } as const
    const run = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, options)
    const magnitude = (world: Duel['attacked']['world']) =>
      world.view.phasors['PMU-1']?.phasors.map(({ magnitudePu }) => magnitudePu) ?? []
    const [seen, before] = [magnitude(run.attacked.world), magnitude(run.twin.world)]
    expect(seen.length).toBeGreaterThan(1)
    // The meter's noise is all that lies between two frames of a grid at rest.
    for (const [index, value] of seen.entries()) expect(Math.abs(value - (before[index] ?? 0))).toBeLessThan(0.02)
  })

  it('names no message that it passed on as it was', () => {
    const run = duel('COORDINATED_OUTAGE')
    for (const { before, after } of handled(run.attacked)) expect(after?.bytes).not.toEqual(before.bytes)
    const altered = run.attacked.frames.filter(
      ({ tap, label, src }) => tap === 'after' && label !== null && src.startsWith('10.20.2.'),
    )
    expect(altered.every((frame) => changesIn(frame).length > 0)).toBe(true)
  })

  it('with the view open is seen at once: who spoke, what was commanded, what moved', () => {
    const run = duel('COORDINATED_OUTAGE', { stagger_s: 0, hide_view: false }, { steps: 80 })
    const { view } = run.attacked.world
    expect([view.closed[3], view.closed[4]]).toEqual([false, false])
    expect(alarmNames(run.alarms)).toEqual([
      'breaker CB-2-3',
      'breaker CB-2-4',
      'second_master RTU-2',
      'unknown_writer RTU-2',
    ])
    expect(handled(run.attacked)).toEqual([])
  })

  it('shows the truth again once it is disabled', () => {
    const { attacked } = duel('COORDINATED_OUTAGE', { stagger_s: 0 }, { steps: 40 })
    disableAll(attacked.world)
    const { incidents } = runSteps(attacked.world, 30)
    expect(incidents.filter(({ status }) => status !== 'clean')).toEqual([])
    const { view } = attacked.world
    expect([view.closed[3], view.closed[4]]).toEqual([false, false])
    expect(Math.abs(view.values['Pflow_2-3'] ?? 1)).toBeLessThan(0.05)
  })
})
