/** MAGNITUDE_OVERRIDE: one magnitude, and only where there is such a phasor. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import { alarmNames, duel, handled, measurementsOf, phasorField } from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

describe('MAGNITUDE_OVERRIDE', () => {
  it('writes its value over one magnitude of every unit, and nothing else', () => {
    const run = duel('MAGNITUDE_OVERRIDE', { phasor_idx: 1, value: 7.5 })
    expectForgery(run, 'MAGNITUDE_OVERRIDE', () => phasorField.magnitude(1))
    expectRestUntouched(run)
    for (const pair of handled(run.attacked)) {
      expect(measurementsOf(run.attacked.world, pair).is.phasors[1]?.magnitude).toBe(7.5)
    }
  })

  it('labels nothing of units that have no such phasor: their frames are honest', () => {
    const run = duel('MAGNITUDE_OVERRIDE', { phasor_idx: 4, value: 1 }, { steps: 20 })
    const { pmus } = findTelecontrol(run.attacked.world)
    const reached = new Set(
      run.attacked.incidents.filter(({ status }) => status !== 'clean').map(({ src_node }) => src_node),
    )
    const having = pmus.filter(({ currents }) => currents.length >= 4).map(({ node }) => node)
    expect(having.length).toBeLessThan(pmus.length)
    expect([...reached].sort()).toEqual(having)
    expectRestUntouched(run)
  })

  it('shows a dead bus that is alive, and one scan finds the meter that lies', () => {
    const params = { value: 0, target_link: 'PMU-4--PDC' }
    const { attacked, twin, alarms } = duel('MAGNITUDE_OVERRIDE', params, { steps: 41 })
    expect(attacked.world.view.phasors['PMU-4']?.phasors[0]?.magnitudePu).toBe(0)
    expect(attacked.world.view.estimate?.removed).toEqual(['PMU_V_9'])
    expect(alarmNames(alarms)).toEqual(['chi_square state estimation', 'largest_residual PMU_V_9', 'step PMU-4'])
    expect(attacked.world.plant).toEqual(twin.world.plant)
  })
})
