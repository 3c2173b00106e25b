/** The reference detectors: pure tests of what arrived, each with its evidence. */

import type { Json } from '../../base/json.ts'
import { toDegrees, wrapAngle } from '../angles.ts'
import type { Alarm, EstimateView } from '../contract/grid.ts'
import type { PhasorView } from './view.ts'

/** The detectors by name, each with what it looks at. */
export const detectors = {
  chi_square: 'J of the state estimation against its limit',
  largest_residual: 'the meter whose residual no number of good meters explains',
  current: 'currents of a phasor unit against the estimate',
  angle: 'angles of the phasor units against the estimate',
  angle_rate: 'the turning of a phasor against the frequency of its unit',
  frequency: 'frequencies of the units of one island against each other',
  off_nominal: 'a frequency more than 0.5 Hz off nominal',
  frozen: 'a channel of a unit without the noise of a meter',
  step: 'a voltage that jumps between two frames',
  late: 'a frame that arrives long after its time stamp',
  missing: 'time stamps that never arrived',
  sequence: 'time stamps, GOOSE or IEC 104 numbers that go back or jump',
  stale: 'a device that is silent, or repeats itself to the bit',
  breaker: 'a breaker in another position than the control centre ordered',
  dead_bus: 'a bus without voltage',
  lost_load: 'measured load against forecast and scans before',
  second_master: 'a session with an outstation from a host that is not its master',
  unknown_writer: 'a command or write from such a host',
  unordered_command: 'an answer to a command that the control centre did not send',
  malformed: 'a message that its receiver cannot read',
} as const

/** Name of a detector. */
export type Detector = keyof typeof detectors

/** Detectors of what an operator must act on; the alarms of all others are of medium priority. */
const priorityByDetector: Readonly<Record<string, Alarm['priority']>> = {
  dead_bus: 'critical',
  lost_load: 'critical',
  breaker: 'high',
  second_master: 'high',
  unknown_writer: 'high',
  unordered_command: 'high',
}

/** The priority of a detector's alarm. */
export function priorityOf(detector: string): Alarm['priority'] {
  return priorityByDetector[detector] ?? 'medium'
}

/** One result of a detector; a condition that lasts gives the same detector and place at each test. */
export interface Finding {
  readonly detector: Detector
  readonly where: string
  readonly text: string
  readonly evidence: { readonly [name: string]: Json }
}

/** Makes a finding. */
export function found(detector: Detector, where: string, text: string, evidence: Finding['evidence'] = {}): Finding {
  return { detector, where, text, evidence }
}

/** Voltage in per unit above which a bus is live: at less, angles and frequencies mean nothing. */
export const livePu = 0.1

/** Bounds of the tests, in the units of their names; several standard deviations of an honest meter each. */
export const detectionLimits = {
  /** Between two frames of one unit. */
  stepMagnitudePu: 0.02,
  /** Between a unit's angle and the estimate, after the rotation that all units share. */
  angleRad: 0.03,
  /** Between the units of one island. */
  frequencyHz: 0.02,
  /** From nominal. */
  offNominalHz: 0.5,
  /** Between measurement and arrival. */
  lateMs: 50,
} as const

/** Reports a scan that no state fits, with J and the worst meter at the state from which the fit began. */
export function reportMisfit({ objective, threshold, degreesOfFreedom, largest }: EstimateView): Finding {
  const { name: meter, residual } = largest ?? { name: 'none', residual: 0 }
  const text = `no state fits the meters: where the fit begins J is ${objective.toPrecision(4)}, limit ${threshold.toFixed(1)}, and ${meter} is farthest off`
  const evidence = { j: round(objective), limit: round(threshold), degrees_of_freedom: degreesOfFreedom }
  return found('chi_square', 'state estimation', text, { ...evidence, meter, residual: round(residual) })
}

/** Tests an estimate: its J against the chi-square limit, and the meters that it took out. */
export function testEstimate(estimate: EstimateView): readonly Finding[] {
  const { objective, threshold, degreesOfFreedom, largest, removed, suspicious } = estimate
  const wrong = removed.map((name) => {
    const evidence = { residual: round(largest?.residual ?? 0), meter: name }
    return found('largest_residual', name, `${name} contradicts the other meters and was taken out`, evidence)
  })
  if (!suspicious) return wrong
  const text = `J is ${objective.toFixed(1)} for ${degreesOfFreedom} degrees of freedom, limit ${threshold.toFixed(1)}`
  const evidence = { j: round(objective), limit: round(threshold), degrees_of_freedom: degreesOfFreedom }
  return [found('chi_square', 'state estimation', text, evidence), ...wrong]
}

/** Tests a phasor frame by itself and beside the one before; lateness counts from `liveUs` on, since which time runs. */
export function testPhasors(
  unit: string,
  before: PhasorView | undefined,
  now: PhasorView,
  { intervalUs, liveUs = 0 }: { readonly intervalUs: number; readonly liveUs?: number },
): readonly Finding[] {
  const late = testLateness(unit, now, liveUs)
  if (before === undefined) return late
  return [
    ...late,
    ...testTimeStamps(unit, before, now, intervalUs),
    ...testRepetition(unit, before, now),
    ...testJump(unit, before, now),
  ]
}

function testLateness(unit: string, { arrivedUs, measuredUs }: PhasorView, liveUs: number): readonly Finding[] {
  const { lateMs: limit_ms } = detectionLimits
  const lateMs = (arrivedUs - Math.max(measuredUs, liveUs)) / 1000
  if (lateMs <= limit_ms) return []
  const text = `a frame arrived ${lateMs.toFixed(1)} ms after its time stamp`
  return [found('late', unit, text, { late_ms: round(lateMs), limit_ms })]
}

function testTimeStamps(unit: string, before: PhasorView, now: PhasorView, intervalUs: number): readonly Finding[] {
  const passedUs = now.measuredUs - before.measuredUs
  if (passedUs <= 0) {
    const evidence = { before: before.measuredUs / 1e6, now: now.measuredUs / 1e6 }
    return [found('sequence', unit, 'a time stamp went back: the frame is a repetition', evidence)]
  }
  if (passedUs <= intervalUs * 1.5) return []
  const missing = Math.round(passedUs / intervalUs) - 1
  const evidence = { missing, interval_ms: intervalUs / 1000 }
  return [found('missing', unit, `${missing} frames between two time stamps never arrived`, evidence)]
}

function testRepetition(unit: string, before: PhasorView, { fingerprint }: PhasorView): readonly Finding[] {
  if (fingerprint !== before.fingerprint) return []
  const text = 'two frames agree in every bit: the measurement is frozen'
  return [found('stale', unit, text, { octets: fingerprint.length / 2 })]
}

function testJump(unit: string, before: PhasorView, now: PhasorView): readonly Finding[] {
  const { stepMagnitudePu: limit_pu } = detectionLimits
  const step = (now.phasors[0]?.magnitudePu ?? 0) - (before.phasors[0]?.magnitudePu ?? 0)
  if (Math.abs(step) <= limit_pu) return []
  const text = `the voltage moved by ${step.toFixed(4)} pu between two frames`
  return [found('step', unit, text, { step_pu: round(step), limit_pu })]
}

/** Tests that the bus of a unit has a voltage. */
export function isLive({ phasors }: PhasorView): boolean {
  return (phasors[0]?.magnitudePu ?? 0) > livePu
}

/** Tests the frequency of a unit whose bus has a voltage against nominal. */
export function testNominal(unit: string, view: PhasorView, nominalHz: number): readonly Finding[] {
  const { frequencyHz } = view
  if (!isLive(view) || Math.abs(frequencyHz - nominalHz) <= detectionLimits.offNominalHz) return []
  const evidence = { frequency_hz: round(frequencyHz), limit_hz: detectionLimits.offNominalHz }
  return [found('off_nominal', unit, `reports ${frequencyHz.toFixed(3)} Hz`, evidence)]
}

/** Tests the live units of one island against each other: all turn at one frequency. Dead buses are left out. */
export function testFrequencies(units: Readonly<Record<string, PhasorView>>): readonly Finding[] {
  const entries = Object.entries(units).filter(([, view]) => isLive(view))
  const sorted = entries.map(([, view]) => view.frequencyHz).sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  if (median === undefined || sorted.length < 3) return []
  return entries
    .filter(([, view]) => Math.abs(view.frequencyHz - median) > detectionLimits.frequencyHz)
    .map(([unit, { frequencyHz }]) => {
      const text = `reports ${frequencyHz.toFixed(3)} Hz, its neighbours ${median.toFixed(3)} Hz`
      return found('frequency', unit, text, { frequency_hz: round(frequencyHz), median_hz: round(median) })
    })
}

/** Tests the angles of the units against the estimate, in radians; all angles may be turned by one amount. */
export function testAngles(
  angles: readonly { readonly unit: string; readonly measured: number; readonly estimated: number }[],
): readonly Finding[] {
  const differences = angles.map(({ measured, estimated }) => measured - estimated)
  // All measured angles share a rotation since the start: the median is that of an honest unit while most are honest.
  const reference = circularMedian(differences)
  return angles.flatMap(({ unit }, index) => {
    const off = wrapAngle((differences[index] ?? 0) - reference)
    if (Math.abs(off) <= detectionLimits.angleRad) return []
    const evidence = { off_deg: round(toDegrees(off)), limit_deg: round(toDegrees(detectionLimits.angleRad)) }
    return [found('angle', unit, `the angle is ${toDegrees(off).toFixed(2)} deg off the estimate`, evidence)]
  })
}

/** The circular median: the difference with the smallest sum of distances to the others. */
function circularMedian(angles: readonly number[]): number {
  const cost = (angle: number) => angles.reduce((sum, other) => sum + Math.abs(wrapAngle(other - angle)), 0)
  return angles.reduce((best, angle) => (cost(angle) < cost(best) ? angle : best), angles[0] ?? 0)
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
