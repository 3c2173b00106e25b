/** The query of a score, and the score of a session's capture. */

import type { Sliced } from '../../base/slices.ts'
import { stepUs } from '../configuration.ts'
import type { Alarm } from '../contract/grid.ts'
import type { Score } from '../contract/score.ts'
import { GridError } from '../errors.ts'
import { listLabels } from '../export/labels.ts'
import { type Alert, defaultRules, type MatchRules } from '../score/place.ts'
import { type AlertFormat, alertFormats, readAlerts } from '../score/read-alerts.ts'
import { score } from '../score/score.ts'
import { gatherTruth } from '../score/truth.ts'
import { findCapture } from './exports.ts'
import type { SessionView } from './session-view.ts'

/** Choices of a score. */
export interface ScoreRequest {
  /** Null to find it by the first line. */
  readonly format: AlertFormat | null
  readonly rules: MatchRules
}

/** The parameters of a score, each with what it means; the OpenAPI document lists them. */
export const scoreParameters = {
  format: 'form of the alerts: eve, zeek, csv or jsonl; found by the first line when absent',
  tolerance: 'milliseconds between an alert and its frame: 0 to 10000, default 1',
  grace: 'seconds after the last frame of an attack in which an alert reports it: 0 to 3600, default 10',
} as const

/**
 * Reads the query of a score.
 *
 * @throws GridError invalid_request when a parameter has a value that a score does not know.
 */
export function parseScore(query: (name: keyof typeof scoreParameters) => string | undefined): ScoreRequest {
  return {
    format: readFormat(query('format')),
    rules: {
      toleranceMs: readNumber('tolerance', query('tolerance'), { most: 10_000, usual: defaultRules.toleranceMs }),
      graceS: readNumber('grace', query('grace'), { most: 3_600, usual: defaultRules.graceS }),
    },
  }
}

/**
 * Scores alerts, or else the alarms of the control centre, against the frames that a session retains.
 *
 * @throws GridError as `findCapture` does.
 * @throws GridError as `readAlerts` does.
 * @throws GridError as `score` does.
 */
export function* scoreSession(view: SessionView, text: string | null, { format, rules }: ScoreRequest): Sliced<Score> {
  const truth = gatherTruth(listLabels(findCapture(view), null))
  const alerts = text === null ? view.world.view.alarms.map(toAlert) : yield* readAlerts(text, format)
  return yield* score(truth, alerts, rules)
}

/** An alarm counts at the end of its step: it has the time of its beginning, before the frames that caused it. */
function toAlert({ timestamp, detector }: Alarm, index: number): Alert {
  const unknown = { frame: null, source: null, target: null, technique: null, score: null }
  return { line: index + 1, timeUs: Math.round(timestamp * 1e6) + stepUs, name: detector, ...unknown }
}

function readFormat(text: string | undefined): AlertFormat | null {
  if (text === undefined) return null
  const found = alertFormats.find((format) => format === text)
  if (found !== undefined) return found
  throw invalid(`format is "${text.slice(0, 64)}"`, `Send one of ${alertFormats.join(', ')}`)
}

function readNumber(
  name: string,
  text: string | undefined,
  { most, usual }: { readonly most: number; readonly usual: number },
): number {
  if (text === undefined) return usual
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (value <= most) return value
  throw invalid(`${name} is "${text.slice(0, 64)}"`, `Send a number from 0 to ${most}`)
}

function invalid(state: string, hint: string): GridError {
  return new GridError('invalid_request', `Cannot score: ${state}`, { hint })
}
