/** ANGLE_OVERRIDE: one angle, seen only by detectors that compare angles. */

import { describe, expect, it } from 'vitest'
import { alarmNames, detectors, duel, handled, measurementsOf, phasorField } from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

describe('ANGLE_OVERRIDE', () => {
  it.each([-180, -37.5, 0, 180])('writes %f degrees over one angle as radians, and nothing else', (degrees) => {
    const run = duel('ANGLE_OVERRIDE', { angle_deg: degrees, phasor_idx: 2 }, { steps: 20 })
    expectForgery(run, 'ANGLE_OVERRIDE', () => phasorField.angle(2))
    expectRestUntouched(run)
    for (const pair of handled(run.attacked)) {
      const { is } = measurementsOf(run.attacked.world, pair)
      expect(is.phasors[2]?.angle).toBe(Math.fround((degrees * Math.PI) / 180))
    }
  })

  it('is found at the unit whose voltage lies: it is off the estimate and has no noise', () => {
    const params = { angle_deg: 20, target_link: 'PMU-2--PDC' }
    const { alarms, attacked, twin } = duel('ANGLE_OVERRIDE', params)
    expect(alarmNames(alarms)).toEqual(['angle PMU-2', 'current PMU-2', 'frozen PMU-2'])
    expect(attacked.world.view.estimate).toEqual(twin.world.view.estimate)
  })

  it('is found on a current by the estimate, and because it has no noise', () => {
    const { alarms } = duel('ANGLE_OVERRIDE', { angle_deg: 20, phasor_idx: 1 })
    expect(detectors(alarms)).toEqual(['current', 'frozen'])
  })
})
