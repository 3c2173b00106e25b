/** The Redis store, and a second one for limits per second. */

import { choice, flag, text } from '../../base/variables.ts'
import { duration, whole } from '../setting-readers.ts'
import { honoured, relayed, row } from './setting-row.ts'

/** The store of all limits. */
export const redisSettings = {
  REDIS_SOCKET_TYPE: row(choice('unix', ['unix', 'tcp']), honoured, { aliases: ['KVSTORE_SOCKET_TYPE'] }),
  REDIS_TYPE: row(choice('single', ['single', 'sentinel', 'cluster']), honoured, {
    aliases: ['KVSTORE_TYPE'],
  }),
  REDIS_URL: row(text('/var/run/nutcracker/ratelimit.sock'), honoured, {
    aliases: ['KVSTORE_URL'],
    isSecret: true,
  }),
  REDIS_POOL_SIZE: row(whole(10), honoured, {
    aliases: ['KVSTORE_POOL_SIZE'],
  }),
  REDIS_AUTH: row(text(''), honoured, { aliases: ['KVSTORE_AUTH'], isSecret: true }),
  REDIS_SENTINEL_AUTH: row(text(''), honoured, { aliases: ['KVSTORE_SENTINEL_AUTH'], isSecret: true }),
  REDIS_TLS: row(flag(false), honoured, { aliases: ['KVSTORE_TLS'] }),
  REDIS_PIPELINE_WINDOW: row(duration(0), honoured, {
    aliases: ['KVSTORE_PIPELINE_WINDOW'],
  }),
  REDIS_PIPELINE_LIMIT: row(whole(0), honoured, {
    aliases: ['KVSTORE_PIPELINE_LIMIT'],
  }),
  REDIS_TIMEOUT: row(duration(10_000), honoured, { aliases: ['KVSTORE_TIMEOUT'] }),
  REDIS_TLS_CLIENT_CERT: row(text(''), relayed, {
    aliases: ['KVSTORE_TLS_CLIENT_CERT'],
  }),
  REDIS_TLS_CLIENT_KEY: row(text(''), relayed, {
    aliases: ['KVSTORE_TLS_CLIENT_KEY'],
  }),
  REDIS_TLS_CACERT: row(text(''), relayed, {
    aliases: ['KVSTORE_TLS_CACERT'],
  }),
  REDIS_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed, {
    aliases: ['KVSTORE_TLS_SKIP_HOSTNAME_VERIFICATION'],
  }),
  REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: row(flag(false), honoured, {
    aliases: ['KVSTORE_HEALTH_CHECK_ACTIVE_CONNECTION'],
  }),
  REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR: row(flag(false), honoured, {
    aliases: ['KVSTORE_CLOSE_CONNECTION_ON_READONLY_ERROR'],
  }),
} as const

/** The store of limits per second. */
export const redisPerSecondSettings = {
  REDIS_PERSECOND: row(flag(false), honoured, { aliases: ['KVSTORE_PERSECOND'] }),
  REDIS_PERSECOND_SOCKET_TYPE: row(choice('unix', ['unix', 'tcp']), honoured, {
    aliases: ['KVSTORE_PERSECOND_SOCKET_TYPE'],
  }),
  REDIS_PERSECOND_TYPE: row(choice('single', ['single', 'sentinel', 'cluster']), honoured, {
    aliases: ['KVSTORE_PERSECOND_TYPE'],
  }),
  REDIS_PERSECOND_URL: row(text('/var/run/nutcracker/ratelimitpersecond.sock'), honoured, {
    aliases: ['KVSTORE_PERSECOND_URL'],
    isSecret: true,
  }),
  REDIS_PERSECOND_AUTH: row(text(''), honoured, { aliases: ['KVSTORE_PERSECOND_AUTH'], isSecret: true }),
  REDIS_PERSECOND_SENTINEL_AUTH: row(text(''), honoured, {
    aliases: ['KVSTORE_PERSECOND_SENTINEL_AUTH'],
    isSecret: true,
  }),
  REDIS_PERSECOND_TLS: row(flag(false), honoured, { aliases: ['KVSTORE_PERSECOND_TLS'] }),
  REDIS_PERSECOND_PIPELINE_WINDOW: row(duration(0), honoured, {
    aliases: ['KVSTORE_PERSECOND_PIPELINE_WINDOW'],
  }),
  REDIS_PERSECOND_PIPELINE_LIMIT: row(whole(0), honoured, {
    aliases: ['KVSTORE_PERSECOND_PIPELINE_LIMIT'],
  }),
  REDIS_PERSECOND_TIMEOUT: row(duration(10_000), honoured, { aliases: ['KVSTORE_PERSECOND_TIMEOUT'] }),
} as const
