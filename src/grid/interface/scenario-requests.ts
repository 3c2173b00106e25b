/** The body of a request that plays a scenario. */

import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import { stepsPerSecond } from '../configuration.ts'
import type { Source } from '../dataset/plan.ts'
import { readSource } from '../dataset/source.ts'
import { GridError } from '../errors.ts'
import { defaultCase } from '../network/cases/catalogue.ts'
import { scenarioValue } from '../scenario/library.ts'
import { type CheckedScenario, checkScenario } from '../scenario/session.ts'
import { answersShape, playShape } from '../scenario/shape.ts'
import { readBody } from './body-mistakes.ts'

/** Most mistakes of a scenario that a refusal lists. */
const mostMistakes = 10

/** The body; what is in it is checked apart, so that its mistakes have their paths. */
const playRequest = playShape.extend({ scenario: z.unknown().optional() })

/** A scenario to play. */
export interface PlayRequest {
  /** As it was written, for the storage. */
  readonly value: unknown
  /** False: it rests until it is started. */
  readonly start: boolean
}

/**
 * Reads `{name, start?}`, `{scenario, start?}` or `{session, start?}`: one of the library, one as a value, or the document
 * of a session.
 *
 * @throws GridError invalid_request when the body has mistakes, or what is in it; the message lists them.
 * @throws GridError as `scenarioValue` does.
 * @throws GridError as `readSource` does.
 */
export function parsePlay(body: unknown): PlayRequest {
  const { name, start, ...given } = readBody(playRequest, body, 'invalid_request', 'play a scenario')
  const [value, ...more] = [name, given.scenario, given.session].filter((one) => one !== undefined)
  if (value === undefined || more.length > 0) {
    throw new GridError(
      'invalid_request',
      'Cannot play a scenario: expected exactly one of name, scenario and session',
      { hint: 'GET /api/v1/scenarios lists the names of the library' },
    )
  }
  if (name !== undefined) return { value: scenarioValue(name), start }
  requirePlayed(given.session === undefined ? { scenario: value } : { session: value })
  return { value, start }
}

/** Tests that a value is the document of a session, and not a scenario. */
const isSession = (value: unknown): boolean => isRecord(value) && value.format === 'sluice-grid-session'

/**
 * Opens what a session plays: a scenario, or the document of another session.
 *
 * @throws GridError as `parsePlay` does.
 */
export function openPlayed(value: unknown): CheckedScenario {
  return requirePlayed(isSession(value) ? { session: value } : { scenario: value })
}

function requirePlayed({
  scenario,
  session,
}: {
  readonly scenario?: unknown
  readonly session?: unknown
}): CheckedScenario {
  if (session !== undefined) return toScenario(readSource('session', session))
  const read = checkScenario(scenario)
  if (read.ok) return read.checked
  const texts = read.mistakes.slice(0, mostMistakes).map(({ text }) => text)
  throw new GridError('invalid_request', `Cannot play a scenario: ${texts.join('; ')}`)
}

/** A session as a scenario without a timeline: its log has the times of its clock, so that no wall clock sets others. */
function toScenario({ name, configuration, commands, steps }: Source): CheckedScenario {
  const clock = commands.find((one) => one.kind === 'clock')
  const start_time = configuration.start_time ?? Math.floor((clock?.timeUs ?? 0) / 1e6)
  const title = 'A session that plays again'
  const texts = { name, title, summary: title, briefing: title }
  const lists = { exercises: [], sources: [], background: [], timeline: [], questions: [] }
  const { seed } = configuration
  const start = new Date(start_time * 1000).toISOString()
  const network = defaultCase
  return {
    scenario: { ...texts, ...lists, network, seed, start, duration: steps / stepsPerSecond, load: {}, settings: {} },
    session: {
      format: 'sluice-grid-session',
      version: 1,
      configuration: { ...configuration, start_time },
      commands,
      steps,
    },
    attackIds: new Map(),
  }
}

/** Reads `{answers}`: what one person answers, in the order of the questions. */
export function parseAnswers(body: unknown): readonly string[] {
  return readBody(answersShape, body, 'invalid_request', 'hand answers in').answers
}
