/** The Redis store, and a second one for limits per second. */

import { choice, flag, text } from '../../base/variables.ts'
import { duration, whole } from '../setting-readers.ts'
import { honoured, relayed, row, withAliases } from './setting-row.ts'

/** The store of all limits. */
export const redisSettings = withAliases('REDIS_', 'KVSTORE_', {
  REDIS_SOCKET_TYPE: row(choice('unix', ['unix', 'tcp']), honoured),
  REDIS_TYPE: row(choice('single', ['single', 'sentinel', 'cluster']), honoured),
  REDIS_URL: row(text('/var/run/nutcracker/ratelimit.sock'), honoured, { isSecret: true }),
  REDIS_POOL_SIZE: row(whole(10), honoured),
  REDIS_AUTH: row(text(''), honoured, { isSecret: true }),
  REDIS_SENTINEL_AUTH: row(text(''), honoured, { isSecret: true }),
  REDIS_TLS: row(flag(false), honoured),
  REDIS_PIPELINE_WINDOW: row(duration(0), honoured),
  REDIS_PIPELINE_LIMIT: row(whole(0), honoured),
  REDIS_TIMEOUT: row(duration(10_000), honoured),
  REDIS_TLS_CLIENT_CERT: row(text(''), relayed),
  REDIS_TLS_CLIENT_KEY: row(text(''), relayed),
  REDIS_TLS_CACERT: row(text(''), relayed),
  REDIS_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed),
  REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: row(flag(false), honoured),
  REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR: row(flag(false), honoured),
})

/** The store of limits per second. */
export const redisPerSecondSettings = withAliases('REDIS_', 'KVSTORE_', {
  REDIS_PERSECOND: row(flag(false), honoured),
  REDIS_PERSECOND_SOCKET_TYPE: row(choice('unix', ['unix', 'tcp']), honoured),
  REDIS_PERSECOND_TYPE: row(choice('single', ['single', 'sentinel', 'cluster']), honoured),
  REDIS_PERSECOND_URL: row(text('/var/run/nutcracker/ratelimitpersecond.sock'), honoured, { isSecret: true }),
  REDIS_PERSECOND_AUTH: row(text(''), honoured, { isSecret: true }),
  REDIS_PERSECOND_SENTINEL_AUTH: row(text(''), honoured, { isSecret: true }),
  REDIS_PERSECOND_TLS: row(flag(false), honoured),
  REDIS_PERSECOND_PIPELINE_WINDOW: row(duration(0), honoured),
  REDIS_PERSECOND_PIPELINE_LIMIT: row(whole(0), honoured),
  REDIS_PERSECOND_TIMEOUT: row(duration(10_000), honoured),
})
