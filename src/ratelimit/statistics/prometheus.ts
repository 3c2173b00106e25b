/** Statistics in the Prometheus text format. */

import { formatLabels, type MetricLabels } from '../../base/prometheus.ts'
import { limitPrefix, parseResponseTime, serviceStats } from './names.ts'
import type { StatSum } from './sum.ts'

/** A Prometheus series: metric name and labels. */
interface Series {
  readonly metric: string
  readonly labels: readonly (readonly [string, string])[]
}

const mappedLimitStats = ['near_limit', 'over_limit', 'total_hits', 'within_limit', 'shadow_mode']
const errorPrefix = 'ratelimit.service.call.should_rate_limit.'
/** Requests of callers that were not granted, in calls that were decided all the same. */
const heldBack: readonly string[] = [serviceStats.overrideIgnored, serviceStats.refundIgnored, serviceStats.hitsCapped]
const mappedNames: ReadonlyMap<string, string> = new Map([
  ['ratelimit.service.config_load_success', 'ratelimit_service_config_load_success'],
  ['ratelimit.service.config_load_error', 'ratelimit_service_config_load_error'],
])

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
  const metrics = new Map<string, Metric>()
  const times = new Map<string, ResponseTimes>()
  for (const { name, value } of sums) {
    const time = parseResponseTime(name)
    if (time !== null) {
      times.set(time.method, withCalls(times.get(time.method), time.milliseconds, value))
      continue
    }
    const { metric, labels } = mapSeries(name)
    const known = metrics.get(metric) ?? newMetric(metric, name)
    metrics.set(metric, known)
    const text = `${metric}${labelText([...labels, ...tags])}`
    known.lines.set(text, (known.lines.get(text) ?? 0) + value)
  }
  const counted = [...metrics].map(([metric, { type, help, lines }]) => {
    const series = [...lines].map(([text, value]) => `${text} ${value}\n`).join('')
    return `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n${series}`
  })
  return `${counted.join('')}${responseTimeText(times, tags, options.hasMilliseconds === true)}`
}

/** Calls of one method by their length in milliseconds. */
type ResponseTimes = ReadonlyMap<number, number>

function withCalls(times: ResponseTimes = new Map(), milliseconds: number, calls: number): ResponseTimes {
  return new Map(times).set(milliseconds, (times.get(milliseconds) ?? 0) + calls)
}

/** The upper bounds that Prometheus clients have by default, which the reference keeps. */
const bucketBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const responseTimeMetric = 'ratelimit_service_response_time_seconds'

function responseTimeText(
  times: ReadonlyMap<string, ResponseTimes>,
  tags: ReadonlyMap<string, string>,
  hasMilliseconds: boolean,
): string {
  if (times.size === 0) return ''
  const series = [...times].map(([method, calls]) => {
    const labels = [['grpc_method', method] as const, ...tags]
    const lengths = [...calls].map(([length, count]) => ({
      length: hasMilliseconds ? length : length / 1000,
      count,
    }))
    const total = sum(lengths.map(({ count }) => count))
    const buckets = [...bucketBounds, Number.POSITIVE_INFINITY].map((bound) => {
      const within = sum(lengths.filter(({ length }) => length <= bound).map(({ count }) => count))
      const le = Number.isFinite(bound) ? String(bound) : '+Inf'
      return `${responseTimeMetric}_bucket${labelText([...labels, ['le', le]])} ${within}\n`
    })
    const spent = sum(lengths.map(({ length, count }) => length * count))
    return `${buckets.join('')}${responseTimeMetric}_sum${labelText(labels)} ${spent}\n${responseTimeMetric}_count${labelText(labels)} ${total}\n`
  })
  const help = 'Time that calls took, of which only waiting is seen'
  return `# HELP ${responseTimeMetric} ${help}\n# TYPE ${responseTimeMetric} histogram\n${series.join('')}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** One metric and its series. */
interface Metric {
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly lines: Map<string, number>
}

function newMetric(metric: string, name: string): Metric {
  // A line end would end the comment that the help text is.
  const help = helpTexts.get(metric) ?? `The statistic ${name.replace(/[\n\\]/g, '_')}`
  return { type: gauges.test(name) ? 'gauge' : 'counter', help, lines: new Map() }
}

/** The series of a statistic, as the reference's mapping names it. */
function mapSeries(name: string): Series {
  const mapped = mappedNames.get(name)
  if (mapped !== undefined) return { metric: mapped, labels: [] }
  if (name.startsWith(errorPrefix) && !heldBack.includes(name)) {
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
  const labels: (readonly [string, string])[] = [
    ['domain', domain],
    ['key1', key1],
  ]
  if (key2 !== undefined) labels.push(['key2', key2])
  return { metric: `ratelimit_service_rate_limit_${stat}`, labels }
}

function metricName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_:]/g, '_')
  return /^\d/.test(safe) ? `_${safe}` : safe
}

function labelText(labels: MetricLabels): string {
  return formatLabels(labels.map(([label, value]) => [metricName(label), value]))
}
