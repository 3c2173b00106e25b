/** NOISE: which octets it touches, how large it is, and when the estimate notices. */

import { describe, expect, it } from 'vitest'
import {
  alarmNames,
  detectors,
  disableAll,
  duel,
  handled,
  measurementsOf,
  octetsOf,
  phasorField,
  phasorsOf,
} from '../../support/attack-session.ts'
import { runSteps } from '../../support/grid-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

/** Nominal values that `noise_std` is a share of (docs/grid.md): 120 V and 5 A. */
const voltsPerAmpere = 120 / 5

/** The root of the mean square of errors whose mean is 0. */
function deviation(errors: readonly number[]): number {
  return Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
}

/** The standard error of the deviation of so many errors, as a share of it. */
function standardError({ length }: readonly number[]): number {
  return 1 / Math.sqrt(2 * length)
}

/** Expects a deviation to be the wanted one within four of its standard errors: by chance it fails once in 15,000 seeds. */
function expectDeviation(errors: readonly number[], wanted: number): void {
  expect(Math.abs(deviation(errors) / wanted - 1)).toBeLessThan(4 * standardError(errors))
}

const magnitudes = (octets: Uint8Array) => phasorsOf(octets).flatMap(phasorField.magnitude)

describe('NOISE', () => {
  it('changes the octets of the magnitudes and the checksums over them, and no other frame', () => {
    const run = duel('NOISE', { noise_std: 2 })
    expectForgery(run, 'NOISE', magnitudes)
    expectRestUntouched(run)
  })

  it('disturbs voltages and currents by the same share of their own base', () => {
    const { attacked } = duel('NOISE', { noise_std: 1 }, { steps: 200 })
    const errors = { volts: [] as number[], amperes: [] as number[] }
    for (const pair of handled(attacked)) {
      const { was, is } = measurementsOf(attacked.world, pair)
      is.phasors.forEach(({ magnitude }, index) => {
        // A magnitude that stops at zero has lost a part of its noise.
        if (magnitude === 0) return
        const error = magnitude - (was.phasors[index]?.magnitude ?? 0)
        errors[index === 0 ? 'volts' : 'amperes'].push(error)
      })
    }
    expect(errors.volts.length).toBeGreaterThan(300)
    expectDeviation(errors.volts, 1)
    expectDeviation(errors.amperes, 1 / voltsPerAmpere)
  })

  it('reaches FREQ where asked, by the deviation asked for', () => {
    const run = duel('NOISE', { add_freq_noise: true, freq_std: 0.5 }, { steps: 200, configuration: { agc_gain: 0 } })
    expectForgery(run, 'NOISE', (octets) => [...magnitudes(octets), ...phasorField.frequency(octets)])
    const errors = handled(run.attacked).map((pair) => {
      const { was, is } = measurementsOf(run.attacked.world, pair)
      return is.frequencyHz - was.frequencyHz
    })
    expect(errors.length).toBeGreaterThan(300)
    expectDeviation(errors, 0.5)
    expect(detectors(run.alarms)).toContain('frequency')
  })

  it('never reports a magnitude below zero', () => {
    const { attacked } = duel('NOISE', { noise_std: 100 })
    const all = handled(attacked).flatMap((pair) => measurementsOf(attacked.world, pair).is.phasors)
    expect(Math.min(...all.map(({ magnitude }) => magnitude))).toBe(0)
  })

  it('is the same for the same seed and another for another one', () => {
    const frames = (seed: number) => octetsOf(duel('NOISE', { seed }, { steps: 10 }).attacked.frames)
    expect(frames(5)).toEqual(frames(5))
    expect(frames(5)).not.toEqual(frames(6))
  })

  it('hides in the noise of the meters while it is small, and is a bad measurement when it is large', () => {
    const small = duel('NOISE', { noise_std: 0.05 }, { steps: 100 })
    expect(alarmNames(small.alarms)).toEqual(alarmNames(small.twinAlarms))
    const large = duel('NOISE', { noise_std: 6 }, { steps: 100 })
    expect(detectors(large.alarms)).toEqual(['chi_square', 'current', 'largest_residual', 'step'])
    expect(large.attacked.world.plant).toEqual(large.twin.world.plant)
  })

  it('leaves the very frames of a session that was never attacked once it is disabled', () => {
    const { attacked, twin } = duel('NOISE')
    disableAll(attacked.world)
    expect(octetsOf(runSteps(attacked.world, 30).frames)).toEqual(octetsOf(runSteps(twin.world, 30).frames))
  })
})
