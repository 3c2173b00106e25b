/** Settings that the reference implementation does not have. */

import { bounded, choice, flag, text } from '../../base/variables.ts'
import { callerTokens, duration, failurePolicy, leases, leeway, positive, wait, whole } from '../setting-readers.ts'
import { honoured, row } from './setting-row.ts'

/** Counter objects, leases, quota streams, bounds of requests, callers, rules, usage and further headers. */
export const additionalSettings = {
  MEMCACHE_SRV_RESOLVER: row(text('https://cloudflare-dns.com/dns-query'), honoured),
  COUNTER_PLACEMENT: row(choice('per-key', ['per-key', 'shard']), honoured),
  COUNTER_SHARDS: row(positive(64), honoured),
  COUNTER_DURABILITY: row(choice('durable', ['durable', 'strict', 'relaxed']), honoured),
  COUNTER_TIMEOUT: row(wait(5_000), honoured),
  FAILURE_POLICY: row(failurePolicy, honoured),
  LEASES: row(leases, honoured),
  LEASES_MAX_KEYS: row(positive(10_000), honoured),
  QUOTA_STREAMS: row(choice('tokens', ['tokens', 'open']), honoured),
  QUOTA_SHARDS: row(bounded(1, 1, 64), honoured),
  QUOTA_MAX_STREAMS: row(positive(1_000), honoured),
  QUOTA_MAX_BUCKETS: row(positive(1_000), honoured),
  QUOTA_ASSIGNMENT_SECONDS: row(bounded(30, 5, 3_600), honoured),
  REQUEST_MAX_BODY_BYTES: row(positive(1_048_576), honoured),
  REQUEST_MAX_DESCRIPTORS: row(positive(256), honoured),
  REQUEST_MAX_ENTRIES: row(positive(64), honoured),
  REQUEST_MAX_KEY_LENGTH: row(positive(1_024), honoured),
  REQUEST_MAX_VALUE_LENGTH: row(positive(8_192), honoured),
  REQUEST_MAX_DOMAIN_LENGTH: row(positive(1_024), honoured),
  REQUEST_MAX_COMPARISONS: row(positive(4_000_000), honoured),
  CALLER_TOKENS: row(callerTokens, honoured, { isSecret: true }),
  CALLER_OVERRIDES: row(leeway, honoured),
  CALLER_REFUNDS: row(leeway, honoured),
  CALLER_MAX_HITS: row(whole(0), honoured),
  JSON_REASON_IN_BODY: row(flag(false), honoured),
  GRPC_WEB_BODY: row(choice('streamed', ['streamed', 'whole']), honoured),
  RATELIMIT_RULES: row({ ...text(''), expected: 'YAML documents, separated by ---' }, honoured),
  RULES_MAX_STALENESS: row(duration(1_000), honoured),
  STATS_MAX_NAMES: row(positive(10_000), honoured),
  USAGE_ENABLED: row(flag(true), honoured),
  USAGE_RECORD_REQUESTS: row(bounded(1_000, 0, 5_000), honoured),
  LIMIT_IETF_HEADERS_ENABLED: row(flag(false), honoured),
  LIMIT_RETRY_AFTER_ENABLED: row(flag(false), honoured),
} as const
