/** Statistics in the Prometheus text format. */

import { groupBy } from '../../base/group-by.ts'
import {
  formatHistogram,
  formatLabels,
  formatMetrics,
  type MetricFamily,
  type MetricLabels,
} from '../../base/prometheus.ts'
import { limitPrefix, parseResponseTime, serviceStats } from './names.ts'
import type { StatSum } from './sum.ts'

interface Series {
  readonly metric: string
  readonly labels: MetricLabels
}

const mappedLimitStats = ['near_limit', 'over_limit', 'total_hits', 'within_limit', 'shadow_mode']
const errorPrefix = 'ratelimit.service.call.should_rate_limit.'
/** Statistics of calls that were decided: not errors, in spite of their prefix. */
const decidedStats: readonly string[] = [
  serviceStats.overrideIgnored,
  serviceStats.refundIgnored,
  serviceStats.hitsCapped,
  serviceStats.denied,
  serviceStats.allowed,
]

/** Help texts of the metrics of the mapping; the others are named after the statistic that they are. */
const helpTexts: ReadonlyMap<string, string> = new Map([
  ['ratelimit_service_rate_limit_total_hits', 'Hits on a limit'],
  ['ratelimit_service_rate_limit_within_limit', 'Hits that a limit let pass'],
  ['ratelimit_service_rate_limit_near_limit', 'Hits above NEAR_LIMIT_RATIO of a limit and not beyond it'],
  ['ratelimit_service_rate_limit_over_limit', 'Hits beyond a limit'],
  ['ratelimit_service_rate_limit_shadow_mode', 'Hits beyond a limit that shadow mode let pass'],
  ['ratelimit_service_should_rate_limit_error', 'Decisions that ended in an error'],
  ['ratelimit_service_total_requests', 'Calls of a gRPC method'],
  ['ratelimit_service_config_load_success', 'Configurations that were taken'],
  ['ratelimit_service_config_load_error', 'Configurations that were refused'],
])

/** Statistics that go up and down, or belong to what runs now. */
const gauges = /^ratelimit\.(localcache\.|redis_pool\.cx_active$|redis_per_second_pool\.cx_active$)/

/**
 * Prints sums in the Prometheus text format (version 0.0.4) with the reference's default mapping.
 *
 * Limits become `domain`, `key1` and, for deeper paths, `key2`; levels beyond the second are dropped and their
 * sums added together. What the mapping does not know appears under its own name with every character that a
 * metric cannot have as `_`.
 *
 * @param tags - labels of every series.
 * @param options.hasMilliseconds - leaves response times in milliseconds, as `PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS`
 * asks for, under the same name.
 */
export function prometheusText(
  sums: readonly StatSum[],
  tags: ReadonlyMap<string, string> = new Map(),
  options: { readonly hasMilliseconds?: boolean } = {},
): string {
  const histogram = {
    name: 'ratelimit_service_response_time_seconds',
    help: 'Response time of calls, without the time spent computing',
    bounds: bucketBounds,
    series: listTimes(sums, tags, options.hasMilliseconds === true),
  }
  return `${formatMetrics(listFamilies(sums, tags))}${formatHistogram(histogram)}`
}

/** Makes metric families of all sums but response times; sums that map to one series are added together. */
function listFamilies(sums: readonly StatSum[], tags: ReadonlyMap<string, string>): readonly MetricFamily[] {
  const metrics = new Map<string, Metric>()
  for (const { name, value } of sums.filter((sum) => parseResponseTime(sum.name) === null)) {
    const { metric, labels: own } = mapSeries(name)
    const known = metrics.get(metric) ?? newMetric(metric, name)
    metrics.set(metric, known)
    const labels = toLabels([...own, ...tags])
    const key = formatLabels(labels)
    known.series.set(key, { labels, value: (known.series.get(key)?.value ?? 0) + value })
  }
  return [...metrics].map(([name, metric]) => ({ name, ...metric, series: [...metric.series.values()] }))
}

/** Makes the series of the histogram of response times, one for each method. */
function listTimes(sums: readonly StatSum[], tags: ReadonlyMap<string, string>, hasMilliseconds: boolean) {
  const times = sums.flatMap(({ name, value: count }) => {
    const time = parseResponseTime(name)
    return time === null ? [] : [{ ...time, count }]
  })
  return [...groupBy(times, ({ method }) => method)].map(([method, calls]) => {
    const labels = toLabels([['grpc_method', method], ...tags])
    return { labels, ...fillBuckets(calls, hasMilliseconds) }
  })
}

/** The upper bounds that Prometheus clients have by default, which the reference keeps. */
const bucketBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts calls by the bucket of their length; the last bucket has those beyond all bounds. */
function fillBuckets(
  calls: readonly { readonly milliseconds: number; readonly count: number }[],
  hasMilliseconds: boolean,
) {
  const counts = new Array<number>(bucketBounds.length + 1).fill(0)
  let sum = 0
  for (const { milliseconds, count } of calls) {
    const length = hasMilliseconds ? milliseconds : milliseconds / 1000
    const found = bucketBounds.findIndex((bound) => length <= bound)
    const bucket = found < 0 ? bucketBounds.length : found
    counts[bucket] = (counts[bucket] ?? 0) + count
    sum += length * count
  }
  return { counts, sum }
}

interface Metric extends Pick<MetricFamily, 'type' | 'help'> {
  readonly series: Map<string, MetricFamily['series'][number]>
}

function newMetric(metric: string, name: string): Metric {
  // A line end would end the comment that the help text is.
  const help = helpTexts.get(metric) ?? `The statistic ${name.replace(/[\n\\]/g, '_')}`
  return { type: gauges.test(name) ? 'gauge' : 'counter', help, series: new Map() }
}

/** The series of a statistic, as the reference's mapping names it. */
function mapSeries(name: string): Series {
  if (name.startsWith(errorPrefix) && !decidedStats.includes(name)) {
    const labels = [['err_type', name.slice(errorPrefix.length)]] as const
    return { metric: 'ratelimit_service_should_rate_limit_error', labels }
  }
  const [, method] = /^ratelimit_server\.([^.]+)\.total_requests$/.exec(name) ?? []
  if (method !== undefined) {
    return { metric: 'ratelimit_service_total_requests', labels: [['grpc_method', method]] }
  }
  return limitSeries(name) ?? { metric: metricName(name), labels: [] }
}

function limitSeries(name: string): Series | null {
  const end = name.lastIndexOf('.')
  const stat = name.slice(end + 1)
  if (!name.startsWith(limitPrefix) || !mappedLimitStats.includes(stat)) return null
  const [domain, key1, key2] = name.slice(limitPrefix.length, end).split('.')
  if (domain === undefined || key1 === undefined) return null
  const deeper = key2 === undefined ? [] : [['key2', key2] as const]
  return { metric: `ratelimit_service_rate_limit_${stat}`, labels: [['domain', domain], ['key1', key1], ...deeper] }
}

function metricName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_:]/g, '_')
  return /^\d/.test(safe) ? `_${safe}` : safe
}

function toLabels(labels: MetricLabels): MetricLabels {
  return labels.map(([label, value]) => [metricName(label), value])
}
