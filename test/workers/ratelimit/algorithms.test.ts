/** Limits of the block `sluice` in the built service: over /json, gRPC-Web and the calls of programs. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../../support/ratelimit-bundle.ts'

const rules = {
  'shop.yaml': `domain: shop
descriptors:
  - key: period
    rate_limit: {unit: day, requests_per_unit: 2, sluice: {unit_multiplier: 2}}
  - key: sliding
    rate_limit: {unit: hour, requests_per_unit: 2, sluice: {algorithm: sliding}}
  - key: bucket
    rate_limit: {unit: day, requests_per_unit: 1, sluice: {algorithm: token_bucket, burst: 3}}
  - key: calendar
    rate_limit: {unit: month, requests_per_unit: 2, sluice: {algorithm: calendar, time_zone: Pacific/Apia}}
  - key: several
    rate_limit:
      unit: day
      requests_per_unit: 9
      name: first
      sluice: {limits: [{unit: year, requests_per_unit: 2, name: second}]}
`,
}

beforeAll(() => bundleWorkers(['ratelimit']))

const placements = { 'an object for each key': {}, 'two shards': { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '2' } }

describe.each(Object.entries(placements))('sluice limits over %s', (_, placement) => {
  let service: RunningRatelimit
  beforeAll(async () => {
    service = await startRatelimit({ vars: { ...placement, LEASES: 'on', LOCAL_CACHE_SIZE_IN_BYTES: '100000' } }, rules)
  })
  afterAll(() => service.stop())

  it.each([
    ['period', [200, 200, 429, 429]],
    ['sliding', [200, 200, 429, 429]],
    ['bucket', [200, 200, 200, 429]],
    ['calendar', [200, 200, 429, 429]],
    ['several', [200, 200, 429, 429]],
  ])('%s admit what they say', async (key, codes) => {
    const answered: number[] = []
    for (const _ of codes) answered.push((await service.decide('shop', [[[key, 'a']]])).status)
    expect(answered).toEqual(codes)
  })

  it('are explained, with each limit of several', async () => {
    const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'several', value: 'b' }] }] })
    const headers = { authorization: `Bearer ${adminToken}` }
    const response = await fetch(`${service.url}/explain`, { method: 'POST', headers, body })
    const { descriptors } = (await response.json()) as { descriptors: readonly { readonly status: object }[] }
    expect(descriptors[0]?.status).toMatchObject({
      code: 'OK',
      currentLimit: { name: 'second', algorithm: { kind: 'fixed', seconds: 31_536_000, charge: 'all' } },
      limits: [{ currentLimit: { name: 'first' } }, { currentLimit: { name: 'second' } }],
    })
  })

  it('are read, blocked and forgotten by operators, also by the bare key', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const operate = async (query: string, method = 'GET') =>
      (await fetch(`${service.url}/counters?${query}`, { method, headers })).json()
    await service.decide('shop', [[['bucket', 'c']]], 2)
    const bare = 'key=shop_bucket_c_'
    const reading = { counters: [{ algorithm: 'token_bucket 86400 3', hits: 2 }], blockedUntil: null }
    expect(await operate('domain=shop&entry=bucket=c')).toMatchObject(reading)
    expect(await operate(bare)).toMatchObject(reading)
    await operate(`${bare}&seconds=60`, 'PUT')
    expect((await service.decide('shop', [[['bucket', 'c']]])).status).toBe(429)
    expect(await operate(bare, 'DELETE')).toMatchObject({ forgotten: { counters: [{ hits: 3 }] } })
    expect((await service.decide('shop', [[['bucket', 'c']]])).statuses?.[0]?.limitRemaining).toBe(2)
  })

  it('pass again at once when an operator has forgotten a counter that is over', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const period = [[['period', 'forgotten']]] as const
    for (const status of [200, 200, 429, 429]) expect((await service.decide('shop', period)).status).toBe(status)
    const query = 'domain=shop&entry=period=forgotten'
    await fetch(`${service.url}/counters?${query}`, { method: 'DELETE', headers })
    expect((await service.decide('shop', period)).status).toBe(200)
  })

  it('answer programs with the capacity and the period', async () => {
    const ask = async (entries: object) => {
      const response = await fetch(`${service.url}/limiter/limit`, {
        method: 'POST',
        body: JSON.stringify({ domain: 'shop', entries }),
      })
      return response.json()
    }
    expect(await ask({ bucket: 'd' })).toMatchObject({ success: true, limit: 3, remaining: 2, period: 259_200 })
    expect(await ask({ period: 'd' })).toMatchObject({ success: true, limit: 2, remaining: 1, period: 172_800 })
  })
})

describe('a service over memcached', () => {
  it('refuses rules that it cannot count by, with the place', async () => {
    const service = await startRatelimit({ vars: { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: '127.0.0.1:9' } }, {})
    try {
      const headers = { authorization: `Bearer ${adminToken}` }
      const body = JSON.stringify({ files: rules })
      const response = await fetch(`${service.url}/config/check`, { method: 'POST', headers, body })
      const { error } = (await response.json()) as { error: { mistakes: readonly object[] } }
      expect(error.mistakes).toHaveLength(5)
      expect(error.mistakes[0]).toMatchObject({
        file: 'shop.yaml',
        path: 'descriptors[0].rate_limit.sluice',
        line: 4,
        message: 'memcached counts windows of a unit only',
      })
    } finally {
      await service.stop()
    }
  })
})
