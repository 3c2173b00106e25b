/** The settings of the simulation's deployment, read once. */

import { VariableError } from '../base/errors.ts'
import {
  bounded,
  type Environment,
  flag,
  readVariables,
  text,
  tokenVariable,
  type VariableValues,
  variable,
} from '../base/variables.ts'
import { GridError } from './errors.ts'
import { parseRoles, type Role } from './rights.ts'
import { syslogVariables } from './syslog/settings.ts'

/** Every variable of the grid. `docs/settings.md` prints it. */
export const gridVariables = {
  GRID_TOKEN: tokenVariable(),
  FIELD_TOKEN: tokenVariable(),
  GRID_AUTH: variable(flag(true)),
  GRID_ROLES: variable(text(''), { isSecret: true }),
  GRID_RELAYS: variable(bounded(0, 0, 1000)),
  LEGACY_PROTO_FILTER: variable(flag(false)),
  ...syslogVariables,
} as const

/** The variables' values. */
export type GridSettings = Omit<VariableValues<typeof gridVariables>, 'GRID_ROLES'> & {
  readonly GRID_ROLES: readonly Role[]
}

/**
 * Reads the settings.
 *
 * @throws GridError invalid_settings when a variable has a value that it may not have; the message says which it may have.
 * @throws GridError invalid_settings when there are roles and tokens are not asked for: a stranger would have every right.
 */
export function readGridSettings(environment: Environment): GridSettings {
  try {
    const { GRID_ROLES: text, ...values } = readVariables(gridVariables, environment)
    const roles = parseRoles(text)
    if (roles.length > 0 && !values.GRID_AUTH) {
      throw new VariableError('Cannot use GRID_ROLES: GRID_AUTH is off, expected on: every caller has every right')
    }
    return { ...values, GRID_ROLES: roles }
  } catch (error) {
    if (error instanceof VariableError) throw new GridError(error.code, error.message)
    throw error
  }
}
