/** Results of requests that a list or a failure policy decides, instead of a counter. */

import { expect, it } from 'vitest'
import { answerCall } from '#limiter/answer.ts'
import { createMemoryStore } from '#limiter/memory-store.ts'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { compileLists, type Listing, withLists } from '#ratelimit/lists/lists.ts'
import type { CounterStore } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { compileShop } from '../support/compile-rules.ts'

const nowMs = 1_000_000
const rules = compileShop('  - {key: key, rate_limit: {unit: day, requests_per_unit: 2}}')

function listing(list: Listing['list'], until: number | null): Listing {
  return { list, domain: 'shop', key: 'key', value: `${list} ${until}`, isNetwork: false, until }
}

const listed = compileLists(1, [listing('deny', null), listing('deny', 1_060), listing('allow', null)])

function ask(key: string, policy = 'error', counters: CounterStore = createMemoryStore(() => nowMs)) {
  const context = {
    rules: withLists(rules, listed),
    settings: readSettings({ FAILURE_POLICY: policy }),
    overLimitCache: null,
    counters,
    stats: { record: () => undefined },
    drawId: () => '',
    nowMs,
  }
  const codec = { readRequest, writeResponse }
  const around = { codec, contextOf: () => context, maxLength: () => 1_000, onFailure: () => undefined }
  return answerCall({ method: 'limit', asked: { domain: 'shop', key } }, around)
}

const noNumbers = { limit: null, remaining: null, period: null, reset: null, retryAfter: null }

it.each([
  ['deny null', { ...noNumbers, success: false, reason: 'over_limit' }],
  ['deny 1060', { ...noNumbers, success: false, reason: 'over_limit', retryAfter: 60 }],
  ['allow null', { ...noNumbers, success: true, reason: 'unlimited' }],
])('the limiter takes a listed key for decided: %s', async (key, result) => {
  expect(await ask(key)).toEqual(result)
})

it.each([
  ['open', true],
  ['closed', false],
])('the failure policy %s has decided where the counter cannot be reached', async (policy, success) => {
  const failing = { hit: () => Promise.reject(new Error('away')), peek: () => Promise.reject(new Error('away')) }
  expect(await ask('any', policy, failing)).toMatchObject({ ...noNumbers, success, reason: 'counter_unavailable' })
})
