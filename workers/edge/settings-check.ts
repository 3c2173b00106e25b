/** Checks the settings of a deployment, for its health. */

import { messageOf } from '#base/errors.ts'
import { logJson, logText } from '#base/log.ts'
import { type Environment, mistypedVariables, type VariableSet, weakTokens } from '#base/variables.ts'
import { operationsVariables, readOperationsSettings } from '#edge/settings.ts'

/** The settings of one surface. */
export interface CheckedSurface<Env> {
  readonly variables: VariableSet
  /** Reads every setting; throws when one cannot be read. */
  readonly read: (env: Env) => void
}

const known = new WeakMap<object, readonly string[]>()

/**
 * Finds every setting that cannot be read and every name that looks like a misspelled setting. The first call of an
 * isolate writes them to the log, and with them tokens that can be guessed.
 *
 * @returns one sentence for each, without a secret.
 */
export function settingsMistakes<Env extends object>(
  env: Env,
  surfaces: readonly CheckedSurface<Env>[],
): readonly string[] {
  const found = known.get(env)
  if (found !== undefined) return found
  const environment: Environment = Object.fromEntries(Object.entries(env))
  const sets = [...surfaces.map(({ variables }) => variables), { tables: [operationsVariables] }]
  const mistakes = [
    ...surfaces.flatMap(({ read }) => catchMistake(() => read(env))),
    ...catchMistake(() => readOperationsSettings(environment)),
    ...mistypedVariables(environment, sets),
  ]
  for (const mistake of mistakes) console.error(writeLine('Cannot be healthy', mistake, environment))
  // Not a mistake: a deployment that runs with such a token goes on, and its operator reads this.
  for (const weak of weakTokens(environment, sets)) console.error(writeLine('Not secure', weak, environment))
  known.set(env, mistakes)
  return mistakes
}

/** Writes a line in the form of LOG_FORMAT, also where the other settings cannot be read. */
function writeLine(message: string, state: string, { LOG_FORMAT }: Environment): string {
  const write = LOG_FORMAT === 'json' ? logJson : logText
  return write({ timeMs: Date.now(), level: 'error', message, fields: { error: state } })
}

function catchMistake(read: () => void): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}

/** The answer of a health route where no more than the settings can be wrong: 200 `OK`, or 500 with nothing. */
export function answerSettingsHealth(mistakes: readonly string[]): Response {
  return mistakes.length === 0 ? new Response('OK') : new Response(null, { status: 500 })
}
