/** Reservations in the built service: reserved and settled over every way in, with errors by code, and explained. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { Explanation } from '#ratelimit/contract/explanation.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../../support/ratelimit-bundle.ts'

const token = 'caller-token-of-tests'
const authorization = `Bearer ${token}`

const rules = {
  'model.yaml': `domain: model
descriptors:
  - key: user
    rate_limit:
      unit: day
      requests_per_unit: 10
      sluice: {unsettled: charged, time_to_live: 600, limits: [{unit: year, requests_per_unit: 100, name: all}]}
  - key: held
    rate_limit: {unit: minute, requests_per_unit: 2, sluice: {algorithm: concurrency}}
  - key: brief
    rate_limit: {unit: day, requests_per_unit: 10, sluice: {unsettled: refunded, time_to_live: 1}}
`,
  'plain.yaml': 'domain: plain\ndescriptors: [{key: user, rate_limit: {unit: day, requests_per_unit: 10}}]',
}

beforeAll(() => bundleWorkers(['ratelimit']))

const placements = { 'an object for each key': {}, 'two shards': { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '2' } }

describe.each(Object.entries(placements))('reservations over %s', (_, placement) => {
  let service: RunningRatelimit
  beforeAll(async () => {
    service = await startRatelimit({ vars: { ...placement, CALLER_TOKENS: `app=${token}` } }, rules)
  })
  afterAll(() => service.stop())

  const post = async (path: string, body: object, headers: Record<string, string> = { authorization }) => {
    const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json().catch(() => null)) as Record<string, unknown> }
  }
  const ofUser = (user: string, hits: number) => ({ domain: 'model', entries: { user }, hits })
  const reserve = (user: string, hits: number, reservation: string) =>
    post('/limiter/limit', { ...ofUser(user, hits), reservation })
  const settle = (user: string, hits: number, id: string) =>
    post(`/ratelimit/v1/reservations/${encodeURIComponent(id)}`, ofUser(user, hits))
  const descriptor = (user: string, key: string, id: string, hitsAddend: number) => ({
    domain: 'model',
    descriptors: [
      { hitsAddend, entries: [...[{ key: 'user', value: user }], ...(key === '' ? [] : [{ key, value: id }])] },
    ],
  })

  it('count the estimate, then the cost, and never refuse the cost', async () => {
    expect(await reserve('a', 8, 'one')).toMatchObject({ status: 200, body: { remaining: 2 } })
    expect((await reserve('a', 3, 'two')).status).toBe(429)
    expect(await settle('a', 3, 'one')).toMatchObject({ status: 200, body: { success: true, remaining: 7 } })
    expect((await reserve('a', 7, 'ä /?#')).status).toBe(200)
    expect(await settle('a', 40, 'ä /?#')).toMatchObject({ status: 200, body: { success: true, remaining: 0 } })
    expect((await reserve('a', 1, 'four')).status).toBe(429)
  })

  it('travel as the last entry of a descriptor', async () => {
    expect((await post('/json', descriptor('b', 'sluice.reserve', 'x', 9))).status).toBe(200)
    expect((await post('/json', descriptor('b', '', '', 2))).status).toBe(429)
    expect((await post('/json', descriptor('b', 'sluice.settle', 'x', 1))).status).toBe(200)
    expect((await post('/json', descriptor('b', 'sluice.settle', 'x', 1))).status).toBe(400)
  })

  it('answer errors by code, and count them', async () => {
    await reserve('c', 1, 'c')
    expect(await settle('c', 1, 'other')).toMatchObject({ status: 404, body: { reason: 'reservation_not_found' } })
    expect(await settle('d', 1, 'c')).toMatchObject({ status: 404 })
    const elsewhere = { domain: 'plain', entries: { user: 'c' }, hits: 1 }
    expect(await post('/ratelimit/v1/reservations/c', elsewhere)).toMatchObject({ status: 404 })
    expect((await settle('c', 1, 'c')).status).toBe(200)
    expect(await settle('c', 1, 'c')).toMatchObject({ status: 409, body: { reason: 'reservation_settled' } })
    const brief = { domain: 'model', entries: { brief: 'c' }, hits: 6 }
    await post('/limiter/limit', { ...brief, reservation: 'late' })
    await expect
      .poll(async () => (await post('/limiter/peek', { domain: 'model', entries: { brief: 'c' } })).body?.remaining)
      .toBe(10)
    expect(await post('/limiter/settle', { ...brief, reservation: 'late' })).toMatchObject({
      status: 410,
      body: { reason: 'reservation_ended', message: expect.stringContaining('time_to_live') },
    })
    expect(await post('/ratelimit/v1/reservations/c', ofUser('c', 1), {})).toMatchObject({ status: 401 })
    expect(await settle('c', 1, 'x'.repeat(129))).toMatchObject({ status: 413 })
    const stats = await service.stats()
    const faults = ['settled', 'ended', 'not_found'].map((name) => stats.get(`ratelimit.service.settlement.${name}`))
    expect(faults[1]).toBe(1)
    expect(faults[0]).toBeGreaterThanOrEqual(1)
    expect(faults[2]).toBeGreaterThanOrEqual(3)
  })

  it('hold a place of a limit of concurrency until it is released', async () => {
    const held = (reservation?: string) => ({ domain: 'model', entries: { held: 'x' }, reservation })
    const acquire = async (id?: string) => (await post('/limiter/limit', held(id))).status
    const release = async (id: string) => (await post('/limiter/settle', held(id))).status
    expect([await acquire('a'), await acquire('b'), await acquire('c')]).toEqual([200, 200, 429])
    expect([await release('a'), await release('a'), await release('c')]).toEqual([200, 409, 404])
    expect([await acquire('c'), await acquire()]).toEqual([200, 400])
    expect((await post('/limiter/peek', { domain: 'model', entries: { held: 'x' } })).body).toMatchObject({
      remaining: 0,
    })
  })

  it('are explained, and read with what is reserved, by the descriptor without the entry', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    await reserve('e', 4, 'e')
    const explained = await post('/explain', descriptor('e', 'sluice.settle', 'e', 4), headers)
    expect(Explanation.safeParse(explained.body).error?.issues).toBeUndefined()
    expect(explained.body).toMatchObject({
      descriptors: [{ status: { code: 'OK', limitRemaining: 6 }, counter: { hits: 4 } }],
    })
    const reading = await fetch(`${service.url}/counters?domain=model&entry=user=e`, { headers })
    expect(await reading.json()).toMatchObject({
      counters: [{ algorithm: 'fixed 86400 unsettled charged 600', hits: 4, outstanding: 4 }, { hits: 4 }],
    })
  })
})

describe('a service over Redis', () => {
  it('refuses rules with reservations, with the place', async () => {
    const service = await startRatelimit(
      { vars: { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: '127.0.0.1:9' } },
      {},
    )
    try {
      const headers = { authorization: `Bearer ${adminToken}` }
      const body = JSON.stringify({ files: rules })
      const response = await fetch(`${service.url}/config/check`, { method: 'POST', headers, body })
      const { error } = (await response.json()) as { error: { mistakes: readonly object[] } }
      expect(error.mistakes).toMatchObject([
        { path: 'descriptors[0].rate_limit.sluice', message: 'Redis holds no hits' },
        { path: 'descriptors[1].rate_limit.sluice' },
        { path: 'descriptors[2].rate_limit.sluice' },
      ])
    } finally {
      await service.stop()
    }
  })
})
