/** The angle of a phasor against FREQ: honest units agree in noise, steps and dynamics, dishonest ones do not for long. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { followAngle, testAngleRate } from '#grid/control-centre/angle-rate.ts'
import type { AngleRate } from '#grid/control-centre/view.ts'
import { phasorSigma } from '#grid/estimation/measurements.ts'
import { pmuRates } from '#grid/interface/session-settings.ts'
import { phasorView } from '../../support/phasor-view.ts'

/** Frames of a unit whose angle turns with one frequency and that reports another, with the noise of its meters. */
function* frames(
  rate: number,
  turnsHz: number,
  { reportsHz = turnsHz, seed = 1, stepRad = 0 }: { reportsHz?: number; seed?: number; stepRad?: number } = {},
) {
  const random = createRandom(seed, 'unit')
  for (let count = 0; ; count++) {
    const seconds = count / rate
    // A breaker that moves every ten seconds turns the angle of the bus.
    const steps = Math.floor(seconds / 10) * stepRad
    const turned = 2 * Math.PI * (turnsHz - 60) * seconds + steps + phasorSigma.angleRad * random.normal()
    yield phasorView({
      measuredUs: Math.round(seconds * 1e6),
      frequencyHz: reportsHz + phasorSigma.frequencyHz * random.normal(),
      phasors: [{ magnitudePu: 1, angleRad: turned - 2 * Math.PI * Math.round(turned / (2 * Math.PI)) }],
    })
  }
}

/** Seconds until the test speaks; Infinity when it is silent for so long. */
function secondsToAlarm(stream: ReturnType<typeof frames>, most: number): number {
  let state: AngleRate | undefined
  for (const frame of stream) {
    const seconds = frame.measuredUs / 1e6
    if (seconds > most) return Number.POSITIVE_INFINITY
    state = followAngle(state, frame, 60)
    if (state !== undefined && testAngleRate('PMU-1', state).length > 0) return seconds
  }
  return Number.POSITIVE_INFINITY
}

describe('testAngleRate()', () => {
  it.each(pmuRates)('is silent for an hour of an honest unit at %i frames a second', (rate) => {
    expect(secondsToAlarm(frames(rate, 60.013), 3_600)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is silent while breakers move the angle, at any frequency', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 58.9, max: 61.1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.nat(1_000),
        (hertz, stepRad, seed) => {
          const stream = frames(5, hertz, { stepRad, seed })
          expect(secondsToAlarm(stream, 120)).toBe(Number.POSITIVE_INFINITY)
        },
      ),
      { seed: 82, numRuns: 60 },
    )
  })

  it.each([
    [0.003, 6],
    [0.005, 3],
    [0.1, 3],
    [-1, 3],
    [0.9, 3],
  ])('finds a report that is %d Hz off within %i s at five frames a second', (offHz, seconds) => {
    for (const seed of [1, 2, 3]) {
      expect(secondsToAlarm(frames(5, 60.002, { reportsHz: 60.002 + offHz, seed }), 60)).toBeLessThan(seconds)
    }
  })

  it('reports in which direction the angle drifts', () => {
    const state = { measuredUs: 0, angleRad: 0, frequencyHz: 59, above: 30, below: 0 }
    expect(testAngleRate('PMU-1', state)[0]?.text).toBe('reports 59.000 Hz, and its angle turns faster than that')
    expect(testAngleRate('PMU-1', { ...state, above: 0, below: 30 })[0]?.text).toContain('slower')
  })
})

describe('followAngle()', () => {
  it('starts over after a gap, a repetition, and at a dead bus', () => {
    const stream = frames(5, 60.5, { reportsHz: 60 })
    const [first, second] = [stream.next().value, stream.next().value]
    if (first === undefined || second === undefined) throw new Error('no frames')
    const state = followAngle(followAngle(undefined, first, 60), second, 60)
    expect((state?.above ?? 0) + (state?.below ?? 0)).toBeGreaterThan(0)
    const late = followAngle(state, { ...second, measuredUs: second.measuredUs + 2_000_000 }, 60)
    expect([late?.above, late?.below]).toEqual([0, 0])
    expect(followAngle(state, first, 60)).toMatchObject({ above: 0, below: 0, measuredUs: first.measuredUs })
    expect(followAngle(state, phasorView({ phasors: [{ magnitudePu: 0.01, angleRad: 1 }] }), 60)).toBeUndefined()
  })
})
