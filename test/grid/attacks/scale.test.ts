/** SCALE: every magnitude times one factor. */

import { describe, expect, it } from 'vitest'
import {
  detectors,
  duel,
  handled,
  measurementsOf,
  octetsOf,
  phasorField,
  phasorsOf,
} from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

const magnitudes = (octets: Uint8Array) => phasorsOf(octets).flatMap(phasorField.magnitude)

describe('SCALE', () => {
  it.each([0, 0.9, 10])('multiplies every magnitude by %f and touches nothing else', (factor) => {
    const run = duel('SCALE', { scale_factor: factor }, { steps: 20 })
    expectForgery(run, 'SCALE', magnitudes)
    expectRestUntouched(run)
    for (const pair of handled(run.attacked)) {
      const { was, is } = measurementsOf(run.attacked.world, pair)
      expect(is.phasors.map(({ magnitude }) => magnitude)).toEqual(
        was.phasors.map(({ magnitude }) => Math.fround(magnitude * factor)),
      )
    }
  })

  it('scales the frequency too where asked', () => {
    const run = duel(
      'SCALE',
      { scale_factor: 1.01, also_scale_freq: true },
      { steps: 20, configuration: { agc_gain: 0 } },
    )
    expectForgery(run, 'SCALE', (octets) => [...magnitudes(octets), ...phasorField.frequency(octets)])
  })

  it('with a factor of 1 changes no octet, so nothing is labelled as attacked', () => {
    const { attacked, twin } = duel('SCALE', { scale_factor: 1 })
    expect(octetsOf(attacked.frames)).toEqual(octetsOf(twin.frames))
    expect(attacked.incidents.every(({ status }) => status === 'clean')).toBe(true)
    expect(attacked.world.attacks[0]?.counters).toMatchObject({ total_packets: 120, modified_packets: 0 })
  })

  it('puts J over its limit within one scan of a resting grid', () => {
    const { alarms, attacked } = duel('SCALE', { scale_factor: 1.1 }, { steps: 41 })
    expect(detectors(alarms)).toEqual(['chi_square', 'current', 'largest_residual', 'step'])
    expect(attacked.world.view.estimate?.objective).toBeGreaterThan(attacked.world.view.estimate?.threshold ?? 0)
  })
})
