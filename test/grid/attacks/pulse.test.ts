/** PULSE: spikes at regular intervals with honest frames between them. */

import { describe, expect, it } from 'vitest'
import {
  alarmNames,
  detectors,
  duel,
  handled,
  measurementsOf,
  phasorField,
  phasorsOf,
} from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

describe('PULSE', () => {
  const run = duel('PULSE', { amplitude: 30, interval: 6, duration_frames: 2 }, { steps: 80 })

  it('adds its amplitude to the magnitudes in the first frames of each interval', () => {
    expectForgery(run, 'PULSE', (octets) => phasorsOf(octets).flatMap(phasorField.magnitude))
    for (const pair of handled(run.attacked)) {
      const { was, is } = measurementsOf(run.attacked.world, pair)
      is.phasors.forEach(({ magnitude }, index) => {
        const base = index === 0 ? 120 : 5
        expect((magnitude - (was.phasors[index]?.magnitude ?? 0)) / base).toBeCloseTo(30 / 120, 6)
      })
    }
  })

  it('lets the frames between two pulses pass as they are', () => {
    expectRestUntouched(run)
    const { frames } = run.attacked
    const stream = frames.filter(({ src, tap }) => src.startsWith('10.20.2.2:') && tap === 'after')
    const pattern = stream.map(({ label }) => (label === null ? '.' : 'P')).join('')
    expect(pattern).toMatch(/^(PP\.\.\.\.)+P{0,2}\.*$/)
  })

  it('is a step between two frames, up and down, for every unit', () => {
    expect(alarmNames(run.alarms).filter((name) => name.startsWith('step'))).toEqual([
      'step PMU-1',
      'step PMU-2',
      'step PMU-3',
      'step PMU-4',
    ])
    // It comes back before half a minute is over: one alarm for each unit.
    expect(run.alarms.filter(({ detector }) => detector === 'step')).toHaveLength(4)
  })

  it('reaches the frequency of the units where asked, and no magnitude then', () => {
    const hertz = duel(
      'PULSE',
      { target: 'frequency', amplitude: 0.5, duration_frames: 5, interval: 5 },
      { configuration: { agc_gain: 0 } },
    )
    expectForgery(hertz, 'PULSE', phasorField.frequency)
    expect(detectors(hertz.alarms)).not.toContain('step')
  })
})
