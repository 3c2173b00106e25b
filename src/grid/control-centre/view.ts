/** The knowledge of the control centre: the last values that arrived, its state estimate, and its alarms. */

import type { Alarm, EstimateView, LimitAlarm } from '../contract/grid.ts'

/** A limit that a value is or was beyond. */
export interface LimitState {
  /** 0 inside, 1 beyond the limit of medium priority, 2 beyond that of high priority. */
  readonly level: number
  /** Tests in a row that found another level. */
  readonly tests: number
  /** Microseconds at which its last alarms were raised. */
  readonly raisedUs: readonly number[]
}

/** The last frame of one phasor measurement unit. */
export interface PhasorView {
  /** Measurement time and arrival in microseconds since the Unix epoch. */
  readonly measuredUs: number
  readonly arrivedUs: number
  readonly frequencyHz: number
  readonly rocofHzPerS: number
  /** Voltage and currents in per unit and radians. */
  readonly phasors: readonly { readonly magnitudePu: number; readonly angleRad: number }[]
  /** Octets of the measured part of the frame, to notice exact repetition. */
  readonly fingerprint: string
}

/** State of the test of one unit's angle between two frames. */
export interface AngleRate {
  /** The frame to which the next one is compared. */
  readonly measuredUs: number
  readonly angleRad: number
  readonly frequencyHz: number
  /** Cumulative sums of the mismatch in both directions, in its standard deviations. */
  readonly above: number
  readonly below: number
}

/** Everything that arrived at the control centre and what it made of it. */
export interface View {
  /** Last values in per unit by name of the point. Changed in place, as is everything that each message changes. */
  values: Record<string, number>
  /** Names of the points that arrived since the last scan began. */
  fresh: string[]
  /** Breaker states by branch number, as last reported. */
  closed: Record<number, boolean>
  /** True once a breaker report changed since the last scan began. */
  switched: boolean
  /** Last frame of each unit. */
  phasors: Record<string, PhasorView>
  /** Microseconds of the last answer of each outstation. */
  heardUs: Record<string, number>
  /** Microseconds since which time has run without a break: silence is counted from here. 0 before any break. */
  liveUs: number
  estimate: EstimateView | null
  /** Newest last, at most `maximumAlarms`. */
  alarms: readonly Alarm[]
  alarmCount: number
  /** Number of the last alarm, of a detector or of a limit. */
  lastAlarm: number
  /** Alarms of limits, newest last, at most `maximumAlarms`; the key names limit and place, such as `low voltage 14`. */
  limitAlarms: readonly (LimitAlarm & { readonly key: string })[]
  /** Alarms of limits that were not raised, because their place chattered. */
  limitAlarmsSuppressed: number
  /** Limits that a value is or was beyond, by key. */
  limits: Record<string, LimitState>
  /** Microseconds at which each cause of an alarm was last found: a lasting cause is one alarm. */
  raised: Record<string, number>
  /** The first frame of each unit since the scan began: measured together with what the outstations report. */
  scanned: Readonly<Record<string, PhasorView>>
  /** The test of each unit's angle against its frequency. */
  turning: Record<string, AngleRate>
  /** For each unit and channel, how many frames in a row had the same value. */
  repeats: Record<string, readonly number[]>
  /** Breaker states that the control centre has ordered, by branch number; where none was, closed is expected. */
  ordered: Readonly<Record<number, boolean>>
  /** Measured load in per unit over the forecast's share of the peak, followed from scan to scan; null before. */
  loadPerForecast: number | null
  /** Step at which the control centre last ordered another load. */
  loadOrderedStep: number
}

/** Most alarms that the control centre keeps. */
export const maximumAlarms = 200

/** Makes the view before anything arrived. */
export function createView(): View {
  return {
    values: {},
    fresh: [],
    closed: {},
    switched: false,
    phasors: {},
    heardUs: {},
    liveUs: 0,
    estimate: null,
    alarms: [],
    alarmCount: 0,
    lastAlarm: 0,
    limitAlarms: [],
    limitAlarmsSuppressed: 0,
    limits: {},
    raised: {},
    scanned: {},
    turning: {},
    repeats: {},
    ordered: {},
    loadPerForecast: null,
    loadOrderedStep: 0,
  }
}
