/** Data streams of a running simulation: its readings, a stream for each, and one composed of them. */

/** Readings of a simulation. */
export interface TelemetryReadings {
  /** Frequency of the largest island, in hertz. */
  readonly frequency: number
  /** Demand of all loads, in megawatts. */
  readonly load: number
  /** Losses of all branches, in megawatts. */
  readonly losses: number
  /** Alarms of the session, counted from one: an index has no base at zero. */
  readonly alarms: number
}

/** A running simulation at one moment. */
export interface TelemetrySample {
  readonly sessionId: string
  readonly readings: TelemetryReadings
  /**
   * Score of the chi-square detector for the last state estimate: J over its limit, so that above 1 is an alarm.
   * Null before the first estimate.
   */
  readonly score: number | null
}

/** The streams by the names of their readings, in the order of their records. */
export const telemetryReadings = ['frequency', 'load', 'losses', 'alarms'] as const

/** A reading that has a stream. */
export type TelemetryReading = (typeof telemetryReadings)[number]

/** Every stream of records: those of the readings, and the detector's score, which is not part of "grid health". */
export const telemetryRecords = [...telemetryReadings, 'score'] as const

/** A stream of records. */
export type TelemetryRecord = (typeof telemetryRecords)[number]

/** Weight of each reading in the composed stream "grid health". */
export const healthWeights: Readonly<Record<TelemetryReading, number>> = {
  frequency: 4,
  load: 2,
  losses: 1,
  alarms: 3,
}

/** The name of a stream, from which its id is made: the same for every session of a simulation. */
export function telemetryName(simulation: string, stream: TelemetryRecord | 'health'): string {
  return `sluice grid ${simulation} ${stream}`
}

/**
 * Reads what a simulation says for its telemetry: its status, as `GET /status` answers it, with `detector_score`.
 *
 * @param text - JSON text.
 * @returns null when it is not running, or is the status of a simulator outside, which has no grid.
 */
export function readTelemetry(text: string): TelemetrySample | null {
  const { run, session_id: sessionId, grid, detector_score: found } = toRecord(JSON.parse(text))
  if (run !== 'running' || typeof sessionId !== 'string' || grid === undefined) return null
  const { frequency_hz: frequency, load_mw: load, losses_mw: losses, alarms } = toRecord(grid)
  const readings = [frequency, load, losses, alarms].map(Number)
  if (!readings.every(Number.isFinite)) return null
  const [hertz = 0, demand = 0, lost = 0, count = 0] = readings
  // A stream keeps no zero.
  const score = typeof found === 'number' && found > 0 ? found : null
  return { sessionId, readings: { frequency: hertz, load: demand, losses: lost, alarms: count + 1 }, score }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Any object has fields of unknown type.
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
