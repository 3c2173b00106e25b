import { expect, test } from 'vitest'
import { parseResponseTime, responseTimeName, totalRequestsName } from '#ratelimit/statistics/names.ts'
import { prometheusText } from '#ratelimit/statistics/prometheus.ts'

test('prometheusText() maps as the reference does and names the rest after itself', () => {
  const prefix = 'ratelimit.service.rate_limit.'
  const text = prometheusText(
    [
      { name: 'ratelimit.service.config_load_success', value: 1 },
      { name: 'ratelimit.service.call.should_rate_limit.redis_error', value: 2 },
      { name: `${prefix}shop.tenant.total_hits`, value: 3 },
      { name: `${prefix}shop.a.b.c.total_hits`, value: 4 },
      { name: `${prefix}shop.a.b.d.total_hits`, value: 5 },
      { name: `${prefix}nowhere.domain_not_found`, value: 6 },
      { name: `${prefix}shop.say "hi"\\.over_limit`, value: 7 },
    ],
    new Map([['zone', 'eu']]),
  )
  expect(text.split('\n')).toEqual([
    '# HELP ratelimit_service_config_load_success Configurations that were taken',
    '# TYPE ratelimit_service_config_load_success counter',
    'ratelimit_service_config_load_success{zone="eu"} 1',
    '# HELP ratelimit_service_should_rate_limit_error Decisions that ended in an error',
    '# TYPE ratelimit_service_should_rate_limit_error counter',
    'ratelimit_service_should_rate_limit_error{err_type="redis_error",zone="eu"} 2',
    '# HELP ratelimit_service_rate_limit_total_hits Hits on a limit',
    '# TYPE ratelimit_service_rate_limit_total_hits counter',
    'ratelimit_service_rate_limit_total_hits{domain="shop",key1="tenant",zone="eu"} 3',
    'ratelimit_service_rate_limit_total_hits{domain="shop",key1="a",key2="b",zone="eu"} 9',
    '# HELP ratelimit_service_rate_limit_nowhere_domain_not_found The statistic ratelimit.service.rate_limit.nowhere.domain_not_found',
    '# TYPE ratelimit_service_rate_limit_nowhere_domain_not_found counter',
    'ratelimit_service_rate_limit_nowhere_domain_not_found{zone="eu"} 6',
    '# HELP ratelimit_service_rate_limit_over_limit Hits beyond a limit',
    '# TYPE ratelimit_service_rate_limit_over_limit counter',
    'ratelimit_service_rate_limit_over_limit{domain="shop",key1="say \\"hi\\"\\\\",zone="eu"} 7',
    '',
  ])
})

test('prometheusText() names calls and the gauges of the cache as the reference does', () => {
  const text = prometheusText([
    { name: totalRequestsName('ShouldRateLimit'), value: 4 },
    { name: 'ratelimit.localcache.hitCount', value: 3 },
  ])
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'ratelimit_service_total_requests{grpc_method="ShouldRateLimit"} 4',
    'ratelimit_localcache_hitCount 3',
  ])
  expect(text).toContain('# TYPE ratelimit_localcache_hitCount gauge')
})

test('prometheusText() makes a histogram of response times, in seconds or in milliseconds', () => {
  const sums = [0, 7, 7, 12_345].map((length) => ({ name: responseTimeName('ShouldRateLimit', length), value: 1 }))
  const lines = prometheusText(sums).trimEnd().split('\n')
  const metric = 'ratelimit_service_response_time_seconds'
  const bucket = (le: string) => `${metric}_bucket{grpc_method="ShouldRateLimit",le="${le}"}`
  expect(lines[1]).toBe(`# TYPE ${metric} histogram`)
  expect(lines.slice(2, 4)).toEqual([`${bucket('0.005')} 1`, `${bucket('0.01')} 3`])
  expect(lines.slice(-4)).toEqual([
    `${bucket('10')} 3`,
    `${bucket('+Inf')} 4`,
    `${metric}_sum{grpc_method="ShouldRateLimit"} 12.014`,
    `${metric}_count{grpc_method="ShouldRateLimit"} 4`,
  ])
  expect(prometheusText(sums, new Map(), { hasMilliseconds: true })).toContain(`${bucket('10')} 3\n`)
})

test('responseTimeName() has some hundred names, for paths of any length', () => {
  const lengths = Array.from({ length: 200_000 }, (_, at) => at * 25)
  expect(new Set(lengths.map((length) => responseTimeName('M', length))).size).toBeLessThan(500)
  expect(parseResponseTime(responseTimeName('M', 99))).toEqual({ method: 'M', milliseconds: 99 })
  expect(parseResponseTime(responseTimeName('M', 1_249))).toEqual({ method: 'M', milliseconds: 1_200 })
  expect(parseResponseTime(responseTimeName('M', -5))).toEqual({ method: 'M', milliseconds: 0 })
  expect(parseResponseTime(totalRequestsName('M'))).toBeNull()
})

test('prometheusText() counts what was held back from callers apart from errors', () => {
  const prefix = 'ratelimit.service.call.should_rate_limit.'
  const text = prometheusText([
    { name: `${prefix}not_allowed`, value: 1 },
    { name: `${prefix}override_ignored`, value: 2 },
    { name: `${prefix}refund_ignored`, value: 3 },
    { name: `${prefix}hits_capped`, value: 4 },
  ])
  expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
    'ratelimit_service_should_rate_limit_error{err_type="not_allowed"} 1',
    'ratelimit_service_call_should_rate_limit_override_ignored 2',
    'ratelimit_service_call_should_rate_limit_refund_ignored 3',
    'ratelimit_service_call_should_rate_limit_hits_capped 4',
    '',
  ])
})
