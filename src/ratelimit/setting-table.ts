/** Every environment variable the service knows: how it is read, its default, and what it does at the edge. */

import { logVariables } from '../base/log-settings.ts'
import { bounded, choice, flag, text, type VariableValues } from '../base/variables.ts'
import {
  backend,
  callerTokens,
  duration,
  failurePolicy,
  headerName,
  leases,
  leeway,
  names,
  path,
  port,
  positive,
  ratio,
  tags,
  wait,
  whole,
} from './setting-readers.ts'
import { honoured, local, relayed, row, type SettingRow, withAliases, without } from './setting-table/setting-row.ts'

/**
 * The table, by product name. Durations are kept in milliseconds.
 *
 * `docs/ratelimit.md` prints it, and a test compares the two.
 */
export const settingTable = {
  // Listeners of the local server, their limits and TLS, and the log.
  HOST: row(text('0.0.0.0'), local),
  PORT: row(port(8080), local),
  GRPC_HOST: row(text('0.0.0.0'), local),
  GRPC_PORT: row(port(8081), local),
  GRPC_UDS: row(text(''), local),
  DEBUG_HOST: row(text('0.0.0.0'), local),
  DEBUG_PORT: row(port(6070), local),
  GRPC_MAX_CONNECTION_AGE: row(duration(86_400_000), local),
  GRPC_MAX_CONNECTION_AGE_GRACE: row(duration(3_600_000), local),
  GRPC_MAX_CONNECTIONS: row(positive(1_000), local),
  GRPC_MAX_CONNECTION_IDLE: row(wait(600_000), local),
  GRPC_MAX_CALLS: row(positive(10_000), local),
  GRPC_MAX_BUFFERED_BYTES: row(positive(67_108_864), local),
  GRPC_MESSAGE_TIMEOUT: row(wait(30_000), local),
  GRPC_SERVER_USE_TLS: row(flag(false), local),
  GRPC_SERVER_TLS_CERT: row(text(''), local),
  GRPC_SERVER_TLS_KEY: row(text(''), local),
  GRPC_CLIENT_TLS_CACERT: row(text(''), local),
  GRPC_CLIENT_TLS_SAN: row(text(''), local),
  LOG_LEVEL: row(logVariables.LOG_LEVEL, honoured),
  LOG_FORMAT: row(logVariables.LOG_FORMAT, honoured),

  // Statistics by StatsD and Prometheus; traces have settings of their own.
  USE_STATSD: row(flag(false), honoured, { aliases: ['USE_METRICSD'] }),
  STATSD_HOST: row(text('localhost'), honoured),
  STATSD_PORT: row(port(8125), honoured),
  USE_DOG_STATSD: row(flag(false), honoured),
  USE_DOG_STATSD_MOGRIFIERS: row(names, honoured),
  PROMETHEUS_PATH: row(path('/metrics'), honoured),
  PROMETHEUS_MAPPER_YAML: row(
    text(''),
    without('it names a file, and a Worker has none; the default mapping is built in; an error when set'),
  ),
  PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS: row(flag(false), honoured),
  EXTRA_TAGS: row(tags, honoured),
  STATS_FLUSH_INTERVAL: row(duration(10_000), honoured),
  DISABLE_STATS: row(flag(false), honoured),
  TRACING_ENABLED: row(
    flag(false),
    without('OTEL_EXPORTER_OTLP_ENDPOINT and its companions send traces instead; an error when true'),
  ),

  // Rules in a runtime directory.
  CONFIG_TYPE: row(
    choice('FILE', ['FILE', 'GRPC_XDS_SOTW']),
    without('rules do not come by xDS; GRPC_XDS_SOTW is an error'),
  ),
  RUNTIME_ROOT: row(text('/srv/runtime_data/current'), local),
  RUNTIME_SUBDIRECTORY: row(text(''), local),
  RUNTIME_APPDIRECTORY: row(text('config'), local),
  RUNTIME_IGNOREDOTFILES: row(flag(false), local),
  RUNTIME_WATCH_ROOT: row(flag(true), local),

  // Decisions and their answers.
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

  // Redis: the store of all limits, and that of limits per second.
  ...withAliases('REDIS_', 'KVSTORE_', {
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
  }),

  // Memcached.
  ...withAliases('MEMCACHE_', 'MCACHE_', {
    MEMCACHE_HOST_PORT: row(text(''), honoured),
    MEMCACHE_SRV: row(text(''), honoured),
    MEMCACHE_SRV_REFRESH: row(duration(0), honoured),
    MEMCACHE_MAX_IDLE_CONNS: row(whole(2), honoured),
    MEMCACHE_TLS: row(flag(false), honoured),
    MEMCACHE_TLS_CLIENT_CERT: row(text(''), relayed),
    MEMCACHE_TLS_CLIENT_KEY: row(text(''), relayed),
    MEMCACHE_TLS_CACERT: row(text(''), relayed),
    MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed),
  }),

  // What the reference implementation does not have.
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
} as const satisfies Readonly<Record<string, SettingRow<unknown>>>

/** The product name of a variable. */
export type SettingName = keyof typeof settingTable

/** Every variable's value, typed by its reader. */
export type SettingValues = VariableValues<typeof settingTable>
