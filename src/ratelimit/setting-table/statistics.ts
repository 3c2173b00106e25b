/** Statistics by StatsD and Prometheus; traces have settings of their own. */

import { flag, text } from '../../base/variables.ts'
import { duration, names, path, port, tags } from '../setting-readers.ts'
import { honoured, row, without } from './setting-row.ts'

/** Statistics, their tags and how often they are sent. */
export const statisticsSettings = {
  USE_STATSD: row(flag(false), honoured, {
    aliases: ['USE_METRICSD'],
  }),
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
} as const
