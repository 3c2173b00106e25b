/** Tests the rotation of a phasor against the frequency that its unit reports: two measurements of one quantity. */

import { wrapAngle } from '../angles.ts'
import { phasorSigma } from '../estimation/measurements.ts'
import { type Finding, found, livePu } from './detection.ts'
import type { AngleRate, PhasorView } from './view.ts'

/** Interval of two frames in microseconds: in a shorter one noise prevails, in a longer one whole turns are unknown. */
const shortestUs = 199_000
const longestUs = 1_100_000

/** The cumulative sum test (Page 1954) in standard deviations: slack, the most that two frames add, and limit. */
const cusum = { slack: 1, most: 4, limit: 20 } as const

/** Compares a frame with the one before and adds to the sums; angles turn against the nominal frequency. */
export function followAngle(before: AngleRate | undefined, now: PhasorView, nominalHz: number): AngleRate | undefined {
  const [voltage] = now.phasors
  if (voltage === undefined || voltage.magnitudePu < livePu) return undefined
  const { measuredUs, frequencyHz } = now
  const here = { measuredUs, angleRad: voltage.angleRad, frequencyHz }
  const passedUs = measuredUs - (before?.measuredUs ?? 0)
  if (before === undefined || passedUs <= 0 || passedUs > longestUs) return { ...here, above: 0, below: 0 }
  if (passedUs < shortestUs) return before
  const mismatch = measureMismatch(before, here, nominalHz)
  const limited = Math.max(-cusum.most, Math.min(cusum.most, mismatch))
  return {
    ...here,
    above: Math.max(0, before.above + limited - cusum.slack),
    below: Math.max(0, before.below - limited - cusum.slack),
  }
}

/** A frame as the test compares it. */
type Turn = Pick<AngleRate, 'measuredUs' | 'angleRad' | 'frequencyHz'>

/** Measures how far the angle turned beyond the mean of both frequencies, in standard deviations of honest meters. */
function measureMismatch(before: Turn, now: Turn, nominalHz: number): number {
  const seconds = (now.measuredUs - before.measuredUs) / 1e6
  const expected = 2 * Math.PI * ((before.frequencyHz + now.frequencyHz) / 2 - nominalHz) * seconds
  const deviation = Math.hypot(
    Math.SQRT2 * phasorSigma.angleRad,
    Math.SQRT2 * Math.PI * phasorSigma.frequencyHz * seconds,
  )
  return wrapAngle(now.angleRad - before.angleRad - expected) / deviation
}

/** Finds a unit whose angle does not turn as its FREQ says. */
export function testAngleRate(unit: string, { above, below, frequencyHz }: AngleRate): readonly Finding[] {
  const sum = Math.max(above, below)
  if (sum <= cusum.limit) return []
  const direction = above > below ? 'faster' : 'slower'
  const text = `reports ${frequencyHz.toFixed(3)} Hz, and its angle turns ${direction} than that`
  const frequency_hz = Number(frequencyHz.toPrecision(6))
  return [found('angle_rate', unit, text, { frequency_hz, cusum: Number(sum.toFixed(1)), limit: cusum.limit })]
}
