/** What is decided without waiting, and what waits for a counter. */

import { expect, test } from 'vitest'
import type { DecisionContext } from '../../../src/ratelimit/decision/context.ts'
import { decideAll } from '../../../src/ratelimit/decision/decide-all.ts'
import { listDescriptorHits } from '../../../src/ratelimit/descriptor-hit.ts'
import { createOverLimitCache } from '../../../src/ratelimit/over-limit-cache.ts'
import { matchRequest } from '../../../src/ratelimit/service.ts'
import { readSettings } from '../../../src/ratelimit/settings.ts'
import { compileRules } from '../../support/compile-rules.ts'
import { createMemoryCounterStore } from '../../support/memory-counter-store.ts'

const text = 'domain: shop\ndescriptors: [{key: k, rate_limit: {unit: minute, requests_per_unit: 1}}]'

test('decideAll() waits for a counter until the cache knows that it is over, and then for nothing', async () => {
  const nowMs = 1_234_000
  const context: DecisionContext = {
    rules: compileRules([{ key: 'config.shop.yaml', text }]),
    settings: readSettings({}),
    counters: createMemoryCounterStore({ now: () => nowMs / 1000 }),
    overLimitCache: createOverLimitCache(10_000),
    stats: { record: () => {} },
    nowMs,
  }
  const request = { domain: 'shop', hitsAddend: 2, descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] }
  const decideOnce = () =>
    decideAll(request, listDescriptorHits(matchRequest(request, context), request), context, [])
  const first = decideOnce()
  expect(first).toBeInstanceOf(Promise)
  const { statuses } = await first
  const second = decideOnce()
  expect(second).not.toBeInstanceOf(Promise)
  expect(second).toEqual({ statuses, isOver: [true], degraded: null })
})
