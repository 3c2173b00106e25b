/** Statistics by StatsD and Prometheus, and traces, which have no effect here. */

import { choice, flag, text } from '../../base/variables.ts'
import { duration, names, path, port, ratio, tags } from '../setting-readers.ts'
import { honoured, row, without } from './setting-row.ts'

const noTraces = 'OTEL_EXPORTER_OTLP_ENDPOINT and its companions send traces instead'

/** Statistics, their tags and how often they are sent. */
export const statisticsSettings = {
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
} as const

/** Traces. */
export const tracingSettings = {
  TRACING_ENABLED: row(flag(false), without(`${noTraces}; an error when true`)),
  TRACING_SERVICE_NAME: row(text('RateLimit'), without(noTraces)),
  TRACING_SERVICE_NAMESPACE: row(text(''), without(noTraces)),
  TRACING_SERVICE_INSTANCE_ID: row(text(''), without(noTraces)),
  TRACING_EXPORTER_PROTOCOL: row(choice('http', ['http', 'grpc']), without(noTraces)),
  TRACING_SAMPLING_RATE: row(ratio(1), without(noTraces)),
} as const
