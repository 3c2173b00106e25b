/** The settings of the log, which are the same for every surface. */

import { choice, text, type VariableValues, variable } from './variables.ts'

const levels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] as const

/** Down to which level lines are written, and in which form. */
export const logVariables = {
  LOG_LEVEL: variable(choice<(typeof levels)[number]>('warn', levels)),
  LOG_FORMAT: variable(text('text')),
} as const

/** The variables' values. */
export type LogSettings = VariableValues<typeof logVariables>
