/** Allow and deny lists in a decision: what they decide, for how long, and what is counted. */

import { describe, expect, it, test } from 'vitest'
import { explain } from '#ratelimit/explain.ts'
import { compileLists, type Listing, withLists } from '#ratelimit/lists/lists.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { compileShop } from '../../support/compile-rules.ts'
import { createMemoryCounterStore } from '../../support/memory-counter-store.ts'
import { createStatTable } from '../../support/memory-stats.ts'

const rules = compileShop(
  '  - key: user',
  '    rate_limit: {unit: minute, requests_per_unit: 1}',
  '  - key: remote_address',
  '    rate_limit: {unit: minute, requests_per_unit: 1}',
  '  - key: gold',
  '    quota_mode: true',
  '    rate_limit: {unit: minute, requests_per_unit: 9}',
)

function listing(list: Listing['list'], key: string, value: string, until: number | null = null): Listing {
  return { list, domain: 'shop', key, value, isNetwork: value.includes('/'), until }
}

const seconds = 1_200_000

function worldOf(listings: readonly Listing[], environment: Record<string, string> = {}, domain = 'shop') {
  const counters = createMemoryCounterStore({ now: () => seconds })
  const table = createStatTable(100)
  const context = {
    rules: withLists(rules, compileLists(1, listings)),
    settings: readSettings(environment),
    counters,
    overLimitCache: null,
    drawId: () => 'id',
    stats: { record: table.add },
    nowMs: seconds * 1000,
  }
  const request = (...entries: readonly (readonly [string, string])[]) => ({
    domain,
    hitsAddend: 0,
    descriptors: entries.map(([key, value]) => ({ entries: [{ key, value }] })),
  })
  const ask = (...entries: readonly (readonly [string, string])[]) => shouldRateLimit(request(...entries), context)
  const stat = (name: string) =>
    table.list().find((sum) => sum.name === `ratelimit.service.call.should_rate_limit.${name}`)?.value ?? 0
  return { ask, counters, stat, explain: () => explain(request(['user', 'eve']), context) }
}

describe('applyLists()', () => {
  it('refuses a denied value and counts nothing for it', async () => {
    const { ask, counters, stat } = worldOf([listing('deny', 'user', 'eve')])
    expect(await ask(['user', 'eve'], ['user', 'ada'])).toMatchObject({
      overallCode: 'OVER_LIMIT',
      statuses: [
        { code: 'OVER_LIMIT', limitRemaining: 0 },
        { code: 'OK', limitRemaining: 0 },
      ],
    })
    expect(counters.dump().map(({ key }) => key)).toEqual([`shop_user_ada_${seconds}`])
    expect([stat('denied'), stat('allowed')]).toEqual([1, 0])
  })

  it('lets an allowed value pass uncounted, beyond every limit', async () => {
    const { ask, counters, stat } = worldOf([listing('allow', 'remote_address', '10.0.0.0/8')])
    for (let turn = 0; turn < 3; turn++) expect((await ask(['remote_address', '10.1.2.3'])).overallCode).toBe('OK')
    expect(counters.dump()).toEqual([])
    expect(stat('allowed')).toBe(3)
  })

  it.each([
    ['the longer network', ['10.0.0.0/8', '10.1.0.0/16']],
    ['the shorter network', ['10.1.0.0/16', '10.0.0.0/8']],
    ['the address', ['10.0.0.0/8', '10.1.2.3']],
  ])('prefers a denial, here of %s', async (_, [allowed = '', denied = '']) => {
    const { ask } = worldOf([listing('allow', 'remote_address', allowed), listing('deny', 'remote_address', denied)])
    expect((await ask(['remote_address', '10.1.2.3'])).overallCode).toBe('OVER_LIMIT')
  })

  it('says when a denial ends, and forgets it then', async () => {
    const soon = worldOf([listing('deny', 'user', 'eve', seconds + 30)], { LIMIT_RETRY_AFTER_ENABLED: 'true' })
    expect(await soon.ask(['user', 'eve'])).toMatchObject({
      statuses: [{ code: 'OVER_LIMIT', secondsUntilReset: 30 }],
      responseHeadersToAdd: [{ key: 'Retry-After', value: '30' }],
    })
    const ended = worldOf([listing('deny', 'user', 'eve', seconds)])
    expect((await ended.ask(['user', 'eve'])).overallCode).toBe('OK')
  })

  it('goes on with the shorter network where the longer one has ended', async () => {
    const { ask } = worldOf([
      listing('deny', 'remote_address', '10.1.0.0/16', seconds),
      listing('deny', 'remote_address', '10.0.0.0/8'),
    ])
    expect((await ask(['remote_address', '10.1.2.3'])).overallCode).toBe('OVER_LIMIT')
  })

  it('compares whole values of that key in that domain only', async () => {
    const { ask } = worldOf([listing('deny', 'user', 'eve')])
    expect((await ask(['user', 'eve2'], ['user', 'Eve'], ['gold', 'eve'])).overallCode).toBe('OK')
    expect((await worldOf([listing('deny', 'user', 'eve')], {}, 'bank').ask(['user', 'eve'])).overallCode).toBe('OK')
  })

  it('refuses beside quota descriptors that have room', async () => {
    const { ask } = worldOf([listing('deny', 'user', 'eve')], { QUOTA_MODE: 'true' })
    expect((await ask(['gold', 'a'], ['user', 'eve'])).overallCode).toBe('OVER_LIMIT')
  })

  it('appears in the explanation of a decision', async () => {
    const { explain } = worldOf([listing('deny', 'user', 'eve')])
    expect(await explain()).toMatchObject({
      descriptors: [{ outcome: 'deny list', rule: null, counter: null, status: { code: 'OVER_LIMIT' } }],
      response: { overallCode: 'OVER_LIMIT' },
    })
  })
})

test('withLists() leaves empty lists out of the rules', () => {
  const listed = withLists(rules, compileLists(1, [listing('deny', 'user', 'eve')]))
  expect(listed.lists?.version).toBe(1)
  expect(withLists(listed, compileLists(2, []))).not.toHaveProperty('lists')
})
