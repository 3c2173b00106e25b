/** Decisions from leases in the built service: exact at the limit, fewer calls, and what is unused comes back. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminToken, type RunningRatelimit, startRatelimit } from '../../support/ratelimit-bundle.ts'

const rules = `domain: shop
descriptors:
  - {key: few, rate_limit: {unit: day, requests_per_unit: 300}}
  - {key: plenty, rate_limit: {unit: day, requests_per_unit: 100000}}
  - {key: exact, rate_limit: {unit: day, requests_per_unit: 100000}}
  - {key: several, rate_limit: {unit: day, requests_per_unit: 300, sluice: {unit_multiplier: 3}}}
  - {key: zone, rate_limit: {unit: month, requests_per_unit: 300, sluice: {algorithm: calendar, time_zone: Asia/Tokyo}}}
  - {key: one, rate_limit: {unit: day, requests_per_unit: 1}}
`

const placements = {
  'an object for each key': { COUNTER_PLACEMENT: 'per-key' },
  'one object': { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' },
  'eight shards': { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '8' },
  'two shards and a region': {
    COUNTER_PLACEMENT: 'shard',
    COUNTER_SHARDS: '2',
    LEASE_REGIONS: 'weur',
    COUNTER_TIMEOUT: '60s',
  },
}

/** Asks so many times, sixteen at once, and counts the answers by status. */
async function press(service: RunningRatelimit, times: number, key: string, value: string, addend?: number) {
  const statuses = new Map<number, number>()
  let left = times
  const caller = async () => {
    while (left-- > 0) {
      const { status } = await service.decide('shop', [[[key, value]]], addend)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  return Object.fromEntries(statuses)
}

interface Reading {
  readonly counters: readonly { readonly hits: number; readonly outstanding?: number }[]
}

async function read(service: RunningRatelimit, key: string, value: string): Promise<Reading> {
  const url = `${service.url}/counters?domain=shop&entry=${key}=${value}`
  return (await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } })).json() as Promise<Reading>
}

describe.each(Object.entries(placements))('leases over %s', (_, placement) => {
  let service: RunningRatelimit
  beforeAll(async () => {
    const vars = { ...placement, LEASES: 'shop=on,shop.exact=off', LOCAL_CACHE_SIZE_IN_BYTES: '100000' }
    service = await startRatelimit({ vars }, { 'shop.yaml': rules })
  })
  afterAll(() => service.stop())

  it('admit exactly the limit of a window, most of it without a call', async () => {
    expect(await press(service, 600, 'few', 'a')).toEqual({ 200: 300, 429: 300 })
    const stats = await service.stats()
    expect(stats.get('ratelimit.leases.admitted')).toBeGreaterThan(100)
    expect(stats.get('ratelimit.leases.faults')).toBeUndefined()
    expect(stats.get('ratelimit.service.rate_limit.shop.few.within_limit')).toBe(300)
    expect(stats.get('ratelimit.service.rate_limit.shop.few.over_limit')).toBe(300)
  })

  it.each(['several', 'zone'])('admit exactly the limit of windows of an algorithm: %s', async (key) => {
    const before = (await service.stats()).get('ratelimit.leases.admitted') ?? 0
    expect(await press(service, 600, key, 'a')).toEqual({ 200: 300, 429: 300 })
    const stats = await service.stats()
    expect((stats.get('ratelimit.leases.admitted') ?? 0) - before).toBeGreaterThan(100)
    expect(stats.get('ratelimit.leases.faults')).toBeUndefined()
  })

  it('admit exactly the limit with addends of several hits', async () => {
    const answers = await press(service, 200, 'few', 'b', 7)
    // A refused request is counted as in the reference, so the last hits below 7 are admitted to no request.
    expect(answers).toEqual({ 200: 42, 429: 158 })
  })

  it('give back what is not used once a caller falls silent', async () => {
    await press(service, 400, 'plenty', 'c')
    await expect
      .poll(() => read(service, 'plenty', 'c'), { timeout: 120_000, interval: 500 })
      .toMatchObject({ counters: [{ hits: 400 }] })
    expect((await read(service, 'plenty', 'c')).counters[0]?.outstanding).toBeUndefined()
    const stats = await service.stats()
    expect(stats.get('ratelimit.leases.calls')).toBeLessThan(600)
  })

  it('do not touch limits that LEASES switches off', async () => {
    const before = await service.stats()
    expect(await press(service, 40, 'exact', 'd')).toEqual({ 200: 40 })
    const { statuses } = await service.decide('shop', [[['exact', 'd']]])
    expect(statuses?.[0]?.limitRemaining).toBe(100_000 - 41)
    expect((await service.stats()).get('ratelimit.leases.admitted')).toBe(before.get('ratelimit.leases.admitted'))
  })

  it('count several descriptors of one request, each from its own share', async () => {
    const both = [[['few', 'e']], [['plenty', 'e']], [['exact', 'e']]] as const
    let admitted = 0
    for (let at = 0; at < 320; at++) if ((await service.decide('shop', both)).status === 200) admitted += 1
    expect(admitted).toBe(300)
    await expect
      .poll(() => read(service, 'plenty', 'e'), { timeout: 120_000, interval: 500 })
      .toMatchObject({ counters: [{ hits: 320 }] })
  })

  it('never admit a second hit where one is allowed', async () => {
    expect(await press(service, 50, 'one', 'f')).toEqual({ 200: 1, 429: 49 })
  })
})
