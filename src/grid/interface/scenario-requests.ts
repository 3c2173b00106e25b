/** The body of a request that plays a scenario. */

import * as z from 'zod'
import { GridError } from '../errors.ts'
import { scenarioValue } from '../scenario/library.ts'
import { type CheckedScenario, checkScenario } from '../scenario/session.ts'
import { playShape } from '../scenario/shape.ts'
import { readBody } from './body-mistakes.ts'

/** Most mistakes of a scenario that a refusal lists. */
const mostMistakes = 10

/** The body; the scenario in it is checked apart, so that its mistakes have their paths. */
const playRequest = playShape.extend({ scenario: z.unknown().optional() })

/** A scenario to play. */
export interface PlayRequest {
  /** As it was written, for the storage. */
  readonly value: unknown
  /** False: it rests until it is started. */
  readonly start: boolean
}

/**
 * Reads `{name, start?}` or `{scenario, start?}`: one of the library, or one as a value.
 *
 * @throws GridError invalid_request when the body has mistakes, or the scenario; the message lists them.
 * @throws GridError as `scenarioValue` does.
 */
export function parsePlay(body: unknown): PlayRequest {
  const { name, scenario, start } = readBody(playRequest, body, 'invalid_request', 'play a scenario')
  if ((name === undefined) === (scenario === undefined)) {
    throw new GridError('invalid_request', 'Cannot play a scenario: expected exactly one of name and scenario', {
      hint: 'GET /api/v1/scenarios lists the names of the library',
    })
  }
  const value = name === undefined ? scenario : scenarioValue(name)
  if (name === undefined) requireScenario(value)
  return { value, start }
}

/**
 * Checks a scenario.
 *
 * @throws GridError invalid_request when it has mistakes; the message lists ten at most.
 */
export function requireScenario(value: unknown): CheckedScenario {
  const read = checkScenario(value)
  if (read.ok) return read.checked
  const texts = read.mistakes.slice(0, mostMistakes).map(({ text }) => text)
  throw new GridError('invalid_request', `Cannot play a scenario: ${texts.join('; ')}`)
}
