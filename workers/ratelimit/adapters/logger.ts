/** The logger of this isolate. */

import type { Logger } from '#base/logger.ts'
import { consoleLogger } from '#objects/base/log.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { requestFields } from '../../edge/request-context.ts'
import { openIsolate } from './isolate.ts'

const fallback = consoleLogger({ LOG_LEVEL: 'warn', LOG_FORMAT: 'text' }, requestFields)

/** The logger that the settings describe; one with the defaults while they make no sense. */
export function loggerOf(env: RatelimitEnv): Logger {
  try {
    return openIsolate(env).logger
  } catch {
    return fallback
  }
}
