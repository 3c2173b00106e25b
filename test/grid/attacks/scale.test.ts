/** SCALE: every magnitude times one factor. */

import { describe, expect, it } from 'vitest'
import { defaultConfiguration, stepsPerSecond } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
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

const { scan_s, pmu_rate } = defaultConfiguration
const stepsToScan = scan_s * stepsPerSecond
/** Data frames of all units of case14 from one scan to the next. */
const framesToScan = findCase('case14').pmuBuses.length * pmu_rate * scan_s

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
    const factor = 1.01
    // With secondary control off the grid is the twin's, so that only the attacker changes octets.
    const run = duel(
      'SCALE',
      { scale_factor: factor, also_scale_freq: true },
      { steps: 20, configuration: { agc_gain: 0 } },
    )
    expectForgery(run, 'SCALE', (octets) => [...magnitudes(octets), ...phasorField.frequency(octets)])
    for (const pair of handled(run.attacked)) {
      const { was, is } = measurementsOf(run.attacked.world, pair)
      expect(is.frequencyHz).toBe(Math.fround(was.frequencyHz * factor))
    }
  })

  it('with a factor of 1 changes no octet, so nothing is labelled as attacked', () => {
    const { attacked, twin } = duel('SCALE', { scale_factor: 1 }, { steps: 2 * stepsToScan })
    expect(octetsOf(attacked.frames)).toEqual(octetsOf(twin.frames))
    expect(attacked.incidents.every(({ status }) => status === 'clean')).toBe(true)
    expect(attacked.world.attacks[0]?.counters).toMatchObject({ total_packets: 2 * framesToScan, modified_packets: 0 })
  })

  it('puts J over its limit within one scan of a resting grid', () => {
    const { alarms, attacked } = duel('SCALE', { scale_factor: 1.1 }, { steps: stepsToScan + 1 })
    expect(detectors(alarms)).toEqual(['chi_square', 'current', 'largest_residual', 'step'])
    expect(attacked.world.view.estimate?.objective).toBeGreaterThan(attacked.world.view.estimate?.threshold ?? 0)
  })
})
