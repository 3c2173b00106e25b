import { describe, expect, it, test } from 'vitest'
import { responseTimeName } from '#ratelimit/statistics/names.ts'
import { statsdLines } from '#ratelimit/statistics/statsd.ts'

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

  it('keeps names as the reference does, and replaces what would add a line', () => {
    const lines = (name: string) =>
      statsdLines([{ name, delta: 1 }], { isDogStatsd: false, tags: new Map(), mogrifiers: [] })
    expect(lines('my key#1.a@b,c\td')).toBe('my key#1.a@b,c\td:1|c\n')
    expect(lines('a\nb\r:1|c|#x')).toBe('a_b__1_c_#x:1|c\n')
  })

  it('lets no runtime value add a tag of DogStatsD', () => {
    const mogrifiers = [{ pattern: /^ip\.(.+)$/, name: 'ip', tags: [['address', '$1']] as const }]
    expect(
      statsdLines([{ name: 'ip.a b,env:prod|c', delta: 1 }], { isDogStatsd: true, tags: new Map(), mogrifiers }),
    ).toBe('ip:1|c|#address:a b_env_prod_c\n')
  })

  it('orders the tags of every line and takes the dots out of their values, as the reference does', () => {
    const tags = new Map([
      ['zone', 'eu.1'],
      ['env', 'a b'],
    ])
    expect(statsdLines([{ name: 'n', delta: 1 }], { isDogStatsd: false, tags, mogrifiers: [] })).toBe(
      'n.__env=a b.__zone=eu_1:1|c\n',
    )
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
