/** The reference detectors: pure tests on what arrived, each with the evidence that a trainee should see. */

import type { Json } from './types.ts'
import type { EstimateView, PhasorView } from './view.ts'

/** What a detector found; conditions that last are found again and again under the same key. */
export interface Finding {
  readonly detector:
    | 'chi_square'
    | 'largest_residual'
    | 'step'
    | 'stale'
    | 'sequence'
    | 'angle'
    | 'frequency'
    | 'late'
    | 'missing'
  readonly where: string
  readonly text: string
  readonly evidence: { readonly [name: string]: Json }
}

/** Bounds of the tests, in the units of their names; several standard deviations of an honest meter each. */
export const detectionLimits = {
  /** Between two frames of one unit. */
  stepMagnitudePu: 0.02,
  /** Seconds without an answer or a frame, beyond the usual interval. */
  staleIntervals: 3,
  /** Between a unit's angle and the estimate, both against the first unit. */
  angleRad: 0.03,
  /** Between the units of one island. */
  frequencyHz: 0.02,
  /** Between measurement and arrival. */
  lateMs: 50,
} as const

/** Tests an estimate: its J against the chi-square limit, and the meters that it took out. */
export function testEstimate(estimate: EstimateView): readonly Finding[] {
  const findings: Finding[] = []
  const { objective, threshold, degreesOfFreedom, largest, removed } = estimate
  if (estimate.suspicious) {
    findings.push({
      detector: 'chi_square',
      where: 'state estimation',
      text: `J is ${objective.toFixed(1)} for ${degreesOfFreedom} degrees of freedom, limit ${threshold.toFixed(1)}`,
      evidence: { j: round(objective), limit: round(threshold), degrees_of_freedom: degreesOfFreedom },
    })
  }
  for (const name of removed) {
    findings.push({
      detector: 'largest_residual',
      where: name,
      text: `${name} contradicts the other meters and was taken out`,
      evidence: { residual: round(largest?.residual ?? 0), meter: name },
    })
  }
  return findings
}

/** Tests one phasor frame against the one before it: jumps, repetitions, time that goes back, late arrival. */
export function testPhasors(
  unit: string,
  before: PhasorView | undefined,
  now: PhasorView,
  intervalUs: number,
): readonly Finding[] {
  const findings: Finding[] = []
  const lateMs = (now.arrivedUs - now.measuredUs) / 1000
  if (lateMs > detectionLimits.lateMs) {
    findings.push({
      detector: 'late',
      where: unit,
      text: `a frame arrived ${lateMs.toFixed(1)} ms after its time stamp`,
      evidence: { late_ms: round(lateMs), limit_ms: detectionLimits.lateMs },
    })
  }
  if (before === undefined) return findings
  if (now.measuredUs <= before.measuredUs) {
    findings.push({
      detector: 'sequence',
      where: unit,
      text: 'a time stamp went back: the frame is a repetition',
      evidence: { before: before.measuredUs / 1e6, now: now.measuredUs / 1e6 },
    })
  } else if (now.measuredUs - before.measuredUs > intervalUs * 1.5) {
    const missing = Math.round((now.measuredUs - before.measuredUs) / intervalUs) - 1
    findings.push({
      detector: 'missing',
      where: unit,
      text: `${missing} frames between two time stamps never arrived`,
      evidence: { missing, interval_ms: intervalUs / 1000 },
    })
  }
  if (now.fingerprint === before.fingerprint) {
    findings.push({
      detector: 'stale',
      where: unit,
      text: 'two frames agree in every bit: the measurement is frozen',
      evidence: { octets: now.fingerprint.length / 2 },
    })
  }
  const step = (now.phasors[0]?.magnitudePu ?? 0) - (before.phasors[0]?.magnitudePu ?? 0)
  if (Math.abs(step) > detectionLimits.stepMagnitudePu) {
    findings.push({
      detector: 'step',
      where: unit,
      text: `the voltage moved by ${step.toFixed(4)} pu between two frames`,
      evidence: { step_pu: round(step), limit_pu: detectionLimits.stepMagnitudePu },
    })
  }
  return findings
}

/** Tests the units against each other: in one island all turn at one frequency. */
export function testFrequencies(units: Readonly<Record<string, PhasorView>>): readonly Finding[] {
  const entries = Object.entries(units).filter(([, view]) => view.frequencyHz > 0)
  const sorted = entries.map(([, view]) => view.frequencyHz).sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  if (median === undefined || sorted.length < 3) return []
  return entries
    .filter(([, view]) => Math.abs(view.frequencyHz - median) > detectionLimits.frequencyHz)
    .map(([unit, view]) => ({
      detector: 'frequency' as const,
      where: unit,
      text: `reports ${view.frequencyHz.toFixed(3)} Hz, its neighbours ${median.toFixed(3)} Hz`,
      evidence: { frequency_hz: round(view.frequencyHz), median_hz: round(median) },
    }))
}

/**
 * Tests the angles of the units against the estimate, both taken relative to the first unit.
 *
 * @param angles - For each unit its measured angle and the estimate's at its bus, in radians.
 */
export function testAngles(
  angles: readonly { readonly unit: string; readonly measured: number; readonly estimated: number }[],
): readonly Finding[] {
  const differences = angles.map(({ measured, estimated }) => measured - estimated)
  // The common part is the rotation since the start; the median is the unit that nobody lies about.
  const reference = median(differences)
  return angles.flatMap(({ unit }, index) => {
    const off = wrap((differences[index] ?? 0) - reference)
    if (Math.abs(off) <= detectionLimits.angleRad) return []
    return [
      {
        detector: 'angle' as const,
        where: unit,
        text: `the angle is ${((off * 180) / Math.PI).toFixed(2)} deg off the estimate`,
        evidence: {
          off_deg: round((off * 180) / Math.PI),
          limit_deg: round((detectionLimits.angleRad * 180) / Math.PI),
        },
      },
    ]
  })
}

/** The circular median: the difference with the smallest sum of distances to the others. */
function median(angles: readonly number[]): number {
  const cost = (angle: number) => angles.reduce((sum, other) => sum + Math.abs(wrap(other - angle)), 0)
  return angles.reduce((best, angle) => (cost(angle) < cost(best) ? angle : best), angles[0] ?? 0)
}

function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
