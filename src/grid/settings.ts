/** The settings of the simulation's deployment, read once. */

import { VariableError } from '../base/errors.ts'
import {
  bounded,
  type Environment,
  flag,
  readVariables,
  tokenVariable,
  type VariableValues,
  variable,
} from '../base/variables.ts'
import { GridError } from './errors.ts'
import { syslogVariables } from './syslog/settings.ts'

/** Every variable of the grid. `docs/settings.md` prints it. */
export const gridVariables = {
  GRID_TOKEN: tokenVariable(),
  FIELD_TOKEN: tokenVariable(),
  GRID_AUTH: variable(flag(true)),
  GRID_RELAYS: variable(bounded(0, 0, 1000)),
  LEGACY_PROTO_FILTER: variable(flag(false)),
  ...syslogVariables,
} as const

/** The variables' values. */
export type GridSettings = VariableValues<typeof gridVariables>

/**
 * Reads the settings.
 *
 * @throws GridError invalid_settings when a variable has a value that it may not have; the message says which it may have.
 */
export function readGridSettings(environment: Environment): GridSettings {
  try {
    return readVariables(gridVariables, environment)
  } catch (error) {
    if (error instanceof VariableError) throw new GridError(error.code, error.message)
    throw error
  }
}
