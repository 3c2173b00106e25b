/** The body of a request that plays a scenario. */

import * as z from 'zod'
import { isSession, stepsPerSecond, toSessionDocument } from '../configuration.ts'
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
  const { name, start, ...given } = readBody(playRequest, body, { code: 'invalid_request', action: 'play a scenario' })
  const [value, ...more] = [name, given.scenario, given.session].filter((one) => one !== undefined)
  if (value === undefined || more.length > 0) {
    throw new GridError(
      'invalid_request',
      'Cannot play a scenario: expected exactly one of name, scenario and session',
      { hint: 'GET /api/v1/scenarios lists the names of the library' },
    )
  }
  if (name !== undefined) return { value: scenarioValue(name), start }
  if (given.session === undefined) requireScenario(value)
  else requireSession(value)
  return { value, start }
}

/**
 * Opens what a session plays: a scenario, or the document of another session.
 *
 * @throws GridError as `parsePlay` does.
 */
export function openPlayed(value: unknown): CheckedScenario {
  return isSession(value) ? requireSession(value) : requireScenario(value)
}

function requireScenario(value: unknown): CheckedScenario {
  const read = checkScenario(value)
  if (read.ok) return read.checked
  const texts = read.mistakes.slice(0, mostMistakes).map(({ text }) => text)
  throw new GridError('invalid_request', `Cannot play a scenario: ${texts.join('; ')}`)
}

/** Reads a session as a scenario without a timeline, with the start time of its log: no wall clock sets another. */
function requireSession(value: unknown): CheckedScenario {
  const { name, configuration, commands, steps } = readSource('session', value)
  const clock = commands.find((one) => one.kind === 'clock')
  const start_time = configuration.start_time ?? Math.floor((clock?.timeUs ?? 0) / 1e6)
  const title = 'A session that plays again'
  return {
    scenario: {
      name,
      title,
      summary: title,
      briefing: title,
      exercises: [],
      sources: [],
      network: defaultCase,
      seed: configuration.seed,
      start: new Date(start_time * 1000).toISOString(),
      duration: steps / stepsPerSecond,
      load: {},
      settings: {},
      background: [],
      timeline: [],
      questions: [],
    },
    session: toSessionDocument({ configuration: { ...configuration, start_time }, commands, steps }),
    attackIds: new Map(),
  }
}

/** Reads `{answers}`: what one person answers, in the order of the questions. */
export function parseAnswers(body: unknown): readonly string[] {
  return readBody(answersShape, body, { code: 'invalid_request', action: 'hand answers in' }).answers
}
