/** Messages of reports: what is read, and every refusal. */

import { describe, expect, it } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'
import { parseReports, type ReportBounds, reportBounds } from '#ratelimit/quota/messages.ts'
import { refusalText } from '../../support/refusal.ts'

const bounds: ReportBounds = { length: 400, buckets: 2, entries: 2, textLength: 4 }

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

  const filled = JSON.stringify([usage()]).padEnd(bounds.length, ' ')
  const pairs = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, value: 'v' }))

  it.each([
    ['characters', filled, `${filled} `, '401 characters, expected at most 400'],
    ['buckets', [usage(), usage()], [usage(), usage(), usage()], '3 buckets, expected at most 2'],
    ['pairs', [usage({ bucket: pairs(2) })], [usage({ bucket: pairs(3) })], '3 pairs in a bucket, expected at most 2'],
    [
      'characters of a key',
      [usage({ bucket: [{ key: 'four', value: 'v' }] })],
      [usage({ bucket: [{ key: 'fives', value: 'v' }] })],
      'a key or a value of more than 4 characters',
    ],
    [
      'characters of a value',
      [usage({ bucket: [{ key: 'k', value: 'four' }] })],
      [usage({ bucket: [{ key: 'k', value: 'fives' }] })],
      'a key or a value of more than 4 characters',
    ],
  ])('bounds the number of %s', (_what, right, beyond, state) => {
    const textOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message))
    expect(codeOf(() => parseReports(textOf(right), bounds))).toBe('read')
    expect(codeOf(() => parseReports(textOf(beyond), bounds))).toBe(
      `request_too_large: Cannot read usage reports: ${state}`,
    )
  })

  it('applies `reportBounds` where none are given', () => {
    const beyond = Array.from({ length: reportBounds.buckets + 1 }, () => usage())
    expect(codeOf(() => parseReports(JSON.stringify(beyond)))).toContain('request_too_large')
    expect(codeOf(() => parseReports(JSON.stringify(beyond.slice(1))))).toBe('read')
  })
})
