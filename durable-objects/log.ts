/** Where the rate limit service's log lines go: the platform's console, each by its level. */

import type { LogLevel } from '../src/base/log.ts'
import { createLogger, type Logger } from '../src/ratelimit/logger.ts'
import type { SettingValues } from '../src/ratelimit/setting-table.ts'

/** Makes the logger of a deployment. */
export function consoleLogger(values: Pick<SettingValues, 'LOG_LEVEL' | 'LOG_FORMAT'>): Logger {
  return createLogger(values, { now: Date.now, print })
}

function print(line: string, level: LogLevel): void {
  if (level === 'info' || level === 'debug' || level === 'trace') console.log(line)
  else if (level === 'warning') console.warn(line)
  else console.error(line)
}
