/** Metrics of the gateway: requests by operation and status, and how long the node takes to answer. */

import { formatHistogram, formatMetrics } from '../base/prometheus.ts'

/** Upper bounds in seconds: those that clients of Prometheus have by default. */
export const upstreamBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Counts as they travel from an isolate to the object that adds them up. */
export interface GatewayReport {
  /** Requests by `OPERATION STATUS`; operations are those of the catalogue, so that there are few. */
  readonly requests: Record<string, number>
  /** Requests to the node by how long they took, as `upstreamBounds` divides them; the last are longer. */
  readonly upstream: number[]
  upstreamSeconds: number
  /** Requests to the node that got no answer. */
  upstreamFailures: number
}

/** A report of nothing. */
export function emptyReport(): GatewayReport {
  const upstream = Array.from({ length: upstreamBounds.length + 1 }, () => 0)
  return { requests: {}, upstream, upstreamSeconds: 0, upstreamFailures: 0 }
}

/** Counts one answer. */
export function countRequest({ requests }: GatewayReport, operation: string, status: number): void {
  const key = `${operation} ${status}`
  requests[key] = (requests[key] ?? 0) + 1
}

/** Counts one request to the node. */
export function countUpstream(report: GatewayReport, seconds: number, isAnswered: boolean): void {
  const found = upstreamBounds.findIndex((bound) => seconds <= bound)
  const place = found < 0 ? upstreamBounds.length : found
  report.upstream[place] = (report.upstream[place] ?? 0) + 1
  report.upstreamSeconds += seconds
  if (!isAnswered) report.upstreamFailures += 1
}

/** Adds one report to another. */
export function addReport(sum: GatewayReport, added: GatewayReport): void {
  for (const [key, count] of Object.entries(added.requests)) {
    sum.requests[key] = (sum.requests[key] ?? 0) + count
  }
  for (const [place, count] of added.upstream.entries()) {
    sum.upstream[place] = (sum.upstream[place] ?? 0) + count
  }
  sum.upstreamSeconds += added.upstreamSeconds
  sum.upstreamFailures += added.upstreamFailures
}

/** Writes a report in the text format of Prometheus. */
export function formatGatewayMetrics(report: GatewayReport): string {
  const requests = Object.entries(report.requests).map(([key, value]) => {
    const [operation = '', status = ''] = key.split(' ')
    return { labels: [['operation', operation] as const, ['status', status] as const], value }
  })
  const counted = formatMetrics([
    {
      name: 'sluice_gateway_requests_total',
      type: 'counter',
      help: 'Requests of callers who were let in, by operation and status of the answer',
      series: requests,
    },
    {
      name: 'sluice_gateway_upstream_failures_total',
      type: 'counter',
      help: 'Requests to the node for a read that got no answer',
      series: [{ labels: [], value: report.upstreamFailures }],
    },
  ])
  const times = formatHistogram({
    name: 'sluice_gateway_upstream_duration_seconds',
    help: 'Time that the node took to answer what a read needs',
    bounds: upstreamBounds,
    series: [{ labels: [], counts: report.upstream, sum: report.upstreamSeconds }],
  })
  return `${counted}${times}`
}
