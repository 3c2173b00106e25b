import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { parseAlgorithm } from '#ratelimit/algorithm/algorithm-key.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import type { Window } from '#ratelimit/counter.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import { algorithmCommands, readAlgorithmHits } from '#ratelimit/redis/algorithm-script.ts'
import { host } from '../support/host.ts'
import { must } from '../support/must.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { type RunningRedis, redisServer, startCluster, startRedis, startSentinels } from '../support/redis.ts'

const rules = {
  'config.shop.yaml': `domain: shop
descriptors:
  - key: tenant
    rate_limit: { unit: day, requests_per_unit: 5 }
  - key: burst
    rate_limit: { unit: second, requests_per_unit: 1000 }
  - key: many
    rate_limit: { unit: day, requests_per_unit: 100000 }
`,
}

const algorithmRules = {
  'config.shop.yaml': `domain: shop
descriptors:
  - key: quarter
    rate_limit: { unit: day, requests_per_unit: 2, sluice: { unit_multiplier: 2 } }
  - key: sliding
    rate_limit: { unit: hour, requests_per_unit: 3, sluice: { algorithm: sliding, charge: admitted } }
  - key: bucket
    rate_limit: { unit: hour, requests_per_unit: 1, sluice: { algorithm: token_bucket, burst: 4 } }
`,
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const dayStart = () => Math.floor(Date.now() / 86_400_000) * 86_400
const tcp = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', EXPIRATION_JITTER_MAX_SECONDS: '0' }

beforeAll(() => bundleWorkers(['ratelimit']))

describe.skipIf(redisServer === null)('a single Redis (skipped without redis-server)', () => {
  let redis: RunningRedis
  let service: RunningRatelimit

  beforeAll(async () => {
    redis = await startRedis(['--requirepass', 'open sesame'])
    const vars = { ...tcp, REDIS_URL: `127.0.0.1:${redis.port}`, REDIS_AUTH: 'open sesame', REDIS_TIMEOUT: '2s' }
    service = await startRatelimit({ vars }, rules)
  })
  afterAll(async () => {
    await service.stop()
    await redis.stop()
  })

  it('counts under the key of the reference, with its time to live', async () => {
    const startedMs = Date.now()
    expect((await service.decide('shop', [[['tenant', 'a']]])).statuses?.[0]?.limitRemaining).toBe(4)
    const client = redis.client()
    const key = `shop_tenant_a_${dayStart()}`
    expect(await client.get(key)).toBe('1')
    const left = await client.ttl(key)
    expect(left).toBeLessThanOrEqual(86_400)
    expect(left).toBeGreaterThanOrEqual(86_400 - Math.ceil((Date.now() - startedMs) / 1000))
  })

  it('sees what another client counted in the same layout', async () => {
    const client = redis.client()
    await client.incrby(`shop_tenant_b_${dayStart()}`, 4)
    expect((await service.decide('shop', [[['tenant', 'b']]])).status).toBe(200)
    expect((await service.decide('shop', [[['tenant', 'b']]])).status).toBe(429)
    expect(await client.get(`shop_tenant_b_${dayStart()}`)).toBe('6')
  })

  it('counts the same key twice in one request, the second seeing the first', async () => {
    const { statuses } = await service.decide('shop', [[['tenant', 'c']], [['tenant', 'c']]])
    expect(statuses?.map(({ limitRemaining }) => limitRemaining)).toEqual([4, 3])
  })

  it('loses nothing among many requests at once', async () => {
    // On a busy machine three hundred answers may take longer than the bound of the other tests.
    const patient = await startRatelimit(
      { vars: { ...tcp, REDIS_URL: `127.0.0.1:${redis.port}`, REDIS_AUTH: 'open sesame', REDIS_TIMEOUT: '60s' } },
      rules,
    )
    const asked = Array.from({ length: 300 }, () => patient.decide('shop', [[['many', 'x']]]))
    expect((await Promise.all(asked)).every(({ status }) => status === 200)).toBe(true)
    expect(await redis.client().get(`shop_many_x_${dayStart()}`)).toBe('300')
    await patient.stop()
  })

  it('fails within its bound while Redis is unreachable, and resumes without a restart', async () => {
    await redis.stop('SIGKILL')
    const refused = await service.decide('shop', [[['tenant', 'd']]])
    expect(refused.status).toBe(400)
    expect((await service.stats()).get('ratelimit.service.call.should_rate_limit.redis_error')).toBeGreaterThan(0)
    expect((await fetch(`${service.url}/healthcheck`)).status).toBe(500)
    redis = await startRedis(['--requirepass', 'open sesame'], redis.port)
    await expect.poll(async () => (await service.decide('shop', [[['tenant', 'd']]])).status).toBe(200)
    await expect.poll(async () => (await fetch(`${service.url}/healthcheck`)).status).toBe(200)
  })

  it('answers every call of a load in which Redis is killed, and resumes by itself', async () => {
    const answers: { status: number }[] = []
    let isOver = false
    const caller = async (name: string) => {
      while (!isOver) {
        const { status } = await service.decide('shop', [[['many', name]]])
        answers.push({ status })
      }
    }
    const load = Promise.all(['p', 'q', 'r', 's', 't', 'u', 'v', 'w'].map(caller))
    await pause(1_000)
    await redis.stop('SIGKILL')
    await pause(500)
    redis = await startRedis(['--requirepass', 'open sesame'], redis.port)
    await expect.poll(() => answers.slice(-8).every(({ status }) => status === 200)).toBe(true)
    isOver = true
    await load
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
  })

  it('answers within its bound while Redis is frozen', async () => {
    redis.program.child.kill('SIGSTOP')
    const { status } = await service.decide('shop', [[['tenant', 'e']]])
    redis.program.child.kill('SIGCONT')
    expect(status).toBe(400)
    await expect.poll(async () => (await service.decide('shop', [[['tenant', 'e']]])).status).toBe(200)
  })

  it('fails with a wrong password and does not show it', async () => {
    await service.restart({
      ...tcp,
      ADMIN_TOKEN: 'x',
      REDIS_URL: `127.0.0.1:${redis.port}`,
      REDIS_AUTH: 'wrong-secret',
    })
    const response = await fetch(`${service.url}/json`, {
      method: 'POST',
      body: '{"domain":"shop","descriptors":[{"entries":[{"key":"tenant","value":"a"}]}]}',
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toBe('Bad Request\n')
  })
})

describe.skipIf(redisServer === null)('a second Redis for limits of a second (skipped without redis-server)', () => {
  it('holds them and nothing else, behind a separate password', async () => {
    const [main, perSecond] = [await startRedis(), await startRedis(['--requirepass', 'by the second'])]
    const vars = {
      ...tcp,
      REDIS_URL: `127.0.0.1:${main.port}`,
      REDIS_PERSECOND: 'true',
      REDIS_PERSECOND_SOCKET_TYPE: 'tcp',
      REDIS_PERSECOND_TYPE: 'SINGLE',
      REDIS_PERSECOND_URL: `127.0.0.1:${perSecond.port}`,
      REDIS_PERSECOND_AUTH: 'by the second',
    }
    const service = await startRatelimit({ vars }, rules)
    const { statuses } = await service.decide('shop', [[['burst', 'x']], [['tenant', 'x']]])
    expect(statuses?.map(({ limitRemaining }) => limitRemaining)).toEqual([999, 4])
    // The key itself lives for a second, which a slow machine may miss.
    expect(await perSecond.client().info('commandstats')).toContain('cmdstat_incrby:calls=1,')
    expect(await main.client().info('commandstats')).toContain('cmdstat_incrby:calls=1,')
    expect(await main.client().keys('*')).toEqual([`shop_tenant_x_${dayStart()}`])
    await service.stop()
    await Promise.all([main.stop(), perSecond.stop()])
  })
})

describe.skipIf(redisServer === null)('Redis behind sentinels (skipped without redis-server)', () => {
  it('follows the master to another server', async () => {
    const sentinels = await startSentinels()
    const vars = { ...tcp, REDIS_TYPE: 'SENTINEL', REDIS_URL: sentinels.url, REDIS_TIMEOUT: '1s' }
    const service = await startRatelimit({ vars }, rules)
    expect((await service.decide('shop', [[['tenant', 's']]])).statuses?.[0]?.limitRemaining).toBe(4)
    await sentinels.master.stop('SIGKILL')
    await expect.poll(() => sentinels.masterPort()).toBe(sentinels.replica.port)
    await expect.poll(async () => (await service.decide('shop', [[['tenant', 's']]], 0)).status).toBe(200)
    expect(await sentinels.replica.client().get(`shop_tenant_s_${dayStart()}`)).toMatch(/^[1-9]/)
    await service.stop()
    await sentinels.stop()
  })
})

describe.skipIf(redisServer === null)('a Redis cluster (skipped without redis-server)', () => {
  it('counts every key on the node of its slot, and follows a slot that moved', async () => {
    const cluster = await startCluster()
    const service = await startRatelimit({ vars: { ...tcp, REDIS_TYPE: 'cluster', REDIS_URL: cluster.url } }, rules)
    const tenants = Array.from({ length: 30 }, (_, index) => `t${index * 7919}`)
    const { statuses } = await service.decide(
      'shop',
      tenants.map((tenant) => [['tenant', tenant]]),
    )
    expect(statuses?.every(({ limitRemaining }) => limitRemaining === 4)).toBe(true)
    const counts = await Promise.all(cluster.nodes.map(async (node) => (await node.client().keys('*')).length))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30)
    expect(counts.every((count) => count > 0)).toBe(true)
    await moveSlotOf(`shop_tenant_t0_${dayStart()}`, cluster.nodes)
    expect((await service.decide('shop', [[['tenant', 't0']]])).statuses?.[0]?.limitRemaining).toBe(3)
    await service.stop()
    await cluster.stop()
  })
})

/** Moves the slot of a key, with its keys, to another node, as `CLUSTER SETSLOT` describes. */
async function moveSlotOf(key: string, nodes: readonly RunningRedis[]): Promise<void> {
  const clients = nodes.map((node) => node.client())
  const slot = await clients[0]?.cluster('KEYSLOT', key)
  const owners = await Promise.all(
    clients.map(async (client) => (await client.cluster('GETKEYSINSLOT', slot ?? 0, 10)).length),
  )
  const from = owners.findIndex((count) => count > 0)
  const to = (from + 1) % nodes.length
  const [source, target] = [clients[from], clients[to]]
  if (source === undefined || target === undefined || slot === undefined) throw new Error('no such key')
  const ids = [await source.cluster('MYID'), await target.cluster('MYID')]
  await target.cluster('SETSLOT', slot, 'IMPORTING', ids[0] ?? '')
  await source.cluster('SETSLOT', slot, 'MIGRATING', ids[1] ?? '')
  const keys = await source.cluster('GETKEYSINSLOT', slot, 100)
  for (const moved of keys) await source.migrate('127.0.0.1', nodes[to]?.port ?? 0, moved, 0, 2_000)
  for (const client of clients) await client.cluster('SETSLOT', slot, 'NODE', ids[1] ?? '')
}

describe.skipIf(redisServer === null)('algorithms in Redis (skipped without redis-server)', () => {
  const redis = host(() => startRedis())
  const service = host(() => startRatelimit({ vars: { ...tcp, REDIS_URL: `127.0.0.1:${redis.port}` } }, algorithmRules))

  const statusesOf = async (key: string, addends: readonly number[]) => {
    const answers: unknown[] = []
    for (const addend of addends) {
      const { status, statuses } = await service.decide('shop', [[[key, 'a']]], addend)
      answers.push([status, statuses?.[0]?.limitRemaining ?? 0])
    }
    return answers
  }

  it('admit what Durable Objects admit, by one script on one hash', async () => {
    expect(await statusesOf('quarter', [1, 1, 1])).toEqual(
      [200, 200, 429].map((code, at) => [code, Math.max(0, 1 - at)]),
    )
    // A refused hit is not charged, so that a smaller one still passes.
    expect(await statusesOf('sliding', [2, 2, 1, 1])).toEqual([
      [200, 1],
      [429, 0],
      [200, 0],
      [429, 0],
    ])
    expect(await statusesOf('bucket', [3, 2, 1, 1])).toEqual([
      [200, 1],
      [429, 0],
      [200, 0],
      [429, 0],
    ])
    const client = redis.client()
    expect(await client.hget('shop_sliding_a_\nsliding 3600 admitted', 'h')).toBe('3')
    expect(await client.pttl('shop_bucket_a_\ntoken_bucket 3600 4')).toBeGreaterThan(4 * 3_600_000)
  })

  it('are read, blocked and forgotten by operators', async () => {
    const url = `${service.url}/counters?domain=shop&entry=bucket=b`
    const operate = async (method: string, query = '') => {
      const response = await fetch(`${url}${query}`, { method, headers: { authorization: `Bearer ${adminToken}` } })
      return response.json()
    }
    await statusesOf('bucket', [1])
    await service.decide('shop', [[['bucket', 'b']]], 2)
    expect(await operate('GET')).toMatchObject({ counters: [{ algorithm: 'token_bucket 3600 4', hits: 2 }] })
    await operate('PUT', '&seconds=60')
    expect((await service.decide('shop', [[['bucket', 'b']]])).status).toBe(429)
    await operate('DELETE')
    expect((await service.decide('shop', [[['bucket', 'b']]])).statuses?.[0]?.limitRemaining).toBe(3)
  })

  it('go from state to state as countHit() does', async () => {
    const client = redis.client()
    const random = createRandom(1, 'Redis')
    const texts = ['fixed 2', 'sliding 1', 'sliding 1 admitted', 'token_bucket 1 6', 'calendar day Asia/Kathmandu']
    for (const text of texts) {
      const algorithm = must(parseAlgorithm(text) ?? undefined)
      const key = `model_${text}\n${text}`
      let window: Window | undefined
      for (let step = 0; step < 200; step++) {
        const addend = random.integer(0, 3)
        const hit: CounterHit = { key, unit: 'MINUTE', limit: 5, addend, isRefund: random.uniform() < 0.2 }
        const { commands } = algorithmCommands(
          hit,
          { key, algorithm },
          { now: Math.floor(Date.now() / 1000), jitter: 0 },
        )
        const [name = '', ...values] = must(commands[0])
        const reply = (await client.call(name, ...values)) as string[]
        const nowMs = Number(reply[0])
        const signed = hit.isRefund === true ? -addend : addend
        const counted = countHit(algorithm, window, { addend: signed, limit: 5, nowMs })
        expect([text, step, readAlgorithmHits(reply, hit, algorithm).after]).toEqual([text, step, counted.after])
        window = counted.window ?? window
      }
    }
  })
})
