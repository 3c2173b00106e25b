/** Outcome without shadow modes: the header and the metadata that name the limits which would have refused. */

import { describe, expect, it } from 'vitest'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { compileShop } from '../../support/compile-rules.ts'
import { createMemoryCounterStore } from '../../support/memory-counter-store.ts'

const rules = compileShop(
  '  - key: hard',
  '    rate_limit: {unit: minute, requests_per_unit: 1}',
  '  - key: trial',
  '    shadow_mode: true',
  '    rate_limit: {unit: minute, requests_per_unit: 1, name: "a \\"new\\" limit"}',
)

async function decideTwice(environment: Record<string, string>, ...keys: readonly string[]) {
  const settings = readSettings(environment)
  const counters = createMemoryCounterStore({ now: () => 1_200 })
  const overLimitCache = settings.LOCAL_CACHE_SIZE_IN_BYTES > 0 ? createOverLimitCache(10_000) : null
  const context = {
    rules,
    settings,
    counters,
    overLimitCache,
    stats: { record: () => {} },
    drawId: () => 'id',
    nowMs: 1_200_000,
  }
  const request = {
    domain: 'shop',
    hitsAddend: 0,
    descriptors: keys.map((key) => ({ entries: [{ key, value: 'v' }] })),
  }
  for (let turn = 0; turn < 2; turn++) await shouldRateLimit(request, context)
  const { overallCode, responseHeadersToAdd, dynamicMetadata } = await shouldRateLimit(request, context)
  return { overallCode, headers: responseHeadersToAdd, shadowed: dynamicMetadata?.shadowed }
}

const switchedOn = { SHADOW_OUTCOME_ENABLED: 'true', RESPONSE_DYNAMIC_METADATA: 'true' }

describe('withShadowOutcome()', () => {
  it.each([
    ['', {}],
    [' from the over-limit cache', { LOCAL_CACHE_SIZE_IN_BYTES: '10000' }],
  ])('names a rule in shadow mode that is over%s', async (_, cache) => {
    expect(await decideTwice({ ...switchedOn, ...cache }, 'trial', 'none')).toEqual({
      overallCode: 'OK',
      headers: [{ key: 'X-RateLimit-Shadow', value: '"a \\"new\\" limit"' }],
      shadowed: ['a "new" limit'],
    })
  })

  it('names every refused descriptor under the global mode', async () => {
    expect(await decideTwice({ ...switchedOn, SHADOW_MODE: 'true' }, 'none', 'hard', 'trial')).toMatchObject({
      overallCode: 'OK',
      shadowed: ['limit-2', 'a "new" limit'],
    })
  })

  it('leaves out what refuses the request in truth', async () => {
    expect(await decideTwice(switchedOn, 'hard', 'trial')).toMatchObject({
      overallCode: 'OVER_LIMIT',
      shadowed: ['a "new" limit'],
    })
    expect(await decideTwice(switchedOn, 'hard')).toEqual({
      overallCode: 'OVER_LIMIT',
      headers: [],
      shadowed: undefined,
    })
  })

  it('adds nothing while it is switched off', async () => {
    const environment = { RESPONSE_DYNAMIC_METADATA: 'true', SHADOW_MODE: 'true' }
    expect(await decideTwice(environment, 'trial', 'hard')).toEqual({
      overallCode: 'OK',
      headers: [],
      shadowed: undefined,
    })
  })
})
