/** FREQUENCY_OVERRIDE: what the frames say, and what secondary control does with it. */

import { describe, expect, it } from 'vitest'
import type { World } from '../../../src/grid/engine.ts'
import {
  alarmNames,
  disableAll,
  duel,
  handled,
  measurementsOf,
  phasorField,
} from '../../support/attack-session.ts'
import { runSteps } from '../../support/grid-session.ts'
import { expectForgery } from '../../support/phasor-forgery.ts'

function trueHz({ plant }: World): number {
  return plant.frequency.islands[0]?.frequencyHz ?? Number.NaN
}

describe('FREQUENCY_OVERRIDE', () => {
  it('fixes FREQ and stills DFREQ; phasors and time stamps stay', () => {
    // With secondary control off the grid is the twin's, so that only the attacker changes octets.
    const run = duel('FREQUENCY_OVERRIDE', { target_freq: 59.7 }, { configuration: { agc_gain: 0 } })
    expectForgery(run, 'FREQUENCY_OVERRIDE', (octets) => [
      ...phasorField.frequency(octets),
      ...phasorField.rocof(octets),
    ])
    for (const pair of handled(run.attacked)) {
      const { is } = measurementsOf(run.attacked.world, pair)
      expect([is.frequencyHz, is.rocofHzPerS]).toEqual([Math.fround(59.7), 0])
    }
    expect(run.attacked.world.plant).toEqual(run.twin.world.plant)
  })

  it.each([
    [60.1, -1],
    [59.9, 1],
  ])('drives the true frequency the other way when the unit that steers it says %f Hz', (hertz, sign) => {
    const params = { target_freq: hertz, target_link: 'PMU-1--PDC' }
    const { attacked, twin } = duel('FREQUENCY_OVERRIDE', params, { steps: 600 })
    expect((trueHz(attacked.world) - trueHz(twin.world)) * sign).toBeGreaterThan(0.02)
    disableAll(attacked.world)
    runSteps(attacked.world, 1800)
    expect(Math.abs(trueHz(attacked.world) - 60)).toBeLessThan(0.02)
  })

  it('changes no dispatch through a unit that secondary control does not listen to', () => {
    const params = { target_freq: 59, target_link: 'PMU-3--PDC' }
    const { attacked, twin, alarms } = duel('FREQUENCY_OVERRIDE', params, { steps: 100 })
    expect(attacked.world.plant).toEqual(twin.world.plant)
    expect(alarmNames(alarms)).toEqual(['frequency PMU-3'])
  })

  it('is not seen by comparing the units when all of them lie alike', () => {
    const { alarms, twinAlarms } = duel('FREQUENCY_OVERRIDE', { target_freq: 60.05 }, { steps: 100 })
    expect(alarmNames(alarms)).toEqual(alarmNames(twinAlarms))
  })
})
