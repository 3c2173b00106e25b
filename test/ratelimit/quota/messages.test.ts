/** Messages of reports: what is read, and every refusal. */

import { describe, expect, it } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'
import { parseReports } from '#ratelimit/quota/messages.ts'
import { refusalText } from '../../support/refusal.ts'

const usage = (fields: object = {}) => ({
  bucket: [{ key: 'k', value: 'v' }],
  allowed: 1,
  denied: 2,
  elapsed: 5,
  ...fields,
})

const codeOf = (read: () => unknown) => refusalText(RatelimitError, read) ?? 'read'

describe('parseReports()', () => {
  it('reads usages, with the pairs of each bucket in order', () => {
    const bucket = [
      { key: 'zone', value: 'eu' },
      { key: 'app', value: '' },
    ]
    expect(parseReports(JSON.stringify([usage({ bucket }), usage({ allowed: 0 })]))).toEqual([
      { bucket: bucket.toReversed(), allowed: 1, denied: 2, elapsed: 5 },
      { bucket: [{ key: 'k', value: 'v' }], allowed: 0, denied: 2, elapsed: 5 },
    ])
    expect(parseReports('[]')).toEqual([])
  })

  it.each([
    [1.9, 1],
    [0, 0],
    [2 ** 53, 2 ** 53 - 1],
    [1e300, 2 ** 53 - 1],
  ])('reads %d hits as %d', (written, hits) => {
    const [read] = parseReports(JSON.stringify([usage({ allowed: written, denied: written })]))
    expect([read?.allowed, read?.denied]).toEqual([hits, hits])
  })

  it('leaves out fields that it does not know', () => {
    const bucket = [{ key: 'k', value: 'v', more: 1 }]
    expect(parseReports(JSON.stringify([usage({ bucket, more: 1 })]))).toEqual([usage()])
  })

  it.each([
    ['{', 'it is not JSON'],
    ['{}', 'it is not a list'],
    ['null', 'it is not a list'],
    ['[null]', 'a usage has no bucket'],
    ['[5]', 'a usage has no bucket'],
    ['[{"allowed":1,"denied":1}]', 'a usage has no bucket'],
    [[usage({ bucket: [] })], 'a bucket has no pair'],
    [[usage({ bucket: [null] })], 'a pair of a bucket is not a key and a value'],
    [[usage({ bucket: [{ key: 'k' }] })], 'a pair of a bucket is not a key and a value'],
    [[usage({ bucket: [{ key: 5, value: 'v' }] })], 'a pair of a bucket is not a key and a value'],
    [[usage({ allowed: -1 })], 'a number of hits is not 0 or more'],
    [[usage({ denied: '1' })], 'a number of hits is not 0 or more'],
    [[usage({ denied: undefined })], 'a number of hits is not 0 or more'],
    [[usage({ denied: Number.NaN })], 'a number of hits is not 0 or more'],
  ])('takes %j for malformed_request: %s', (message, state) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    expect(codeOf(() => parseReports(text))).toBe(`malformed_request: Cannot read usage reports: ${state}`)
  })

  const filled = JSON.stringify([usage()]).padEnd(1_048_576, ' ')
  const pairs = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, value: 'v' }))

  const usages = (count: number) => Array.from({ length: count }, () => usage())
  const [longest, beyond] = ['x'.repeat(1_024), 'x'.repeat(1_025)]

  it.each([
    ['characters', filled, `${filled} `, '1048577 characters, expected at most 1048576'],
    ['buckets', usages(4_096), usages(4_097), '4097 buckets, expected at most 4096'],
    [
      'pairs',
      [usage({ bucket: pairs(16) })],
      [usage({ bucket: pairs(17) })],
      '17 pairs in a bucket, expected at most 16',
    ],
    [
      'characters of a key',
      [usage({ bucket: [{ key: longest, value: 'v' }] })],
      [usage({ bucket: [{ key: beyond, value: 'v' }] })],
      'a key or a value of more than 1024 characters',
    ],
    [
      'characters of a value',
      [usage({ bucket: [{ key: 'k', value: longest }] })],
      [usage({ bucket: [{ key: 'k', value: beyond }] })],
      'a key or a value of more than 1024 characters',
    ],
  ])('bounds the number of %s', (_what, right, wrong, state) => {
    const textOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message))
    expect(codeOf(() => parseReports(textOf(right)))).toBe('read')
    expect(codeOf(() => parseReports(textOf(wrong)))).toBe(`request_too_large: Cannot read usage reports: ${state}`)
  })
})
