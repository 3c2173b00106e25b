import { describe, expect, it, test } from 'vitest'
import { responseTimeName } from '../../../src/ratelimit/statistics/names.ts'
import { statsdLines } from '../../../src/ratelimit/statistics/statsd.ts'

const deltas = [
  { name: 'ratelimit.service.rate_limit.shop.tenant.total_hits', delta: 3 },
  { name: 'ratelimit.service.config_load_success', delta: 1 },
]
const tags = new Map([
  ['env', 'test'],
  ['zone', 'a:b|c'],
])

describe('statsdLines()', () => {
  it('writes one counter a line', () => {
    expect(statsdLines(deltas, { isDogStatsd: false, tags: new Map(), mogrifiers: [] })).toBe(
      'ratelimit.service.rate_limit.shop.tenant.total_hits:3|c\nratelimit.service.config_load_success:1|c\n',
    )
  })

  it('puts tags into the name for statsd', () => {
    expect(statsdLines(deltas.slice(1), { isDogStatsd: false, tags, mogrifiers: [] })).toBe(
      'ratelimit.service.config_load_success.__env=test.__zone=a_b_c:1|c\n',
    )
  })

  it('puts tags behind the value for DogStatsD', () => {
    expect(statsdLines(deltas.slice(1), { isDogStatsd: true, tags, mogrifiers: [] })).toBe(
      'ratelimit.service.config_load_success:1|c|#env:test,zone:a_b_c\n',
    )
  })

  it('lets no name add a line or a tag', () => {
    expect(
      statsdLines([{ name: 'a\nb:1|c|#x', delta: 1 }], {
        isDogStatsd: false,
        tags: new Map(),
        mogrifiers: [],
      }),
    ).toBe('a_b_1_c__x:1|c\n')
  })
})

test('statsdLines() sends response times as timers, one line for all calls of one length', () => {
  const deltas = [
    { name: responseTimeName('ShouldRateLimit', 7), delta: 1 },
    { name: responseTimeName('ShouldRateLimit', 12), delta: 4 },
  ]
  const tags = new Map([['zone', 'eu']])
  expect(statsdLines(deltas, { isDogStatsd: false, tags, mogrifiers: [] })).toBe(
    'ratelimit_server.ShouldRateLimit.response_time.__zone=eu:7|ms\nratelimit_server.ShouldRateLimit.response_time.__zone=eu:12|ms|@0.25\n',
  )
  expect(statsdLines(deltas, { isDogStatsd: true, tags, mogrifiers: [] })).toContain(
    'ratelimit_server.ShouldRateLimit.response_time:12|ms|@0.25|#zone:eu\n',
  )
})
