/** Output of log lines: the platform's console, each by its level. */

import type { LogLevel } from '#base/log.ts'
import { createLogger, type Logger, type LogSettings, type LogWorld, logVariables } from '#base/logger.ts'
import { readVariables } from '#base/variables.ts'

/** Makes the logger of a deployment. */
export function consoleLogger({ LOG_LEVEL, LOG_FORMAT }: LogSettings, context?: LogWorld['context']): Logger {
  return createLogger({ LOG_LEVEL, LOG_FORMAT }, { now: Date.now, print, ...(context && { context }) })
}

/** Makes the logger that an environment asks for; one with the defaults where its words make no sense. */
export function loggerOfEnvironment(env: object, context?: LogWorld['context']): Logger {
  try {
    return consoleLogger(readVariables(logVariables, { ...env }), context)
  } catch {
    return consoleLogger(readVariables(logVariables, {}), context)
  }
}

function print(line: string, level: LogLevel): void {
  if (level === 'info' || level === 'debug' || level === 'trace') console.log(line)
  else if (level === 'warning') console.warn(line)
  else console.error(line)
}
