/** The block `sluice`: what it compiles to, and every mistake in it. */

import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { diffRules } from '#ratelimit/config/diff.ts'
import { dumpRules } from '#ratelimit/config/dump.ts'
import { checkRules } from '../../support/compile-rules.ts'

function check(...lines: readonly string[]) {
  const text = ['domain: shop', 'descriptors:', '  - key: k', ...lines.map((line) => `    ${line}`)].join('\n')
  return checkRules([{ key: 'config.shop', text }])
}

const limitOf = (...lines: readonly string[]) => {
  const { rules, mistakes } = check(...lines)
  expect(mistakes).toEqual([])
  return rules.domains.get('shop')?.children.get('k')?.limit
}

/** The mistakes of a limit of five a minute with such a block, as path, line, message and hint. */
function mistakesOf(sluice: string, limit = 'unit: minute, requests_per_unit: 5') {
  return check('rate_limit:', `  ${limit.split(', ').join('\n      ')}`, `  sluice: ${sluice}`).mistakes.map(
    ({ path, line, message, hint = '' }) => [path.replace('descriptors[0].rate_limit.', ''), line, message, hint],
  )
}

describe('compileAlgorithm()', () => {
  it.each([
    ['{algorithm: fixed}', undefined],
    ['{}', undefined],
    ['{unit_multiplier: 15}', { kind: 'fixed', seconds: 900, charge: 'all' }],
    ['{charge: admitted}', { kind: 'fixed', seconds: 60, charge: 'admitted' }],
    ['{algorithm: sliding}', { kind: 'sliding', seconds: 60, charge: 'all' }],
    [
      '{unsettled: charged}',
      { kind: 'fixed', seconds: 60, charge: 'all', reserve: { unsettled: 'charged', timeToLive: 600 } },
    ],
    [
      '{charge: admitted, unsettled: refunded, time_to_live: 5}',
      { kind: 'fixed', seconds: 60, charge: 'admitted', reserve: { unsettled: 'refunded', timeToLive: 5 } },
    ],
    ['{algorithm: concurrency}', { kind: 'concurrency', seconds: 60, charge: 'admitted' }],
    ['{algorithm: token_bucket}', { kind: 'token_bucket', seconds: 60, burst: 5, charge: 'all' }],
    ['{algorithm: token_bucket, burst: 20}', { kind: 'token_bucket', seconds: 60, burst: 20, charge: 'all' }],
  ])('reads %s', (sluice, algorithm) => {
    const limit = limitOf('rate_limit:', '  unit: minute', '  requests_per_unit: 5', `  sluice: ${sluice}`)
    const expected = { requestsPerUnit: 5, unit: 'MINUTE', ...(algorithm !== undefined && { algorithm }) }
    expect(limit?.rateLimit).toEqual(expected)
  })

  it.each([
    ['{algorithm: slidng}', 'algorithm', "invalid algorithm 'slidng'", 'did you mean "sliding"?'],
    [
      '{algorithm: leaky}',
      'algorithm',
      "invalid algorithm 'leaky'",
      'expected one of fixed, sliding, token_bucket, calendar, concurrency',
    ],
    ['{algorithm: token_bucket, burst: 0}', 'burst', 'burst is 0', 'expected a whole number from 1'],
    ['{algorithm: concurrency, charge: all}', 'charge', 'charge has no meaning for concurrency', 'leave out charge'],
    [
      '{algorithm: concurrency, unsettled: charged}',
      'unsettled',
      'unsettled has no meaning for concurrency',
      'fixed or',
    ],
    ['{unsettled: lost}', 'unsettled', "invalid unsettled 'lost'", 'expected one of charged, refunded'],
    ['{algorithm: sliding, unsettled: charged}', 'unsettled', 'unsettled has no meaning for sliding', 'fixed or'],
    ['{time_to_live: 5}', 'time_to_live', 'time_to_live has no reservation', 'write unsettled'],
    ['{unsettled: charged, time_to_live: 0}', 'time_to_live', 'a reservation lasts 0 seconds', '1 to 7884000 seconds'],
    ['{burst: 3}', 'burst', 'burst has no meaning for fixed', 'leave out burst'],
    ['{unit_multiplier: 0}', 'unit_multiplier', 'unit_multiplier is 0', 'expected a whole number from 1'],
    ['{charge: none}', 'charge', "invalid charge 'none'", 'expected one of all, admitted'],
    ['{limits: [{unit: day, requests_per_unit: 9}]}', 'limits[0].name', 'a further limit has no name', 'statistics'],
    [
      '{limits: [{unit: minute, requests_per_unit: 9, name: a}]}',
      'limits[0]',
      'two limits of a descriptor count',
      'keep',
    ],
    [
      '{limits: [{unit: dya, requests_per_unit: 9, name: a}]}',
      'limits[0].unit',
      "invalid rate limit unit 'dya'",
      'day',
    ],
  ])('refuses %s', (sluice, path, message, hint) => {
    const [first, ...more] = mistakesOf(sluice)
    expect(first).toEqual([`sluice.${path}`, 7, expect.stringContaining(message), expect.stringContaining(hint)])
    expect(more).toEqual([])
  })

  it('reads a calendar, and refuses a unit and a time zone that it does not have', () => {
    const day = 'unit: day, requests_per_unit: 5'
    const limit = limitOf('rate_limit: {unit: month, sluice: {algorithm: calendar, time_zone: Europe/Berlin}}')
    const calendar = { kind: 'calendar', seconds: 2_678_400, period: 'month', zone: 'Europe/Berlin', charge: 'all' }
    expect(limit?.rateLimit?.algorithm).toEqual(calendar)
    expect(mistakesOf('{algorithm: calendar}')[0]?.[2]).toBe('a calendar has no unit minute')
    expect(mistakesOf('{algorithm: calendar, time_zone: Mars/Olympus}', day)[0]).toEqual([
      'sluice.time_zone',
      7,
      "invalid time zone 'Mars/Olympus'",
      'expected a name such as Europe/Berlin, or UTC',
    ])
    expect(mistakesOf('{algorithm: calendar, unit_multiplier: 2}', day)[0]?.[2]).toBe(
      'a calendar counts one unit at a time',
    )
    expect(mistakesOf('{time_zone: UTC}')[0]?.[2]).toBe('time_zone has no meaning for fixed')
  })

  it('refuses a period of a thousand years, and a bucket that takes longer than a year to fill', () => {
    const year = 'unit: year, requests_per_unit: 5'
    expect(mistakesOf('{unit_multiplier: 1000}', year)[0]?.[2]).toBe('a window lasts 31536000000 seconds')
    const reserved = mistakesOf('{unsettled: charged}', year)[0]?.[2]
    expect(reserved).toBe('a window and its reservations last 31537200 seconds')
    expect(mistakesOf('{algorithm: concurrency}', year)[0]?.[2]).toBe('holders are remembered for 94608000 seconds')
    expect(mistakesOf('{algorithm: sliding}', year)[0]?.[2]).toBe('two windows last 63072000 seconds')
    const bucket = mistakesOf('{algorithm: token_bucket, burst: 4000000000}')
    expect(bucket[0]?.slice(0, 3)).toEqual([
      'sluice.burst',
      7,
      'a period and the filling of an empty bucket last 48000000060 seconds',
    ])
  })

  it.each([
    ['{unit: hour}', "config error, unknown key 'unit'", 'move it into rate_limit'],
    ['{requests_per_unit: 9}', "config error, unknown key 'requests_per_unit'", 'move it into rate_limit'],
    [
      '{limits: [{unit: day, name: a, algorithm: sliding}]}',
      "config error, unknown key 'algorithm'",
      'move it into the sluice of the limit',
    ],
    ['{limits: [{unit: day, name: a, limits: []}]}', "config error, unknown key 'limits'", 'move it into the sluice'],
  ])('refuses a key of another level, which would have no effect: %s', (sluice, message, hint) => {
    const [first, ...more] = mistakesOf(sluice)
    expect(first?.slice(2)).toEqual([message, expect.stringContaining(hint)])
    expect(more).toEqual([])
  })

  it('refuses what has no meaning: beside unlimited, outside a limit, or a further limit of a further one', () => {
    expect(mistakesOf('{algorithm: sliding}', 'unlimited: true')[0]?.[2]).toBe('sluice has no meaning when unlimited')
    expect(check('sluice: {algorithm: sliding}').mistakes[0]).toMatchObject({
      path: 'descriptors[0].sluice.algorithm',
      line: 4,
      message: "config error, unknown key 'algorithm'",
      hint: 'move it into the sluice of rate_limit',
    })
    expect(mistakesOf('{cidr: 10.0.0.0/8}')[0]?.[2]).toBe("config error, unknown key 'cidr'")
    const unlimited = mistakesOf('{limits: [{unit: day, name: a, unlimited: true}]}')[0]
    expect(unlimited?.[2]).toBe("config error, unknown key 'unlimited'")
    const nested = '{limits: [{unit: day, name: a, sluice: {limits: [{unit: hour, name: b}]}}]}'
    expect(mistakesOf(nested)[0]?.[2]).toBe('a further limit has further ones')
    expect(check('rate_limit: {unit: day, sluice: 5}').mistakes[0]?.message).toContain(
      'cannot unmarshal !!int `5` into a map',
    )
    expect(check('rate_limit: {unit: day, burst: 5}').mistakes[0]?.message).toBe("config error, unknown key 'burst'")
  })
})

describe('compileFurther()', () => {
  const lines = [
    'shadow_mode: true',
    'rate_limit:',
    '  unit: second',
    '  requests_per_unit: 10',
    '  sluice:',
    '    limits:',
    '      - {unit: day, requests_per_unit: 1000, name: daily}',
    '      - {unit: minute, requests_per_unit: 60, name: smooth, sluice: {algorithm: sliding}}',
  ]

  it('makes limits with the options of the first, and statistics below it', () => {
    const limit = limitOf(...lines)
    expect(limit?.rateLimit).toEqual({ requestsPerUnit: 10, unit: 'SECOND' })
    expect(limit?.further).toMatchObject([
      { statKey: 'shop.k.daily', isShadow: true, rateLimit: { algorithm: { kind: 'fixed', seconds: 86_400 } } },
      { statKey: 'shop.k.smooth', isShadow: true, rateLimit: { algorithm: { kind: 'sliding', seconds: 60 } } },
    ])
    expect(limit?.further?.[0]?.stats.overLimit).toBe('ratelimit.service.rate_limit.shop.k.daily.over_limit')
  })

  it('has a bound on their number, and refuses the same name twice', () => {
    const many = Array.from(
      { length: 9 },
      (_, at) => `{unit: minute, name: n${at}, sluice: {unit_multiplier: ${at + 2}}}`,
    )
    expect(mistakesOf(`{limits: [${many.join(', ')}]}`)[0]?.[2]).toBe('a limit has 9 further ones')
    const twice = '{limits: [{unit: day, name: a}, {unit: hour, name: a}]}'
    expect(mistakesOf(twice)[0]?.[2]).toBe("a further limit has the name 'a' again")
  })

  it('is part of the dump and of a difference', () => {
    const { rules } = check(...lines)
    expect(dumpRules(rules).split('\n').slice(0, 3)).toEqual([
      'shop.k: unit=SECOND requests_per_unit=10, shadow_mode: true, quota_mode: false',
      'shop.k.daily: unit=DAY requests_per_unit=1000, shadow_mode: true, quota_mode: false, sluice: fixed 86400',
      'shop.k.smooth: unit=MINUTE requests_per_unit=60, shadow_mode: true, quota_mode: false, sluice: sliding 60',
    ])
    const fewer = check(...lines.slice(0, -1)).rules
    const [change] = doAtOnce(diffRules(fewer, rules))
    expect(change).toMatchObject({ change: 'changed', key: 'shop.k', losesCounters: true })
    expect(change?.after).toContain('and smooth: unit=MINUTE requests_per_unit=60')
  })
})
