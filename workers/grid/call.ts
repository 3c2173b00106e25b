/** One request to one simulation: the value that handlers get, the settings, and the object's answers as responses. */

import { GridError } from '#grid/errors.ts'
import type { Right } from '#grid/rights.ts'
import { type GridSettings, readGridSettings } from '#grid/settings.ts'
import type { Answer } from '#objects/base/result.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { isGridErrorCode, jsonText } from './problems.ts'

/** Arguments of every handler. */
export interface Call {
  readonly request: Request
  readonly url: URL
  readonly env: GridEnv
  /** Name of the simulation: `default` below `/api/v1`. */
  readonly name: string
  /** Base path of the simulation's interface, without a slash at the end. */
  readonly basePath: string
  /** The right of the caller to the simulation. */
  readonly right: Right
  /** Warnings about parameters that were ignored. */
  readonly warnings: readonly string[]
  readonly simulation: DurableObjectStub<SimulationObject>
}

/** A call whose caller has a right, before its parameters are checked. */
export type AdmittedCall = Omit<Call, 'warnings'>

/** The one directory of a deployment. */
export function openDirectory({ SIMULATION_DIRECTORY }: GridEnv) {
  return SIMULATION_DIRECTORY.getByName('directory')
}

/** The last value of a query parameter; blank ones count as absent. */
export function query(url: URL, name: string): string | undefined {
  return url.searchParams.getAll(name).findLast((one) => one !== '')
}

/** The value of an answer; a refusal is thrown as a GridError with its code. */
export function unwrap<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value
  const code = isGridErrorCode(answer.code) ? answer.code : 'invalid_request'
  throw new GridError(code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint })
}

/** Answers with JSON text. */
export async function respond(answer: PromiseLike<string>): Promise<Response> {
  return jsonText(await answer)
}

/** Answers with JSON text, or throws as `unwrap` does. */
export async function respondOrRefuse(answer: PromiseLike<Answer<string>>): Promise<Response> {
  return jsonText(unwrap(await answer))
}

const settings = new WeakMap<GridEnv, GridSettings>()

/**
 * Finds the settings of the deployment, read once for each environment of this isolate; wrong ones always throw.
 *
 * @throws GridError invalid_settings when a setting is wrong, at every request until the deployment is put right.
 */
export function findSettings(env: GridEnv): GridSettings {
  const known = settings.get(env) ?? readGridSettings({ ...env })
  settings.set(env, known)
  return known
}
