/** The scenarios that come with the product, by name; `examples/grid/scenarios` has their files. */

import { suggest } from '../../base/nearest.ts'
import { GridError } from '../errors.ts'
import values from './library.json' with { type: 'json' }
import { type CheckedScenario, checkScenario } from './session.ts'

const byName: Readonly<Record<string, unknown>> = values

/** Names of the scenarios, in the order of the library. */
export const scenarioNames: readonly string[] = Object.keys(values)

/**
 * Finds a scenario of the library.
 *
 * @throws GridError not_found when there is none of the name; the message names the nearest one.
 */
export function findScenario(name: string): CheckedScenario {
  const read = Object.hasOwn(byName, name) ? checkScenario(byName[name]) : undefined
  if (read?.ok === true) return read.checked
  const state = `it is not in the library, ${suggest(name, scenarioNames)}`
  throw new GridError('not_found', `Cannot find the scenario "${name.slice(0, 64)}": ${state}`)
}

/**
 * Gives a scenario of the library as it is written, for a file of YAML or JSON.
 *
 * @throws GridError as `findScenario` does.
 */
export function scenarioValue(name: string): unknown {
  findScenario(name)
  return byName[name]
}
