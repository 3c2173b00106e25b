/** Counts of the gateway: adding reports loses nothing, and the text is what a monitoring system reads. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addReport,
  countRequest,
  countUpstream,
  emptyReport,
  formatGatewayMetrics,
  type GatewayReport,
  upstreamBounds,
} from '#gateway/metrics.ts'

const event = fc.oneof(
  fc.record({ operation: fc.constantFrom('getRecord', 'listStreams'), status: fc.constantFrom(200, 404) }),
  fc.record({ quarters: fc.nat(80), isAnswered: fc.boolean() }),
)

function countAll(events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[]): GatewayReport {
  const report = emptyReport()
  for (const one of events) {
    if ('operation' in one) countRequest(report, one.operation, one.status)
    else countUpstream(report, one.quarters / 4, one.isAnswered)
  }
  return report
}

test('addReport() of parts is the report of the whole (property)', () => {
  fc.assert(
    fc.property(fc.array(event), fc.array(event), (first, second) => {
      const sum = countAll(first)
      addReport(sum, countAll(second))
      expect(sum).toEqual(countAll([...first, ...second]))
    }),
    { seed: 1 },
  )
})

test('countUpstream() counts a time at a bound below it, and a longer one than all bounds last', () => {
  const report = emptyReport()
  for (const bound of upstreamBounds) countUpstream(report, bound, true)
  countUpstream(report, 10.001, true)
  expect(report.upstream).toEqual(Array.from({ length: upstreamBounds.length + 1 }, () => 1))
})

test('formatGatewayMetrics() writes requests by operation and status, and cumulative times', () => {
  const report = emptyReport()
  countRequest(report, 'getRecord', 200)
  countRequest(report, 'getRecord', 200)
  countRequest(report, 'getRecord', 404)
  countUpstream(report, 0.005, true)
  countUpstream(report, 0.02, false)
  countUpstream(report, 11, true)
  const lines = formatGatewayMetrics(report).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'sluice_gateway_requests_total{operation="getRecord",status="200"} 2',
      'sluice_gateway_requests_total{operation="getRecord",status="404"} 1',
      'sluice_gateway_upstream_failures_total 1',
      'sluice_gateway_upstream_duration_seconds_bucket{le="0.005"} 1',
      'sluice_gateway_upstream_duration_seconds_bucket{le="0.01"} 1',
      'sluice_gateway_upstream_duration_seconds_bucket{le="0.025"} 2',
      'sluice_gateway_upstream_duration_seconds_bucket{le="10"} 2',
      'sluice_gateway_upstream_duration_seconds_bucket{le="+Inf"} 3',
      'sluice_gateway_upstream_duration_seconds_count 3',
    ]),
  )
})
