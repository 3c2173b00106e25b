/** Logger of a service, in the form of LOG_FORMAT and down to LOG_LEVEL. */

import { isLogged, type LogEntry, type LogLevel, logJson, logText } from './log.ts'
import { choice, text, type VariableValues, variable } from './variables.ts'

const levels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] as const

/** Down to which level lines are written, and in which form. */
export const logVariables = {
  LOG_LEVEL: variable(choice<(typeof levels)[number]>('warn', levels)),
  LOG_FORMAT: variable(text('text')),
} as const

/** The variables' values. */
export type LogSettings = VariableValues<typeof logVariables>

/** Facts beside a message. */
export type LogFields = NonNullable<LogEntry['fields']>

/** Writes lines; those below the level of the settings go nowhere. */
export interface Logger {
  /** Something failed; the failure's own words go along, and its stack at level debug. */
  error(message: string, cause?: unknown, fields?: LogFields): void
  warning(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** Records a change that an operator made by hand, at every level. */
  audit(message: string, fields: LogFields): void
}

/** Output and clock of a logger. */
export interface LogWorld {
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly print: (line: string, level: LogLevel) => void
  /** Facts about what runs at the moment, for every line. */
  readonly context?: () => LogFields
}

/** Makes a logger. */
export function createLogger({ LOG_LEVEL, LOG_FORMAT }: LogSettings, { now, print, context }: LogWorld): Logger {
  const threshold = LOG_LEVEL === 'warn' ? 'warning' : LOG_LEVEL
  const format = LOG_FORMAT === 'json' ? logJson : logText
  const write = (level: LogLevel, message: string, fields: LogFields = {}) =>
    print(format({ timeMs: now(), level, message, fields: { ...fields, ...context?.() } }), level)
  const writeIfAsked = (level: LogLevel, message: string, fields?: LogFields) => {
    if (isLogged(level, threshold)) write(level, message, fields)
  }
  return {
    error: (message, cause, fields) =>
      writeIfAsked('error', message, { ...fields, ...causeFields(cause, isLogged('debug', threshold)) }),
    warning: (message, fields) => writeIfAsked('warning', message, fields),
    info: (message, fields) => writeIfAsked('info', message, fields),
    audit: (message, fields) => write('info', message, fields),
  }
}

function causeFields(cause: unknown, withStack: boolean): LogFields {
  if (cause === undefined) return {}
  if (!(cause instanceof Error)) return { error: String(cause) }
  return { error: cause.message, ...(withStack && cause.stack !== undefined && { stack: cause.stack }) }
}
