/** FREQUENCY_OVERRIDE: what the frames say, and what secondary control does with it. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol, type World } from '#grid/engine.ts'
import {
  alarmNames,
  detectors,
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
    const { attacked, twin } = duel('FREQUENCY_OVERRIDE', params, { steps: 200 })
    expect((trueHz(attacked.world) - trueHz(twin.world)) * sign).toBeGreaterThan(0.02)
    disableAll(attacked.world)
    const isBack = () => Math.abs(trueHz(attacked.world) - 60) < 0.02
    for (let tens = 0; tens < 180 && !isBack(); tens++) runSteps(attacked.world, 10)
    expect(isBack()).toBe(true)
  })

  it('changes no dispatch through a unit that secondary control does not listen to', () => {
    const params = { target_freq: 59, target_link: 'PMU-3--PDC' }
    const { attacked, twin, alarms } = duel('FREQUENCY_OVERRIDE', params, { steps: 100 })
    expect(attacked.world.plant).toEqual(twin.world.plant)
    expect(alarmNames(alarms)).toEqual(['angle_rate PMU-3', 'frequency PMU-3', 'frozen PMU-3', 'off_nominal PMU-3'])
  })

  it.each([59, 59.95, 60.05, 61])(
    'is seen within three seconds when all units lie alike that it is %f Hz: no angle turns so',
    (target_freq) => {
      const { alarms, attacked } = duel('FREQUENCY_OVERRIDE', { target_freq }, { steps: 30 })
      const names = findTelecontrol(attacked.world).pmus.map(({ node }) => `angle_rate ${node}`)
      expect(alarmNames(alarms)).toEqual(expect.arrayContaining(names))
      expect(detectors(alarms)).not.toContain('frequency')
    },
  )

  it('is detected also while the grid has the reported frequency: FREQ has no noise then', () => {
    const { alarms } = duel('FREQUENCY_OVERRIDE', { target_freq: 60 }, { steps: 30 })
    expect(detectors(alarms)).toContain('frozen')
  })

  it('drives the grid beyond 60.7 Hz in three minutes, and not in silence', () => {
    const { alarms, attacked } = duel('FREQUENCY_OVERRIDE', { target_freq: 59 }, { steps: 60 })
    for (let tens = 0; tens < 174 && trueHz(attacked.world) <= 60.7; tens++) runSteps(attacked.world, 10)
    expect(trueHz(attacked.world)).toBeGreaterThan(60.7)
    expect(detectors(alarms)).toEqual(expect.arrayContaining(['angle_rate', 'frozen', 'off_nominal']))
  })
})
