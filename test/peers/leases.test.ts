/** Leases over real stores: two services, and instances of the reference, together admit no hit above a limit. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stampedKey } from '#ratelimit/counter-key.ts'
import { host } from '../support/host.ts'
import { memcachedServer, type RunningMemcached, startMemcached } from '../support/memcached.ts'
import { type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { type RunningRedis, redisServer, startRedis } from '../support/redis.ts'
import { referenceProgram, startReference } from '../support/reference-service.ts'

const limit = 500
const rules = `domain: shop
descriptors:
  - {key: day, rate_limit: {unit: day, requests_per_unit: ${limit}}}
`

/** Asks `/json` so many times, eight at once. @returns how many were admitted. */
async function press(url: string, times: number, value: string): Promise<number> {
  const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'day', value }] }] })
  let [left, admitted] = [times, 0]
  const caller = async () => {
    while (left-- > 0) {
      const response = await fetch(`${url}/json`, { method: 'POST', body })
      await response.arrayBuffer()
      if (response.status === 200) admitted += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  return admitted
}

function keyOf(value: string): string {
  return stampedKey(`shop_day_${value}_`, 'DAY', Math.floor(Date.now() / 1000))
}

/** Starts two services that share a store, each with leases in an isolate. */
function startTwo(vars: Readonly<Record<string, string>>): Promise<RunningRatelimit[]> {
  const start = () => startRatelimit({ vars: { LEASES: 'on', ...vars } }, { 'shop.yaml': rules })
  return Promise.all([start(), start()])
}

/** Calls for leases that were not answered. */
async function lostCalls(service: RunningRatelimit): Promise<number> {
  return (await service.stats()).get('ratelimit.leases.lost') ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

describe.skipIf(redisServer === null)('leases over Redis (skipped without redis-server)', () => {
  let redis: RunningRedis
  let services: RunningRatelimit[] = []
  beforeAll(async () => {
    redis = await startRedis()
    services = await startTwo({ BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${redis.port}` })
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await redis.stop()
  })

  it('admit exactly the limit over two services, most hits without a command', async () => {
    // Each asks for more than the limit, so that neither ends with a lease that it has not used up.
    expect(sum(await Promise.all(services.map(({ url }) => press(url, 900, 'a'))))).toBe(limit)
    const [first] = services
    expect((await first?.stats())?.get('ratelimit.leases.admitted')).toBeGreaterThan(50)
  })

  it('give back what is not used, so that the counter is what was admitted', async () => {
    await Promise.all(services.map(({ url }) => press(url, 60, 'b')))
    await expect.poll(() => redis.client().get(keyOf('b')), { interval: 500 }).toBe('120')
    expect(await redis.client().ttl(keyOf('b'))).toBeGreaterThan(0)
  })

  describe.skipIf(referenceProgram === null)('beside the reference (skipped without RATELIMIT_REFERENCE)', () => {
    const reference = host(() =>
      startReference(rules, { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${redis.port}` }),
    )

    it('admit no hit above the limit together, and miss at most 1 %', async () => {
      for (const value of ['c', 'd', 'e']) {
        const urls = [reference.url, ...services.map(({ url }) => url)]
        // As above: a service that was admitted each time would keep what is left of its last lease.
        const admitted = sum(await Promise.all(urls.map((url) => press(url, limit + 100, value))))
        expect(admitted).toBeLessThanOrEqual(limit)
        expect(admitted).toBeGreaterThanOrEqual(limit * 0.99)
      }
    })
  })
})

describe.skipIf(memcachedServer === null)('leases over memcached (skipped without memcached)', () => {
  let memcached: RunningMemcached
  let services: RunningRatelimit[] = []
  beforeAll(async () => {
    memcached = await startMemcached()
    services = await startTwo({ BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: `127.0.0.1:${memcached.port}` })
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await memcached.stop()
  })

  it('admit no hit above the limit over two services, which the plain path does not promise', async () => {
    const lost = async () => sum(await Promise.all(services.map(lostCalls)))
    let admitted = 0
    for (const value of ['a', 'd', 'e', 'f', 'g']) {
      const before = await lost()
      // As above: each asks for more than the limit.
      admitted = sum(await Promise.all(services.map(({ url }) => press(url, 900, value))))
      // Where memcached has not answered in time, the plain path lets hits through: another key is tried.
      if ((await lost()) === before) break
    }
    expect(admitted).toBeLessThanOrEqual(limit)
    expect(admitted).toBeGreaterThanOrEqual(limit * 0.99)
  })

  it('give back what is not used, in a form that the reference reads', async () => {
    await Promise.all(services.map(({ url }) => press(url, 60, 'b')))
    await expect
      .poll(() => memcached.ask(`get ${keyOf('b')}`), { interval: 500 })
      .toMatch(/^VALUE \S+ 0 3\r\n120\r\nEND/)
  })

  it('leave it to the plain path while no server answers', async () => {
    const { port } = memcached
    await memcached.stop()
    expect(await press(services[0]?.url ?? '', 20, 'c')).toBe(20)
    memcached = await startMemcached(port)
    await expect.poll(() => press(services[0]?.url ?? '', 1, 'c'), { interval: 500 }).toBe(1)
  })
})

describe.skipIf(redisServer === null)('leases while Redis is away (skipped without redis-server)', () => {
  it('answer an error where no share covers a hit, count what was lost, and go on afterwards', async () => {
    let redis = await startRedis()
    const { port } = redis
    const address = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${port}` }
    const service = await startRatelimit({ vars: { LEASES: 'on', ...address } }, { 'shop.yaml': rules })
    const statusOf = async (value: string) => (await service.decide('shop', [[['day', value]]])).status
    expect(await statusOf('f')).toBe(200)
    await redis.stop()
    expect(await statusOf('f')).toBe(400)
    expect((await service.stats()).get('ratelimit.leases.lost')).toBeGreaterThan(0)
    redis = await startRedis([], port)
    await expect.poll(() => statusOf('f'), { interval: 200 }).toBe(200)
    await service.stop()
    await redis.stop()
  })
})
