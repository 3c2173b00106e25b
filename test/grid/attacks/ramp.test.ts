/** RAMP: a slope on the chosen quantity that passes every test of one step. */

import { describe, expect, it } from 'vitest'
import { detectors, duel, handled, measurementsOf, phasorField, phasorsOf } from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

/** Offsets of one stream in the order of its frames. */
function offsets(
  { attacked }: ReturnType<typeof duel>,
  node: string,
  read: (unit: ReturnType<typeof measurementsOf>['was']) => number,
): number[] {
  return handled(attacked)
    .map((pair) => measurementsOf(attacked.world, pair))
    .filter(({ was }) => was.node === node)
    .map(({ was, is }) => read(is) - read(was))
}

describe('RAMP', () => {
  it('raises every magnitude by its rate with each frame of a stream, and touches nothing else', () => {
    const run = duel('RAMP', { ramp_rate: 0.25 })
    expectForgery(run, 'RAMP', (octets) => phasorsOf(octets).flatMap(phasorField.magnitude))
    expectRestUntouched(run)
    for (const node of ['PMU-1', 'PMU-4']) {
      const slope = offsets(run, node, ({ phasors }) => phasors[1]?.magnitude ?? 0)
      expect(slope.length).toBe(30)
      slope.forEach((offset, frame) => {
        expect(offset / 5).toBeCloseTo(((frame + 1) * 0.25) / 120, 6)
      })
    }
  })

  it('descends, on one phasor only', () => {
    const run = duel('RAMP', { direction: 'down', phasor_idx: 2, ramp_rate: 0.01 }, { steps: 20 })
    expectForgery(run, 'RAMP', () => phasorField.magnitude(2))
    expect(offsets(run, 'PMU-2', ({ phasors }) => phasors[2]?.magnitude ?? 0).at(-1)).toBeCloseTo((-0.1 * 5) / 120, 5)
  })

  it('ramps the frequency where asked', () => {
    const run = duel('RAMP', { target: 'frequency', ramp_rate: 0.01 }, { steps: 20 })
    expectForgery(run, 'RAMP', phasorField.frequency)
    expect(offsets(run, 'PMU-3', ({ frequencyHz }) => frequencyHz).at(-1)).toBeCloseTo(0.1, 4)
  })

  it('counts from the start frame of its schedule, on each link for itself', () => {
    const run = duel('RAMP', { ramp_rate: 1, schedule: { start_frame: 4, duration_frames: 3 } })
    for (const node of ['PMU-1', 'PMU-2', 'PMU-3', 'PMU-4']) {
      const slope = offsets(run, node, ({ phasors }) => phasors[0]?.magnitude ?? 0)
      expect(slope.map((offset) => Math.round(offset))).toEqual([1, 2, 3])
    }
  })

  it('stays below the test of a single step; residuals find it, the later the slower it is', () => {
    const delays = [0.05, 0.02, 0.01].map((ramp_rate) => {
      const { alarms, attacked } = duel('RAMP', { ramp_rate }, { steps: 400, configuration: { agc_gain: 0 } })
      expect(detectors(alarms)).not.toContain('step')
      expect(detectors(alarms)).toEqual(expect.arrayContaining(['chi_square', 'largest_residual']))
      const found = alarms.find(({ detector }) => detector === 'largest_residual')
      return (found?.timestamp ?? 0) - (attacked.frames[0]?.timeUs ?? 0) / 1e6
    })
    expect(delays[0]).toBeGreaterThan(3)
    expect(delays).toEqual([...delays].sort((a, b) => a - b))
    expect(new Set(delays).size).toBe(3)
  })
})
