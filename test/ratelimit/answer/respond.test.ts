/** Answers: overall code, the headers of either kind, dynamic metadata. */

import { expect, test } from 'vitest'
import { rateLimitFields, retryAfterField } from '#ratelimit/answer/ietf-fields.ts'
import { dynamicMetadata, mergeMetadata } from '#ratelimit/answer/metadata.ts'
import { type AnswerSettings, type DecidedDescriptor, overallCode, respond } from '#ratelimit/answer/respond.ts'
import type { Match } from '#ratelimit/match.ts'
import { defaultOptions, type Limit } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import type { DescriptorStatus } from '#ratelimit/types.ts'

const plain: AnswerSettings = {
  QUOTA_MODE: false,
  SHADOW_MODE: false,
  limitHeaders: null,
  requestLimitHeaders: null,
  LIMIT_IETF_HEADERS_ENABLED: false,
  LIMIT_RETRY_AFTER_ENABLED: false,
}

function matchOf(kind: 'ordinary' | 'quota' | 'unlimited' | 'none'): Match {
  const limit: Limit = {
    ...defaultOptions,
    rateLimit: kind === 'unlimited' ? null : { requestsPerUnit: 5, unit: 'MINUTE' },
    requestsPerUnit: 5,
    isQuota: kind === 'quota',
    statKey: 'd.k',
    stats: limitStatNames('d.k'),
  }
  return { descriptor: { entries: [] }, limit: kind === 'none' ? null : limit, key: 'k', isReplaced: false }
}

function statusOf(remaining: number, seconds = 30, name?: string): DescriptorStatus {
  const code = remaining < 0 ? 'OVER_LIMIT' : 'OK'
  const currentLimit = { requestsPerUnit: 5, unit: 'MINUTE' as const, ...(name === undefined ? {} : { name }) }
  return { code, currentLimit, limitRemaining: Math.max(0, remaining), secondsUntilReset: seconds }
}

const decided = (status: DescriptorStatus, match = matchOf('ordinary')): DecidedDescriptor => ({ match, status })

const passed: DescriptorStatus = { code: 'OK', limitRemaining: 0 }

test.each([
  ['one ordinary over', ['ordinary', 'ordinary'], [1, -1], false, 'OVER_LIMIT'],
  ['one quota of two over', ['quota', 'quota'], [1, -1], false, 'OK'],
  ['all quotas over', ['quota', 'quota'], [-1, -1], false, 'OVER_LIMIT'],
  ['an ordinary over beside a quota', ['quota', 'ordinary'], [1, -1], false, 'OVER_LIMIT'],
  ['global quota, one without a limit', ['ordinary', 'none'], [-1, 0], true, 'OK'],
  ['global quota, one unlimited', ['ordinary', 'unlimited'], [-1, 0], true, 'OVER_LIMIT'],
] as const)('overallCode() with %s', (_, kinds, remaining, isQuotaMode, expected) => {
  const descriptors = kinds.map((kind, at) => decided(statusOf(remaining[at] ?? 0), matchOf(kind)))
  expect(overallCode(descriptors, isQuotaMode)).toBe(expected)
})

test('respond() adds no header for a status with 4294967295 left, as the reference', () => {
  const limitHeaders = { limit: 'L', remaining: 'R', reset: 'S' }
  const full = statusOf(4_294_967_295)
  const headersOf = (...statuses: readonly DescriptorStatus[]) =>
    respond(
      statuses.map((status) => decided(status)),
      { ...plain, limitHeaders },
    ).response.responseHeadersToAdd
  expect(headersOf(full)).toEqual([])
  expect(headersOf(full, statusOf(4_294_967_294)).map(({ value }) => value)).toEqual(['5', '4294967294', '30'])
})

test('respond() under global shadow mode lets pass and leaves the status', () => {
  const { response, isShadowed } = respond([decided(statusOf(-1))], { ...plain, SHADOW_MODE: true })
  expect([response.overallCode, response.statuses[0]?.code, isShadowed]).toEqual(['OK', 'OVER_LIMIT', true])
})

test.each([
  ['the least remaining', [3, 1, 2], '1', '21'],
  ['the first of equals', [2, 2], '2', '20'],
  ['the last that is over', [-1, 0, -1], '0', '22'],
])('respond() reports %s in the classic headers of both directions', (_, remaining, left, reset) => {
  const descriptors = [
    ...remaining.map((each, at) => decided(statusOf(each, 20 + at))),
    decided(passed, matchOf('none')),
  ]
  const names = { limit: 'L', remaining: 'M', reset: 'R' }
  const headers = [
    { key: 'L', value: '5' },
    { key: 'M', value: left },
    { key: 'R', value: reset },
  ]
  const toResponses = respond(descriptors, { ...plain, limitHeaders: names }).response
  expect([toResponses.responseHeadersToAdd, toResponses.requestHeadersToAdd]).toEqual([headers, undefined])
  const toRequests = respond(descriptors, { ...plain, requestLimitHeaders: names }).response
  expect([toRequests.responseHeadersToAdd, toRequests.requestHeadersToAdd]).toEqual([[], headers])
})

test('respond() adds Retry-After only to refusals', () => {
  const settings = { ...plain, LIMIT_RETRY_AFTER_ENABLED: true }
  const of = (remaining: number) => respond([decided(statusOf(remaining))], settings).response.responseHeadersToAdd
  expect(of(1)).toEqual([])
  expect(of(-1)).toEqual([{ key: 'Retry-After', value: '30' }])
})

test('rateLimitFields() writes structured fields, one item for every limited status', () => {
  expect(rateLimitFields([statusOf(4, 9, 'per "k"'), passed, statusOf(-1, 7)])).toEqual([
    { key: 'RateLimit-Policy', value: '"per \\"k\\"";q=5;w=60, "limit-3";q=5;w=60' },
    { key: 'RateLimit', value: '"per \\"k\\"";r=4;t=9, "limit-3";r=0;t=7' },
  ])
  expect(rateLimitFields([passed])).toEqual([])
})

test('retryAfterField() waits for the slowest of the refused', () => {
  expect(retryAfterField([statusOf(-1, 9), statusOf(-1, 40), statusOf(1, 60)])?.value).toBe('40')
  expect(retryAfterField([statusOf(1)])).toBeNull()
})

test('mergeMetadata() keeps the first value, merges maps and not lists', () => {
  const first = { a: 1, m: { x: 1, l: [1] } }
  const second = { a: 2, b: null, m: { x: 2, y: 3, l: [2] } }
  expect(mergeMetadata(first, second)).toEqual({ a: 1, b: null, m: { x: 1, y: 3, l: [1] } })
})

test('dynamicMetadata() leaves out of the text of a limit what is 0, as protobuf does', () => {
  const textOf = (requestsPerUnit: number, unit: 'DAY' | 'WEEK') => {
    const descriptors = [{ entries: [], limit: { requestsPerUnit, unit } }]
    return dynamicMetadata({ domain: 'd', descriptors, hitsAddend: 0 }, []).descriptors
  }
  expect(textOf(0, 'DAY')).toEqual([{ entries: [], limit: 'unit:DAY' }])
  expect(textOf(3, 'WEEK')).toEqual([{ entries: [], limit: 'requests_per_unit:3 unit:7' }])
})
