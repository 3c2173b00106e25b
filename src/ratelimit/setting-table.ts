/** Every environment variable the service knows: how it is read, its default, and what it does at the edge. */

import { logVariables } from '../base/log-settings.ts'
import {
  bounded,
  choice,
  flag,
  type Reader,
  text,
  type Variable,
  type VariableValues,
  variable,
} from '../base/variables.ts'
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
import { usageBounds } from './usage/bounds.ts'

/**
 * What a variable does here: it works, or only in the local server and tools, or only through the relay to stores of
 * the local server, or nothing and why.
 */
export type SettingEffect =
  | { readonly kind: 'honoured' }
  | { readonly kind: 'local' }
  | { readonly kind: 'relayed' }
  | { readonly kind: 'without effect'; readonly why: string }

/** One row of the table. */
export interface SettingRow<T> extends Variable<T> {
  readonly effect: SettingEffect
}

interface RowOptions {
  readonly aliases?: readonly string[]
  readonly isSecret?: boolean
}

const honoured: SettingEffect = { kind: 'honoured' }
const local: SettingEffect = { kind: 'local' }
const relayed: SettingEffect = { kind: 'relayed' }

const noStream =
  'xDS is a gRPC stream both ways, which no fetch of a Worker speaks; rules arrive through the operator plane'
const noTraces = 'the platform traces Workers and exports the traces by its own settings'

function without(why: string): SettingEffect {
  return { kind: 'without effect', why }
}

function row<T>(reader: Reader<T>, effect: SettingEffect, options: RowOptions = {}): SettingRow<T> {
  return { ...variable(reader, options), effect }
}

/**
 * The table, by product name. Durations are kept in milliseconds.
 *
 * `docs/ratelimit.md` prints it, and a test compares the two.
 */
export const settingTable = {
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
  CONFIG_TYPE: row(
    choice('FILE', ['FILE', 'GRPC_XDS_SOTW']),
    without(`${noStream}; GRPC_XDS_SOTW is an error`),
  ),
  FORCE_START_WITHOUT_INITIAL_CONFIG: row(
    flag(false),
    without('a Worker always starts; without rules it answers an error'),
  ),
  CONFIG_GRPC_XDS_NODE_ID: row(text('default'), without(noStream)),
  CONFIG_GRPC_XDS_NODE_METADATA: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_URL: row(text('localhost:18000'), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL: row(duration(3_000), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS: row(text(''), without(noStream), { isSecret: true }),
  CONFIG_GRPC_XDS_SERVER_USE_TLS: row(flag(false), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_TLS_CERT: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_TLS_KEY: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_TLS_CACERT: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_TLS_SAN: row(text(''), without(noStream)),
  XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: row(duration(10_000), without(noStream)),
  XDS_CLIENT_BACKOFF_MAX_INTERVAL: row(duration(60_000), without(noStream)),
  XDS_CLIENT_BACKOFF_RANDOM_FACTOR: row(ratio(0.5), without(noStream)),
  XDS_CLIENT_BACKOFF_JITTER: row(flag(true), without(noStream)),
  XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES: row(whole(0), without(noStream)),
  USE_STATSD: row(flag(false), honoured, {
    aliases: ['USE_METRICSD'],
  }),
  STATSD_HOST: row(text('localhost'), honoured),
  STATSD_PORT: row(port(8125), honoured),
  USE_DOG_STATSD: row(flag(false), honoured),
  USE_DOG_STATSD_MOGRIFIERS: row(names, honoured),
  USE_PROMETHEUS: row(flag(false), without('/metrics is always there, under the operator plane')),
  PROMETHEUS_ADDR: row(
    text(':9090'),
    without('a Worker is called by the platform, which owns the listeners'),
  ),
  PROMETHEUS_PATH: row(path('/metrics'), honoured),
  PROMETHEUS_MAPPER_YAML: row(
    text(''),
    without('it names a file, and a Worker has none; the default mapping is built in; an error when set'),
  ),
  PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS: row(flag(false), honoured),
  EXTRA_TAGS: row(tags, honoured),
  STATS_FLUSH_INTERVAL: row(duration(10_000), honoured),
  DISABLE_STATS: row(flag(false), honoured),
  RUNTIME_ROOT: row(text('/srv/runtime_data/current'), local),
  RUNTIME_SUBDIRECTORY: row(text(''), local),
  RUNTIME_APPDIRECTORY: row(text('config'), local),
  RUNTIME_IGNOREDOTFILES: row(flag(false), local),
  RUNTIME_WATCH_ROOT: row(flag(true), local),
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
  HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: row(flag(false), honoured),
  SHADOW_MODE: row(flag(false), honoured),
  QUOTA_MODE: row(flag(false), honoured),
  RESPONSE_DYNAMIC_METADATA: row(flag(false), honoured),
  MERGE_DOMAIN_CONFIG: row(flag(false), honoured),
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
  REDIS_CLUSTER_PIPELINE_PARALLELISM: row(
    whole(1),
    without('the pipelines of one request always run in parallel'),
    { aliases: ['KVSTORE_CLUSTER_PIPELINE_PARALLELISM'] },
  ),
  REDIS_TIMEOUT: row(duration(10_000), honoured, { aliases: ['KVSTORE_TIMEOUT'] }),
  REDIS_POOL_ON_EMPTY_BEHAVIOR: row(
    choice('WAIT', ['WAIT']),
    without('a connection carries many requests at once, so the pool is never empty'),
    { aliases: ['KVSTORE_POOL_ON_EMPTY_BEHAVIOR'] },
  ),
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
  REDIS_STARTUP_INITIAL_INTERVAL: row(
    duration(1_000),
    without('a Worker starts without waiting for the store'),
    { aliases: ['KVSTORE_STARTUP_INITIAL_INTERVAL'] },
  ),
  REDIS_STARTUP_MAX_INTERVAL: row(
    duration(30_000),
    without('a Worker starts without waiting for the store'),
    { aliases: ['KVSTORE_STARTUP_MAX_INTERVAL'] },
  ),
  REDIS_STARTUP_MAX_ELAPSED_TIME: row(duration(0), without('a Worker starts without waiting for the store'), {
    aliases: ['KVSTORE_STARTUP_MAX_ELAPSED_TIME'],
  }),
  REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: row(flag(false), honoured, {
    aliases: ['KVSTORE_HEALTH_CHECK_ACTIVE_CONNECTION'],
  }),
  REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR: row(flag(false), honoured, {
    aliases: ['KVSTORE_CLOSE_CONNECTION_ON_READONLY_ERROR'],
  }),
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
  REDIS_PERSECOND_POOL_SIZE: row(
    whole(10),
    without('both stores are held by the same REDIS_POOL_SIZE objects'),
    {
      aliases: ['KVSTORE_PERSECOND_POOL_SIZE'],
    },
  ),
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
  REDIS_PERSECOND_CLUSTER_PIPELINE_PARALLELISM: row(
    whole(1),
    without('the pipelines of one request always run in parallel'),
    { aliases: ['KVSTORE_PERSECOND_CLUSTER_PIPELINE_PARALLELISM'] },
  ),
  REDIS_PERSECOND_TIMEOUT: row(duration(10_000), honoured, { aliases: ['KVSTORE_PERSECOND_TIMEOUT'] }),
  REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR: row(
    choice('WAIT', ['WAIT']),
    without('a connection carries many requests at once, so the pool is never empty'),
    { aliases: ['KVSTORE_PERSECOND_POOL_ON_EMPTY_BEHAVIOR'] },
  ),
  MEMCACHE_HOST_PORT: row(text(''), honoured, { aliases: ['MCACHE_HOST_PORT'] }),
  MEMCACHE_SRV: row(text(''), honoured, { aliases: ['MCACHE_SRV'] }),
  MEMCACHE_SRV_RESOLVER: row(text('https://cloudflare-dns.com/dns-query'), honoured),
  MEMCACHE_SRV_REFRESH: row(duration(0), honoured, { aliases: ['MCACHE_SRV_REFRESH'] }),
  MEMCACHE_MAX_IDLE_CONNS: row(whole(2), honoured, {
    aliases: ['MCACHE_MAX_IDLE_CONNS'],
  }),
  MEMCACHE_TLS: row(flag(false), honoured, { aliases: ['MCACHE_TLS'] }),
  MEMCACHE_TLS_CLIENT_CERT: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CLIENT_CERT'],
  }),
  MEMCACHE_TLS_CLIENT_KEY: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CLIENT_KEY'],
  }),
  MEMCACHE_TLS_CACERT: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CACERT'],
  }),
  MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed, {
    aliases: ['MCACHE_TLS_SKIP_HOSTNAME_VERIFICATION'],
  }),
  TRACING_ENABLED: row(flag(false), without(`${noTraces}; an error when true`)),
  TRACING_SERVICE_NAME: row(text('RateLimit'), without(noTraces)),
  TRACING_SERVICE_NAMESPACE: row(text(''), without(noTraces)),
  TRACING_SERVICE_INSTANCE_ID: row(text(''), without(noTraces)),
  TRACING_EXPORTER_PROTOCOL: row(choice('http', ['http', 'grpc']), without(noTraces)),
  TRACING_SAMPLING_RATE: row(ratio(1), without(noTraces)),
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
  CALLER_TOKENS: row(callerTokens, honoured, { isSecret: true }),
  CALLER_OVERRIDES: row(leeway, honoured),
  CALLER_REFUNDS: row(leeway, honoured),
  CALLER_MAX_HITS: row(whole(0), honoured),
  GRPC_WEB_BODY: row(choice('streamed', ['streamed', 'whole']), honoured),
  RATELIMIT_RULES: row({ ...text(''), expected: 'YAML documents, separated by ---' }, honoured),
  RULES_MAX_STALENESS: row(duration(1_000), honoured),
  STATS_MAX_NAMES: row(positive(10_000), honoured),
  USAGE_ENABLED: row(flag(true), honoured),
  USAGE_RECORD_REQUESTS: row(bounded(1_000, 0, 5_000), honoured),
  USAGE_EXPORT_SAMPLES: row(bounded(0, 0, usageBounds.samples), honoured),
  LIMIT_IETF_HEADERS_ENABLED: row(flag(false), honoured),
  LIMIT_RETRY_AFTER_ENABLED: row(flag(false), honoured),
} as const satisfies Readonly<Record<string, SettingRow<unknown>>>

/** The product name of a variable. */
export type SettingName = keyof typeof settingTable

/** Every variable's value, typed by its reader. */
export type SettingValues = VariableValues<typeof settingTable>
