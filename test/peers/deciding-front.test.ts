/** Fronts that decide over live stores: counts as the reference keeps them, leases exact over two fronts, a store that is away. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { stampedKey } from '#ratelimit/counter-key.ts'
import { leaseStats } from '#ratelimit/statistics/names.ts'
import { type DecidingFront, startDecidingFront } from '../support/deciding-front.ts'
import { memcachedServer, startMemcached } from '../support/memcached.ts'
import { type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { frontToken, question } from '../support/ratelimit-servers.ts'
import { redisServer, startRedis } from '../support/redis.ts'

const limit = 500
const rules = `domain: shop
descriptors:
  - {key: plain, rate_limit: {unit: day, requests_per_unit: ${limit}}}
  - {key: leased, rate_limit: {unit: day, requests_per_unit: ${limit}}}
`

beforeAll(() => bundleWorkers(['ratelimit']))

/** A store that a test can ask and stop, and the settings that lead to it. */
interface Store {
  readonly vars: Readonly<Record<string, string>>
  /** The value of a key, as text. */
  read(key: string): Promise<string | null>
  stop(): Promise<void>
}

async function openRedis(): Promise<Store> {
  const redis = await startRedis()
  const vars = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${redis.port}` }
  return { vars, read: (key) => redis.client().get(key), stop: () => redis.stop() }
}

async function openMemcached(): Promise<Store> {
  const memcached = await startMemcached()
  const vars = { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: `127.0.0.1:${memcached.port}` }
  const read = async (key: string) => /\r\n(\d+)\r\nEND/.exec(await memcached.ask(`get ${key}`))?.[1] ?? null
  return { vars, read, stop: () => memcached.stop() }
}

const stores = [
  { name: 'Redis', program: redisServer, open: openRedis },
  { name: 'memcached', program: memcachedServer, open: openMemcached },
]

for (const { name, program, open } of stores) {
  describe.skipIf(program === null)(`fronts that decide over ${name} (skipped without its server)`, () => {
    let store: Store
    let service: RunningRatelimit
    let fronts: readonly DecidingFront[] = []
    beforeAll(async () => {
      store = await open()
      const vars = { ...store.vars, FRONT_TOKEN: frontToken, LEASES: 'shop.leased=on', FAILURE_POLICY: 'closed' }
      service = await startRatelimit({ vars }, { 'shop.yaml': rules })
      fronts = await Promise.all([0, 1].map(() => startDecidingFront(service.runtimeUrl)))
    })
    afterAll(async () => {
      await Promise.all(fronts.map((front) => front.stop()))
      await service.stop()
      await store.stop()
    })

    const ask = (front: number, key: string, value: string) =>
      fronts[front]?.client.decide(question('shop', [key, value])) ?? expect.fail('there is no front')
    const keyOf = (key: string, value: string) =>
      stampedKey(`shop_${key}_${value}_`, 'DAY', Math.floor(Date.now() / 1000))

    /** Asks each front so many times, four at once, and counts what is admitted. */
    async function press(times: number, key: string, value: string): Promise<number> {
      let admitted = 0
      const caller = async (front: number) => {
        for (let at = 0; at < times / 4; at++) if ((await ask(front, key, value)).status === 200) admitted += 1
      }
      await Promise.all([0, 0, 0, 0, 1, 1, 1, 1].map(caller))
      return admitted
    }

    it('count each hit in the key of the reference, and say what remains', async () => {
      for (let times = 1; times <= 6; times++) {
        const { statuses } = (await (await ask(times % 2, 'plain', 'a')).json()) as { statuses: readonly object[] }
        expect(statuses[0]).toMatchObject({ limitRemaining: limit - times })
        // The count of memcached is written after the answer.
        await expect.poll(() => store.read(keyOf('plain', 'a'))).toBe(`${times}`)
      }
    })

    it('admit no hit above the limit from leases of two fronts, most of them without a call', async () => {
      const admitted = await press(400, 'leased', 'b')
      expect(admitted).toBeLessThanOrEqual(limit)
      expect(admitted).toBeGreaterThanOrEqual(limit * 0.99)
      for (const { decider } of fronts) await decider.handOver()
      expect((await service.stats()).get(leaseStats.admitted)).toBeGreaterThan(100)
    })

    it('follow the failure policy while the store is unreachable', async () => {
      await store.stop()
      expect((await ask(0, 'plain', 'c')).status).toBe(429)
    })
  })
}
