/**
 * Metrics in the text format of Prometheus, version 0.0.4.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */

/** Labels in order; a value may hold any text. */
export type MetricLabels = readonly (readonly [name: string, value: string])[]

/** One metric with its series. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  /** One line. */
  readonly help: string
  readonly series: readonly { readonly labels: MetricLabels; readonly value: number }[]
}

/** Calls by how long they took, as a histogram shows them. */
interface MetricHistogram {
  readonly name: string
  readonly help: string
  readonly series: readonly {
    readonly labels: MetricLabels
    /** Counts of the values within each bound and above the one before; the last is for values above every bound. */
    readonly counts: readonly number[]
    readonly sum: number
  }[]
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
}

/** The content type of the format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes metrics; one without series is left out. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families
    .filter(({ series }) => series.length > 0)
    .map(({ name, type, help, series }) => {
      const lines = series.map(({ labels, value }) => `${name}${formatLabels(labels)} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

/** Writes a histogram: cumulative buckets, the sum, and the count. */
export function formatHistogram({ name, help, series, bounds }: MetricHistogram): string {
  if (series.length === 0) return ''
  const lines = series.map(({ labels, counts, sum }) => {
    let within = 0
    const buckets = [...bounds.map(String), '+Inf'].map((le, index) => {
      within += counts[index] ?? 0
      return `${name}_bucket${formatLabels([...labels, ['le', le]])} ${within}\n`
    })
    const shown = formatLabels(labels)
    return `${buckets.join('')}${name}_sum${shown} ${sum}\n${name}_count${shown} ${within}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`
}

/** Writes labels as `{name="value"}`; nothing where there are none. Names must be ones that Prometheus takes. */
export function formatLabels(labels: MetricLabels): string {
  if (labels.length === 0) return ''
  return `{${labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
