/** Purpose of each setting in one line, for the page and the example that the tables make. */

import type { nodeVariables } from '#devnode/setting-table.ts'
import type { operationsVariables } from '#edge/settings.ts'
import type { gatewayVariables } from '#gateway/settings.ts'
import type { gridVariables } from '#grid/settings.ts'
import type { SettingName } from '#ratelimit/setting-table.ts'
import type { operatorVariables } from '#ratelimit/settings.ts'
import type { startVariables } from '../start/start-table.ts'

type Texts<Name extends string> = Readonly<Record<Name, string>>

/** Settings of `sluice start`. */
export const startTexts: Texts<keyof typeof startVariables> = {
  SLUICE_STATE: 'folder for state and secrets, as --persist',
  SLUICE_CONFIG: 'folder of rate limit configuration, as --config',
  SLUICE_NODE_PORT: 'port of the development node, as --node-port',
  SLUICE_ADMIN_PORT: "port of the node's operator on 127.0.0.1, as --admin-port",
  SLUICE_ALLOWED_HOSTS: 'hosts that HTTP requests may name, as --allowed-host',
}

/** Settings of the rate limit service. They stay out of its table, which is part of every Worker. */
export const ratelimitTexts: Texts<SettingName | keyof typeof operatorVariables> = {
  HOST: 'address of the HTTP port; 127.0.0.1 in `npm start`',
  PORT: 'HTTP port of all services',
  GRPC_HOST: 'address of native gRPC; 127.0.0.1 in `npm start`',
  GRPC_PORT: 'port of native gRPC',
  GRPC_UDS: 'path of a UNIX socket for native gRPC, instead of a port',
  DEBUG_HOST: 'address of the operator plane; 127.0.0.1 in `npm start`',
  DEBUG_PORT: 'port of the operator plane',
  GRPC_MAX_CONNECTION_AGE: 'age at which a gRPC connection is asked to end',
  GRPC_MAX_CONNECTION_AGE_GRACE: 'time that its calls then have to finish',
  GRPC_MAX_CONNECTIONS: 'gRPC connections at a time',
  GRPC_MAX_CONNECTION_IDLE: 'time after which a gRPC connection without calls is closed',
  GRPC_MAX_CALLS: 'gRPC calls at a time, over all connections',
  GRPC_MAX_BUFFERED_BYTES: 'octets of unfinished gRPC messages held at a time',
  GRPC_MESSAGE_TIMEOUT: 'time in which the message of a gRPC call must be whole',
  GRPC_SERVER_USE_TLS: 'whether native gRPC speaks TLS',
  GRPC_SERVER_TLS_CERT: 'file of its certificate',
  GRPC_SERVER_TLS_KEY: 'file of its key',
  GRPC_CLIENT_TLS_CACERT: 'file of the authority that client certificates must come from',
  GRPC_CLIENT_TLS_SAN: 'name that a client certificate must have',
  LOG_LEVEL: 'the least grave line that is written',
  LOG_FORMAT: 'json for one JSON object a line, anything else for text',
  CONFIG_TYPE: 'where rules come from',
  USE_STATSD: 'whether to push statistics to statsd',
  STATSD_HOST: 'host of statsd',
  STATSD_PORT: 'TCP port of statsd',
  USE_DOG_STATSD: 'whether to push statistics with tags, as DogStatsD',
  USE_DOG_STATSD_MOGRIFIERS:
    'names of mogrifiers; DOG_STATSD_MOGRIFIER_<NAME>_PATTERN, _NAME and _TAGS say what each does',
  PROMETHEUS_PATH: 'path of the metrics',
  PROMETHEUS_MAPPER_YAML: 'file that maps statistics to metrics',
  PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS: 'whether response times are in milliseconds',
  EXTRA_TAGS: 'tags of every statistic',
  STATS_FLUSH_INTERVAL: 'pause between two pushes of statistics',
  DISABLE_STATS: 'whether no statistics are kept',
  RUNTIME_ROOT: 'root of the directory of configuration files, or a link to it that is swapped',
  RUNTIME_SUBDIRECTORY: 'folder below the root; with it the directory is read and followed',
  RUNTIME_APPDIRECTORY: 'folder below that which holds the files',
  RUNTIME_IGNOREDOTFILES: 'whether names that begin with a dot are left out',
  RUNTIME_WATCH_ROOT: 'whether a change is a swap of the root; otherwise any change of a file',
  EXPIRATION_JITTER_MAX_SECONDS: 'most seconds that chance adds to the life of a stored counter',
  LOCAL_CACHE_SIZE_IN_BYTES: 'size of the memory of counters that are over their limit; 0 for none',
  NEAR_LIMIT_RATIO: 'share of a limit from which hits count as near it',
  CACHE_KEY_PREFIX: 'put before every counter key',
  BACKEND_TYPE: 'what counts',
  STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT:
    'whether a request that is over one limit leaves its other counters unchanged',
  LIMIT_RESPONSE_HEADERS_ENABLED: 'whether decisions carry headers for the response',
  LIMIT_LIMIT_HEADER: 'name of the header with the limit',
  LIMIT_REMAINING_HEADER: 'name of the header with what remains',
  LIMIT_RESET_HEADER: 'name of the header with the seconds to the next window',
  LIMIT_REQUEST_HEADERS_ENABLED: 'whether decisions carry headers for the request that goes to the upstream',
  LIMIT_REQUEST_LIMIT_HEADER: 'name of the request header with the limit',
  LIMIT_REQUEST_REMAINING_HEADER: 'name of the request header with what remains',
  LIMIT_REQUEST_RESET_HEADER: 'name of the request header with the seconds to the next window',
  HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: 'whether health needs rules',
  SHADOW_MODE: 'whether every decision is OK, and only the statistics tell',
  QUOTA_MODE: 'whether every rule is a quota: over its limit it is reported and not refused',
  RESPONSE_DYNAMIC_METADATA: 'whether decisions carry dynamic metadata',
  MERGE_DOMAIN_CONFIG: 'whether files of one domain are merged',
  REDIS_SOCKET_TYPE: 'how a single Redis is reached; unix with `npm start` only',
  REDIS_TYPE: 'how Redis is deployed',
  REDIS_URL: 'address of Redis, or of its sentinels or nodes, or path of its UNIX socket',
  REDIS_POOL_SIZE: 'connections to each Redis',
  REDIS_AUTH: 'password, or user:password',
  REDIS_SENTINEL_AUTH: 'password of the sentinels',
  REDIS_TLS: 'whether to speak TLS with Redis',
  REDIS_PIPELINE_WINDOW: 'time in which commands are gathered into one pipeline',
  REDIS_PIPELINE_LIMIT: 'commands of a pipeline; 0 for no limit',
  REDIS_TIMEOUT: 'time for connecting and for an answer',
  REDIS_TLS_CLIENT_CERT: 'file of the certificate to show Redis',
  REDIS_TLS_CLIENT_KEY: 'file of the key of that certificate',
  REDIS_TLS_CACERT: 'file of the authority of its certificate',
  REDIS_TLS_SKIP_HOSTNAME_VERIFICATION: 'whether any name in its certificate will do',
  REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: 'whether health needs a connection to Redis',
  REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR: 'whether a read-only answer closes the connection',
  REDIS_PERSECOND: 'whether windows of a second have a separate Redis',
  REDIS_PERSECOND_SOCKET_TYPE: 'as REDIS_SOCKET_TYPE, for windows of a second',
  REDIS_PERSECOND_TYPE: 'as REDIS_TYPE, for windows of a second',
  REDIS_PERSECOND_URL: 'as REDIS_URL, for windows of a second',
  REDIS_PERSECOND_AUTH: 'as REDIS_AUTH, for windows of a second',
  REDIS_PERSECOND_SENTINEL_AUTH: 'as REDIS_SENTINEL_AUTH, for windows of a second',
  REDIS_PERSECOND_TLS: 'as REDIS_TLS, for windows of a second',
  REDIS_PERSECOND_PIPELINE_WINDOW: 'as REDIS_PIPELINE_WINDOW, for windows of a second',
  REDIS_PERSECOND_PIPELINE_LIMIT: 'as REDIS_PIPELINE_LIMIT, for windows of a second',
  REDIS_PERSECOND_TIMEOUT: 'as REDIS_TIMEOUT, for windows of a second',
  MEMCACHE_HOST_PORT:
    'addresses of memcached, separated by commas; with `npm start` also paths of UNIX sockets',
  MEMCACHE_SRV: 'SRV record that lists them instead',
  MEMCACHE_SRV_RESOLVER: 'resolver of that record, DNS over HTTPS',
  MEMCACHE_SRV_REFRESH: 'pause between two looks at that record; 0 for one look',
  MEMCACHE_MAX_IDLE_CONNS: 'idle connections to each memcached',
  MEMCACHE_TLS: 'whether to speak TLS with memcached',
  MEMCACHE_TLS_CLIENT_CERT: 'file of the certificate to show memcached',
  MEMCACHE_TLS_CLIENT_KEY: 'file of the key of that certificate',
  MEMCACHE_TLS_CACERT: 'file of the authority of its certificate',
  MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION: 'whether any name in its certificate will do',
  TRACING_ENABLED: 'whether requests are traced',
  COUNTER_PLACEMENT: 'one object for each key, or a fixed number of objects for all keys',
  COUNTER_SHARDS: 'that number',
  COUNTER_DURABILITY:
    'what of a hit is on disk before its answer: a ceiling above the count (durable), the count (strict), or nothing (relaxed)',
  COUNTER_TIMEOUT: 'time that a counter has to answer',
  FAILURE_POLICY: 'what to decide when a counter cannot be asked',
  LEASES: 'which limits an isolate may admit from leases in its memory, without a call',
  LEASES_MAX_KEYS: 'counters that an isolate may hold leases of',
  QUOTA_STREAMS:
    'who may open a stream of quota assignments: callers with a token of CALLER_TOKENS, or every caller',
  QUOTA_SHARDS: 'objects among which the buckets of one domain are divided',
  QUOTA_MAX_STREAMS: 'streams of quota assignments of one domain, in each shard',
  QUOTA_MAX_BUCKETS: 'buckets of one stream, in each shard',
  QUOTA_ASSIGNMENT_SECONDS: 'seconds that an assignment lasts at most',
  REQUEST_MAX_BODY_BYTES: 'longest request',
  REQUEST_MAX_DESCRIPTORS: 'descriptors of a request',
  REQUEST_MAX_ENTRIES: 'entries of a descriptor',
  REQUEST_MAX_KEY_LENGTH: 'length of a key',
  REQUEST_MAX_VALUE_LENGTH: 'length of a value',
  REQUEST_MAX_DOMAIN_LENGTH: 'length of a domain',
  REQUEST_MAX_COMPARISONS: 'characters that the wildcards of the rules compare for one request',
  CALLER_TOKENS: 'tokens of callers of the decision endpoints, by name; any caller may ask when absent',
  CALLER_OVERRIDES: 'what becomes of limits that a caller sends',
  CALLER_REFUNDS: 'what becomes of hits that a caller gives back',
  CALLER_MAX_HITS: 'most hits of one descriptor that a caller may add; 0 for no bound',
  JSON_REASON_IN_BODY:
    'whether the body of a refused /json says the reason, which is in x-ratelimit-reason always',
  GRPC_WEB_BODY: 'whether an answer over gRPC-Web is streamed or sent whole',
  RATELIMIT_RULES: 'rules that come with the deployment, for a service that has none yet; later ones win',
  RULES_MAX_STALENESS: 'oldest check of the rules by which a decision may be made',
  STATS_MAX_NAMES: 'distinct names of statistics',
  USAGE_ENABLED: 'whether decisions are remembered by time, rule and key, for the console and its interface',
  USAGE_RECORD_REQUESTS: 'sampled requests that are kept to judge other rules by; 0 for none',
  LIMIT_IETF_HEADERS_ENABLED: 'whether RateLimit-Policy and RateLimit of the IETF draft are sent',
  LIMIT_RETRY_AFTER_ENABLED: 'whether refusals carry Retry-After',
  ADMIN_TOKEN: 'token of the operator plane; without it the plane refuses every call',
}

/** Settings of the grid. */
export const gridTexts: Texts<keyof typeof gridVariables> = {
  GRID_TOKEN: 'token of the interface; without it every protected route refuses every call',
  GRID_AUTH: 'whether the token is asked for',
  GRID_RELAYS: 'relay objects that hold the listeners of each simulation; 0 for none',
  LEGACY_PROTO_FILTER: 'whether the proto filter matches nothing, as in the first version of the interface',
  GRID_SYSLOG_ADDRESS: 'syslog collector that incidents and alarms are sent to; none when absent',
  GRID_SYSLOG_FORMAT: 'text with structured data, or the Common Event Format',
  GRID_SYSLOG_RECORDS: 'what is sent',
  GRID_SYSLOG_FACILITY: 'facility of every message',
  GRID_SYSLOG_HOSTNAME: 'host name that messages carry',
}

/** Settings of the gateway and the development node. */
export const streamnetTexts: Texts<keyof typeof gatewayVariables | keyof typeof nodeVariables> = {
  STREAMNET_TOKEN: 'token of the gateway for everything; without tokens it refuses every call',
  STREAMNET_TOKENS: 'further tokens with names and scopes, as JSON',
  STREAMNET_PRIVATE_KEY:
    'key that signs what the gateway writes, 64 hex digits; without it the gateway only reads',
  STREAMNET_ENDPOINT: 'address of a real node or gateway; the embedded development node when absent',
  STREAMNET_CHAIN_ID: "chain that a real endpoint must be of, and the name of the development node's own",
  STREAMNET_NODE_TOKEN: 'what callers of the embedded node must show; any caller passes when absent',
  STREAMNET_ADMIN_TOKEN: "token of the node's operator methods",
  STREAMNET_ALLOW_ORIGIN: 'origins whose pages may use the gateway and the node: *, none, or a list',
  STREAMNET_PUBLIC_READ: 'areas that may be read without a token',
  STREAMNET_PUBLIC_OPERATIONS: 'operations by which',
  STREAMNET_PUBLIC_RATE: 'such reads of one client address in a minute (60)',
  STREAMNET_PROFILE: 'which state of the network the development node behaves as',
  STREAMNET_DEVELOPMENT: 'whether the node takes development methods',
  STREAMNET_MODE: 'whether every call of the node is signed',
  STREAMNET_NODE: 'what callers from outside may do at the embedded node',
  STREAMNET_KEPT_TRANSACTIONS_MB: 'megabytes of transaction bodies that are kept',
  STREAMNET_MAX_STORE_MB: 'megabytes of the ledger from which transactions are refused',
  STREAMNET_MAX_READ_ROWS: 'rows that one read of the node may touch',
  STREAMNET_GAS: 'whether transactions cost a fee',
  STREAMNET_SEED_NETWORK: 'whether a new node starts with a small network to read from',
  STREAMNET_OPERATOR: 'address that makes the blocks and owns the local streams',
  STREAMNET_NODE_KEY: "the operator's private key, which signs attestations and withdrawals",
  STREAMNET_AUTOMATIC_SETTLEMENT:
    'whether the operator settles due markets, at the times of the network settings',
  STREAMNET_MANAGERS: 'addresses that may grant system:network_writer from the first block',
  STREAMNET_WRITERS: 'addresses that may create streams from the first block',
  STREAMNET_LOCAL_SIGNATURE:
    'whether calls of local streams are signed by the operator; false on a development node',
  STREAMNET_REPLAY_WINDOW_SECONDS: 'seconds for which a signed local call is good',
}

/** Settings that every surface reads. */
export const operationsTexts: Texts<keyof typeof operationsVariables> = {
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'OTLP/HTTP collector to send spans to, to its path /v1/traces; nothing is traced without it',
  OTEL_EXPORTER_OTLP_HEADERS:
    'headers for the collector, as name=value pairs with commas, values percent-encoded',
  OTEL_EXPORTER_OTLP_TIMEOUT: 'milliseconds that one export may take',
  OTEL_SERVICE_NAME: 'name of the service in traces',
  OTEL_TRACES_SAMPLER_ARG: 'share of traces that are recorded where the caller has not decided',
  GRID_TELEMETRY_SECONDS:
    'seconds between two records that a running simulation publishes as data streams, in a Worker with all surfaces; 0 for none',
  GATE_ENABLED: 'whether requests to the services themselves are asked of the rate limiter, domain sluice',
  GATE_CALLER_TOKEN:
    'the token, without its name, of one entry of the CALLER_TOKENS of the rate limiter that the gate asks: the gate sends it with every question, clients never do; needed where CALLER_TOKENS is set, because a refused gate lets requests pass',
  SLUICE_TOKENS: 'tokens of operators for all surfaces: a JSON list of name, token or sha256, and scopes',
}
