/** `/counters` over stores that others share: reset and block reach every instance, the reference's included. */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { chooseServer } from '#ratelimit/memcache/servers.ts'
import { memcacheRaise, redisRaise } from '#ratelimit/store-block.ts'
import { memcachedServer, type RunningMemcached, startMemcached } from '../support/memcached.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { type RunningRedis, redisServer, startCluster, startRedis } from '../support/redis.ts'
import { referenceProgram, startReference } from '../support/reference-service.ts'

const rules = `domain: shop
descriptors:
  - key: tenant
    rate_limit: { unit: day, requests_per_unit: 5 }
  - key: many
    rate_limit: { unit: day, requests_per_unit: 100000 }
  - key: huge
    rate_limit: { unit: month, requests_per_unit: 4000000000 }
  - key: burst
    rate_limit: { unit: second, requests_per_unit: 1000 }
`
const files = { 'config.shop.yaml': rules }
const tcp = { REDIS_SOCKET_TYPE: 'tcp', EXPIRATION_JITTER_MAX_SECONDS: '0' }

const dayStart = () => Math.floor(Date.now() / 86_400_000) * 86_400
const secondsOfDay = () => 86_400 - (Math.floor(Date.now() / 1000) % 86_400)

beforeAll(() => bundleWorkers(['ratelimit']))

type Service = Pick<RunningRatelimit, 'url'>

interface Told {
  readonly status: number
  readonly counters?: readonly { readonly unit: string; readonly hits: number }[]
  readonly blockedUntil?: number | null
  readonly forgotten?: Told
  readonly error?: { readonly code: string; readonly message: string }
}

async function operate(service: Service, method: 'GET' | 'PUT' | 'DELETE', query: string): Promise<Told> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await fetch(`${service.url}/counters?${query}`, { method, headers })
  return { status: response.status, ...((await response.json()) as object) }
}

/** Asks any instance, ours or the reference's, for one decision; the status says what it came to. */
async function ask(service: Service, key: string, value: string): Promise<number> {
  return (await hit(service, key, value, 1)).status
}

/** As `ask`, for many hits at once; the reset is null when nothing was decided. */
async function hit(
  { url }: Service,
  key: string,
  value: string,
  hitsAddend: number,
): Promise<{ readonly status: number; readonly resetSeconds: number | null }> {
  const descriptors = [{ entries: [{ key, value }], hitsAddend: String(hitsAddend) }]
  const response = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify({ domain: 'shop', descriptors }) })
  const answer = (await response.json()) as { statuses?: { durationUntilReset?: string }[] }
  const text = answer.statuses?.[0]?.durationUntilReset
  return { status: response.status, resetSeconds: text === undefined ? null : Number.parseInt(text, 10) }
}

const monthStart = () => Math.floor(Date.now() / 2_592_000_000) * 2_592_000
const secondsOfMonth = () => 2_592_000 - (Math.floor(Date.now() / 1000) % 2_592_000)

/** A counter that is higher than half of what a block adds: blocked, lifted, and none of its hits lost. */
async function holdsHugeCounts(
  service: Service,
  value: string,
  hits: number,
  stored: (key: string) => Promise<string | null>,
): Promise<void> {
  const key = `shop_huge_${value}_${monthStart()}`
  const isOver = hits > 4_000_000_000
  const expectHits = (count: number) => expect.poll(() => stored(key), soon).toBe(String(count))
  await hit(service, 'huge', value, hits)
  await expectHits(hits)
  const first = await hit(service, 'huge', value, 0)
  expect(first.status).toBe(isOver ? 429 : 200)
  expect(first.resetSeconds).toBeGreaterThan(secondsOfMonth() - 5)
  const blocked = await operate(service, 'PUT', `${named('huge', value)}&seconds=3600`)
  expect(blocked).toMatchObject({ status: 200, counters: [{ unit: 'MONTH', hits }] })
  const refused = await hit(service, 'huge', value, 1)
  expect(refused.status).toBe(429)
  // A counter that is over its limit without the block passes nothing before its window ends.
  const wait = isOver ? Math.max(3_600, secondsOfMonth()) : 3_600
  expect(refused.resetSeconds).toBeGreaterThan(wait - 5)
  expect(refused.resetSeconds).toBeLessThan(wait + 5)
  await expect.poll(async () => Number(await stored(key)), soon).toBeGreaterThan(hits)
  const lifted = await operate(service, 'PUT', `${named('huge', value)}&seconds=0`)
  expect(lifted).toMatchObject({ counters: [{ unit: 'MONTH', hits: hits + 1 }], blockedUntil: null })
  await expectHits(hits + 1)
  expect((await hit(service, 'huge', value, 0)).status).toBe(isOver ? 429 : 200)
}

const named = (key: string, value: string) => `domain=shop&entry=${key}=${value}`
const soon = { interval: 100 }
/** For what comes at once or not at all. */
const brief = { interval: 100, timeout: 20_000 }

describe.skipIf(redisServer === null)('/counters over Redis (skipped without redis-server)', () => {
  let redis: RunningRedis
  let service: RunningRatelimit

  beforeAll(async () => {
    redis = await startRedis()
    const vars = {
      ...tcp,
      BACKEND_TYPE: 'redis',
      REDIS_URL: `127.0.0.1:${redis.port}`,
      REDIS_TIMEOUT: '2s',
      LOCAL_CACHE_SIZE_IN_BYTES: '100000',
    }
    service = await startRatelimit({ vars }, files)
  })
  afterAll(async () => {
    await service.stop()
    await redis.stop()
  })

  it('resets a counter: its key is gone, and this isolate no longer refuses from memory', async () => {
    for (let hit = 0; hit < 5; hit++) expect(await ask(service, 'tenant', 'a')).toBe(200)
    expect(await ask(service, 'tenant', 'a')).toBe(429)
    expect(await ask(service, 'tenant', 'a')).toBe(429)
    const told = await operate(service, 'DELETE', named('tenant', 'a'))
    expect(told).toMatchObject({ status: 200, forgotten: { counters: [{ unit: 'DAY', hits: 6 }] } })
    expect(await redis.client().keys('shop_tenant_a_*')).toEqual([])
    expect(await ask(service, 'tenant', 'a')).toBe(200)
  })

  it('blocks by raising the counter under its own key, and lifting leaves the hits', async () => {
    const key = `shop_tenant_b_${dayStart()}`
    expect(await ask(service, 'tenant', 'b')).toBe(200)
    const blocked = await operate(service, 'PUT', `${named('tenant', 'b')}&seconds=3600`)
    expect(blocked).toMatchObject({ status: 200, counters: [{ unit: 'DAY', hits: 1 }] })
    expect(blocked.blockedUntil).toBeGreaterThan(Date.now() / 1000)
    expect(Number(await redis.client().get(key))).toBe(redisRaise + 1)
    expect(await redis.client().ttl(key)).toBeGreaterThanOrEqual(secondsOfDay() - 1)
    expect(await ask(service, 'tenant', 'b')).toBe(429)
    expect(await operate(service, 'GET', named('tenant', 'b'))).toMatchObject({ counters: [{ hits: 2 }] })
    const lifted = await operate(service, 'PUT', `${named('tenant', 'b')}&seconds=0`)
    expect(lifted).toMatchObject({ counters: [{ hits: 2 }], blockedUntil: null })
    expect(await redis.client().get(key)).toBe('2')
    expect(await ask(service, 'tenant', 'b')).toBe(200)
  })

  it('raises once, however often it is asked, and lives to the end of the window without any hit', async () => {
    const key = `shop_tenant_c_${dayStart()}`
    for (const seconds of [600, 3600, 60]) await operate(service, 'PUT', `${named('tenant', 'c')}&seconds=${seconds}`)
    expect(Number(await redis.client().get(key))).toBe(redisRaise)
    const ttl = await redis.client().ttl(key)
    expect(ttl).toBeGreaterThan(0)
    expect(ttl).toBeLessThanOrEqual(86_400)
    await operate(service, 'PUT', `${named('tenant', 'c')}&seconds=0`)
    expect(await redis.client().keys('shop_tenant_c_*')).toEqual([])
  })

  it('ends a block by itself, with an over-limit cache as well', async () => {
    await endsByItself(service, service, 'd')
    await expect
      .poll(async () => Number(await redis.client().get(`shop_many_d_${dayStart()}`)), soon)
      .toBeLessThan(redisRaise)
    expect((await operate(service, 'GET', named('many', 'd'))).blockedUntil).toBeNull()
  })

  it('ends blocks while hits arrive: none of them stays refused for the rest of the day', async () => {
    const values = Array.from({ length: 40 }, (_, at) => `d${at}`)
    await Promise.all(values.map((value) => endsByItself(service, service, value, { interval: 1 })))
  })

  it('blocks every unit of a bare key, windows that have yet to come included', async () => {
    const key = 'key=shop_burst_e_'
    await operate(service, 'PUT', `${key}&seconds=60`)
    const began = Math.floor(Date.now() / 1000)
    expect((await redis.client().keys('shop_burst_e_*')).length).toBeGreaterThan(60)
    for (let turn = 0; Math.floor(Date.now() / 1000) < began + 2; turn++) {
      expect([turn, await ask(service, 'burst', 'e')]).toEqual([turn, 429])
    }
    expect((await operate(service, 'DELETE', key)).status).toBe(200)
    await expect.poll(() => ask(service, 'burst', 'e'), soon).toBe(200)
    const client = redis.client()
    const raised = async () => {
      const left = await client.keys('shop_burst_e_*')
      const values = await Promise.all(left.map((one) => client.get(one)))
      return values.filter((value) => Number(value) >= redisRaise).length
    }
    // A window of a second that ended while the block was lifted keeps its value until Redis drops it.
    await expect.poll(raised, soon).toBe(0)
  })

  it.each([600_000_000, 2 ** 39 + 5, 2 ** 41])('keeps a counter of %d hits through a block', async (hits) => {
    await holdsHugeCounts(service, `h${hits}`, hits, (key) => redis.client().get(key))
  })

  it('says what is wrong while Redis is unreachable, and works again afterwards', async () => {
    await redis.stop('SIGKILL')
    for (const [action, method, more] of [
      ['read', 'GET', ''],
      ['block', 'PUT', '&seconds=60'],
      ['reset', 'DELETE', ''],
    ] as const) {
      const told = await operate(service, method, `${named('tenant', 'f')}${more}`)
      expect(told).toMatchObject({ status: 503, error: { code: 'counter_unavailable' } })
      expect(told.error?.message).toMatch(new RegExp(`^Cannot ${action} a counter: .*(refused|lost|closed)`))
    }
    redis = await startRedis([], redis.port)
    await expect.poll(async () => (await operate(service, 'GET', named('tenant', 'f'))).status, soon).toBe(200)
    expect(await ask(service, 'tenant', 'f')).toBe(200)
  })
})

describe.skipIf(redisServer === null)('/counters over a Redis cluster (skipped without redis-server)', () => {
  it('raises and lowers every window on the node of its slot', async () => {
    const cluster = await startCluster()
    const vars = { ...tcp, BACKEND_TYPE: 'redis', REDIS_TYPE: 'cluster', REDIS_URL: cluster.url }
    const service = await startRatelimit({ vars }, files)
    const stored = () =>
      Promise.all(cluster.nodes.map(async (node) => (await node.client().keys('shop_tenant_a_*')).length))
    expect(await ask(service, 'tenant', 'a')).toBe(200)
    await operate(service, 'PUT', 'key=shop_tenant_a_&seconds=100')
    expect((await stored()).every((count) => count > 0)).toBe(true)
    expect(await ask(service, 'tenant', 'a')).toBe(429)
    const { forgotten } = await operate(service, 'DELETE', named('tenant', 'a'))
    expect(forgotten?.counters).toMatchObject([{ unit: 'DAY', hits: 2 }])
    // A window of a second that ended since it was raised is left to its time to live.
    await expect.poll(stored, soon).toEqual([0, 0, 0])
    expect(await ask(service, 'tenant', 'a')).toBe(200)
    await service.stop()
    await cluster.stop()
  })
})

// What memcached takes more than half a second for is lost, as the reference loses it: on a busy machine that happens,
// three times in a row it does not. Each try has other keys.
const memcachedTries = { retry: 2 }
const overMemcached = '/counters over memcached (skipped without memcached)'

describe.skipIf(memcachedServer === null)(overMemcached, memcachedTries, () => {
  let servers: RunningMemcached[]
  let service: RunningRatelimit

  beforeAll(async () => {
    servers = [await startMemcached(), await startMemcached()]
    const list = servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
    const vars = { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: list, LOCAL_CACHE_SIZE_IN_BYTES: '100000' }
    service = await startRatelimit({ vars }, files)
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(servers.map((server) => server.stop()))
  })

  const stored = async (key: string) => {
    const answer = (await servers[chooseServer(key, 2)]?.ask(`get ${key}`)) ?? ''
    return /\r\n(.*)\r\nEND\r\n$/.exec(answer)?.[1] ?? null
  }

  it('resets a counter', async () => {
    const tenant = randomUUID()
    const key = `shop_tenant_${tenant}_${dayStart()}`
    for (let hit = 1; hit <= 5; hit++) {
      expect(await ask(service, 'tenant', tenant)).toBe(200)
      await expect.poll(() => stored(key), brief).toBe(String(hit))
    }
    expect(await ask(service, 'tenant', tenant)).toBe(429)
    await expect.poll(() => stored(key), brief).toBe('6')
    const told = await operate(service, 'DELETE', named('tenant', tenant))
    expect(told).toMatchObject({ status: 200, forgotten: { counters: [{ unit: 'DAY', hits: 6 }] } })
    expect(await stored(key)).toBeNull()
    expect(await ask(service, 'tenant', tenant)).toBe(200)
  })

  it('blocks a counter that is there and one that is not; lifting leaves the hits in plain digits', async () => {
    for (const hits of [1, 0]) {
      const tenant = randomUUID()
      const key = `shop_tenant_${tenant}_${dayStart()}`
      if (hits === 1) await ask(service, 'tenant', tenant)
      await expect.poll(() => stored(key), brief).toBe(hits === 0 ? null : '1')
      const blocked = await operate(service, 'PUT', `${named('tenant', tenant)}&seconds=3600`)
      expect(blocked.blockedUntil).toBeGreaterThan(Date.now() / 1000)
      expect(await stored(key)).toBe(String(memcacheRaise + hits))
      expect(await ask(service, 'tenant', tenant)).toBe(429)
      await expect.poll(() => stored(key), brief).toBe(String(memcacheRaise + hits + 1))
      await operate(service, 'PUT', `${named('tenant', tenant)}&seconds=0`)
      expect(await stored(key)).toBe(String(hits + 1))
      expect(await ask(service, 'tenant', tenant)).toBe(200)
    }
  })

  it('ends a block by itself, with an over-limit cache as well', async () => {
    await endsByItself(service, service, 'd')
  })

  it.each([600_000_000, 1_500_000_000, 3_000_000_000])('keeps a counter of %d hits through a block', async (hits) => {
    await holdsHugeCounts(service, randomUUID(), hits, stored)
  })

  it('refuses a key that no server would take', async () => {
    const told = await operate(service, 'PUT', `key=${'k'.repeat(250)}&seconds=60`)
    expect(told).toMatchObject({ status: 400, error: { code: 'malformed_request' } })
  })

  it('says what is wrong while a server is unreachable', async () => {
    const gone = servers[chooseServer(`shop_tenant_g_${dayStart()}`, 2)]
    await gone?.stop('SIGKILL')
    for (const [action, method, more] of [
      ['read', 'GET', ''],
      ['block', 'PUT', '&seconds=60'],
      ['reset', 'DELETE', ''],
    ] as const) {
      const told = await operate(service, method, `${named('tenant', 'g')}${more}`)
      expect(told).toMatchObject({ status: 503, error: { code: 'counter_unavailable' } })
      expect(told.error?.message).toContain(`Cannot ${action} a counter: memcached 127.0.0.1:${gone?.port}: `)
    }
  })
})

/** Shortens a long block, so that the refusal cannot be missed on a slow machine. */
async function endsByItself(keeper: Service, asked: Service, value: string, every = soon): Promise<void> {
  await operate(keeper, 'PUT', `${named('many', value)}&seconds=3600`)
  expect(await ask(asked, 'many', value)).toBe(429)
  await operate(keeper, 'PUT', `${named('many', value)}&seconds=2`)
  await expect.poll(() => ask(asked, 'many', value), every).toBe(200)
}

const hasReference = referenceProgram !== null

describe.skipIf(!hasReference || redisServer === null)(
  'the reference service on the same Redis (skipped without RATELIMIT_REFERENCE, the path of its program)',
  () => {
    it('obeys a block, its end and a reset', async () => {
      const redis = await startRedis()
      const address = { REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${redis.port}` }
      const reference = await startReference(rules, address)
      const service = await startRatelimit({ vars: { ...address, BACKEND_TYPE: 'redis' } }, files)
      await obeys(service, reference)
      await reference.stop()
      await service.stop()
      await redis.stop()
    })
  },
)

describe.skipIf(!hasReference || memcachedServer === null)(
  'the reference service on the same memcached (skipped without RATELIMIT_REFERENCE, the path of its program)',
  memcachedTries,
  () => {
    it('obeys a block, its end and a reset', async () => {
      const server = await startMemcached()
      const address = { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: `127.0.0.1:${server.port}` }
      const reference = await startReference(rules, address)
      const service = await startRatelimit({ vars: address }, files)
      await obeys(service, reference)
      await reference.stop()
      await service.stop()
      await server.stop()
    })
  },
)

async function obeys(service: RunningRatelimit, reference: Service): Promise<void> {
  expect(await ask(reference, 'tenant', 'r')).toBe(200)
  await operate(service, 'PUT', `${named('tenant', 'r')}&seconds=3600`)
  expect(await ask(reference, 'tenant', 'r')).toBe(429)
  await operate(service, 'PUT', `${named('tenant', 'r')}&seconds=0`)
  expect(await ask(reference, 'tenant', 'r')).toBe(200)
  await endsByItself(service, reference, 'r')
  await expect.poll(() => ask(reference, 'tenant', 'r'), soon).toBe(429)
  await operate(service, 'DELETE', named('tenant', 'r'))
  expect(await ask(reference, 'tenant', 'r')).toBe(200)
}
