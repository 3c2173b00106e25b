/** Sums of statistics, bounded in number, and their two text forms. */

import type { OverLimitGauges } from './over-limit-cache.ts'
import type { StatDelta } from './ports.ts'
import { limitPrefix } from './stat-names.ts'

/** One statistic and its sum. */
export interface StatSum {
  readonly name: string
  readonly value: number
}

/** Name of the counter of additions that found no room under their own name. */
export const foldedName = 'ratelimit.service.stats_folded'

/** Sums by name, of a bounded number of names. */
export interface StatTable {
  /**
   * Adds to the sums. A new name beyond the bound is not kept: its additions are counted, one by one, under
   * `ratelimit.service.stats_folded`, so that a flood of values shows without filling memory.
   */
  add(deltas: readonly StatDelta[]): void
  /** Every sum, by name in ascending order. */
  list(): readonly StatSum[]
}

/** Makes an empty table of at most `mostNames` names, the folded one aside. */
export function createStatTable(mostNames: number): StatTable {
  const sums = new Map<string, number>()
  let folded = 0
  return {
    add(deltas) {
      for (const { name, delta } of deltas) {
        const sum = sums.get(name)
        if (sum === undefined && sums.size >= mostNames) folded += 1
        else sums.set(name, Math.min(Number.MAX_SAFE_INTEGER, (sum ?? 0) + delta))
      }
    },
    list() {
      const all = [...sums].map(([name, value]) => ({ name, value }))
      if (folded > 0) all.push({ name: foldedName, value: folded })
      return all.sort((left, right) => (left.name < right.name ? -1 : 1))
    },
  }
}

/** Writes the figures of the over-limit cache under the names of the reference's gauges. */
export function overLimitSums(gauges: OverLimitGauges): readonly StatSum[] {
  return Object.entries(gauges).map(([name, value]) => ({ name: `ratelimit.localcache.${name}`, value }))
}

/**
 * Prints sums as `name: value` lines.
 *
 * @param tags - added to every name as `.__tag=value`, in the order given.
 */
export function statsText(sums: readonly StatSum[], tags: ReadonlyMap<string, string> = new Map()): string {
  const suffix = [...tags].map(([tag, value]) => `.__${tag}=${value}`).join('')
  return sums.map(({ name, value }) => `${name}${suffix}: ${value}\n`).join('')
}

/** A Prometheus series: metric name and labels. */
interface Series {
  readonly metric: string
  readonly labels: readonly (readonly [string, string])[]
}

const mappedLimitStats = ['near_limit', 'over_limit', 'total_hits', 'within_limit', 'shadow_mode']
const callPrefix = 'ratelimit.service.call.should_rate_limit.'
const mappedNames: ReadonlyMap<string, string> = new Map([
  ['ratelimit.service.config_load_success', 'ratelimit_service_config_load_success'],
  ['ratelimit.service.config_load_error', 'ratelimit_service_config_load_error'],
])

/**
 * Prints sums in the Prometheus text format (version 0.0.4) with the reference's default mapping.
 *
 * Limits become `domain`, `key1` and, for deeper paths, `key2`; levels beyond the second are dropped and their
 * sums added together. What the mapping does not know appears under its own name with every character that a
 * metric cannot have as `_`.
 *
 * @param tags - labels of every series.
 */
export function prometheusText(
  sums: readonly StatSum[],
  tags: ReadonlyMap<string, string> = new Map(),
): string {
  const metrics = new Map<string, { type: string; lines: Map<string, number> }>()
  for (const { name, value } of sums) {
    const { metric, labels } = seriesOf(name)
    const type = name.startsWith('ratelimit.localcache.') ? 'gauge' : 'counter'
    const known = metrics.get(metric) ?? { type, lines: new Map<string, number>() }
    metrics.set(metric, known)
    const text = `${metric}${labelText([...labels, ...tags])}`
    known.lines.set(text, (known.lines.get(text) ?? 0) + value)
  }
  return [...metrics]
    .map(([metric, { type, lines }]) => {
      const series = [...lines].map(([text, value]) => `${text} ${value}\n`).join('')
      return `# TYPE ${metric} ${type}\n${series}`
    })
    .join('')
}

function seriesOf(name: string): Series {
  const mapped = mappedNames.get(name)
  if (mapped !== undefined) return { metric: mapped, labels: [] }
  if (name.startsWith(callPrefix)) {
    const labels = [['err_type', name.slice(callPrefix.length)]] as const
    return { metric: 'ratelimit_service_should_rate_limit_error', labels }
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

function labelText(labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return ''
  const pairs = labels.map(([label, value]) => `${metricName(label)}="${escapeLabel(value)}"`)
  return `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
