/** The text format of Prometheus: families, labels with any text, histograms. */

import { expect, test } from 'vitest'
import { formatHistogram, formatLabels, formatMetrics } from '#base/prometheus.ts'

test('formatLabels() escapes what ends a value', () => {
  expect(formatLabels([])).toBe('')
  expect(formatLabels([['a', 'back\\slash "quoted"\nline']])).toBe(String.raw`{a="back\\slash \"quoted\"\nline"}`)
})

test('formatMetrics() writes a family once, and leaves out one without series', () => {
  const series = [
    { labels: [['run', 'new']] as const, value: 1 },
    { labels: [['run', 'paused']] as const, value: 0.5 },
  ]
  expect(
    formatMetrics([
      { name: 'one', type: 'gauge', help: 'The first', series },
      { name: 'two', type: 'counter', help: 'Nothing', series: [] },
    ]),
  ).toBe('# HELP one The first\n# TYPE one gauge\none{run="new"} 1\none{run="paused"} 0.5\n')
})

test('formatHistogram() adds the buckets up', () => {
  const histogram = {
    name: 'time_seconds',
    help: 'Time',
    bounds: [0.1, 1],
    series: [{ labels: [], counts: [2, 3, 1], sum: 4.5 }],
  }
  expect(formatHistogram(histogram)).toBe(
    [
      '# HELP time_seconds Time',
      '# TYPE time_seconds histogram',
      'time_seconds_bucket{le="0.1"} 2',
      'time_seconds_bucket{le="1"} 5',
      'time_seconds_bucket{le="+Inf"} 6',
      'time_seconds_sum 4.5',
      'time_seconds_count 6',
      '',
    ].join('\n'),
  )
  expect(formatHistogram({ ...histogram, series: [] })).toBe('')
})
