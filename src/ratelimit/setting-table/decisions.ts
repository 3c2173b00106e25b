/** Settings of decisions and their answers. */

import { flag, text } from '../../base/variables.ts'
import { backend, headerName, ratio, whole } from '../setting-readers.ts'
import { honoured, row } from './setting-row.ts'

/** Counting, headers and the modes of the whole service. */
export const decisionSettings = {
  EXPIRATION_JITTER_MAX_SECONDS: row(whole(300), honoured),
  LOCAL_CACHE_SIZE_IN_BYTES: row(whole(0), honoured, { aliases: ['LocalCacheSizeInBytes'] }),
  NEAR_LIMIT_RATIO: row(ratio(0.8), honoured),
  CACHE_KEY_PREFIX: row(text(''), honoured),
  BACKEND_TYPE: row(backend, honoured),
  STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: row(flag(false), honoured),
  LIMIT_RESPONSE_HEADERS_ENABLED: row(flag(false), honoured),
  LIMIT_LIMIT_HEADER: row(headerName('RateLimit-Limit'), honoured),
  LIMIT_REMAINING_HEADER: row(headerName('RateLimit-Remaining'), honoured),
  LIMIT_RESET_HEADER: row(headerName('RateLimit-Reset'), honoured),
  LIMIT_REQUEST_HEADERS_ENABLED: row(flag(false), honoured),
  LIMIT_REQUEST_LIMIT_HEADER: row(headerName('RateLimit-Limit'), honoured),
  LIMIT_REQUEST_REMAINING_HEADER: row(headerName('RateLimit-Remaining'), honoured),
  LIMIT_REQUEST_RESET_HEADER: row(headerName('RateLimit-Reset'), honoured),
  HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: row(flag(false), honoured),
  SHADOW_MODE: row(flag(false), honoured),
  QUOTA_MODE: row(flag(false), honoured),
  RESPONSE_DYNAMIC_METADATA: row(flag(false), honoured),
  MERGE_DOMAIN_CONFIG: row(flag(false), honoured),
} as const
