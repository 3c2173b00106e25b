/** A Redis that misbehaves: every call is answered within its bound, and no connection is left behind. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { encodeRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { callUnary } from '../../support/grpc-web-client.ts'
import {
  buildService,
  oneLimit,
  question,
  type ServiceClient,
  type Services,
  startServices,
} from '../../support/ratelimit-servers.ts'
import { inOrder, type Script, type ScriptedRedis, startScriptedRedis } from '../../support/scripted-redis.ts'

const poolSize = 2
const timeoutMs = 400
/** The bound that the settings give a call, and what a busy machine adds. */
const bearableMs = timeoutMs + 500 + 2_500

let redis: ScriptedRedis
let services: Services | undefined

beforeAll(async () => {
  await buildService()
  redis = await startScriptedRedis()
  const shared = {
    BACKEND_TYPE: 'redis',
    REDIS_SOCKET_TYPE: 'tcp',
    REDIS_URL: `127.0.0.1:${redis.port}`,
    REDIS_POOL_SIZE: String(poolSize),
    REDIS_TIMEOUT: `${timeoutMs}ms`,
  }
  services = await startServices([
    shared,
    { ...shared, REDIS_TYPE: 'cluster' },
    { ...shared, REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR: 'true' },
    { ...shared, REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: 'true' },
  ])
  for (const { load } of services.clients) expect(await load([oneLimit('shop', 'day', 100)])).toBeNull()
})

afterEach(() => redis.behave(inOrder(1)))

afterAll(async () => {
  await services?.stop()
  await redis.stop()
})

function client(place: number): ServiceClient {
  const one = services?.clients[place]
  if (one === undefined) throw new Error('the service did not start')
  return one
}

const single = 0
const cluster = 1
const closing = 2
const checking = 3

async function ask(place: number): Promise<{ status: number; tookMs: number }> {
  const began = Date.now()
  const response = await client(place).decide(question('shop', ['k', 'v']))
  await response.text()
  return { status: response.status, tookMs: Date.now() - began }
}

/** Asks often and at once; every answer must be a 400 within the bound. */
async function expectRefusals(place: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(place)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
  expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(bearableMs)
}

async function expectRecovery(place: number): Promise<void> {
  redis.behave(inOrder(1))
  await expect.poll(async () => (await ask(place)).status).toBe(200)
  // Closing takes a moment; what is open then is the pools of the three services at the most.
  await expect.poll(() => redis.connections().open).toBeLessThanOrEqual(3 * poolSize)
  expect((await client(place).stats())['ratelimit.redis_pool.cx_active']).toBeLessThanOrEqual(poolSize)
}

const hits: (misbehave: Script) => Script = (misbehave) => (command) =>
  command[0] === 'INCRBY' || command[0] === 'EXPIRE' ? misbehave(command) : inOrder(1)(command)

const faults: readonly (readonly [string, Script])[] = [
  ['answers READONLY', () => ({ text: "-READONLY You can't write against a read only replica.\r\n" })],
  ['answers an error of its own', () => ({ text: '-OOM command not allowed\r\n' })],
  ['answers what is not an integer', () => ({ text: '+yes\r\n' })],
  ['answers garbage', () => ({ text: 'HTTP/1.1 400 Bad Request\r\n\r\n' })],
  ['never answers', () => ({ text: null })],
  ['answers half a reply', () => ({ text: ':1' })],
  ['answers too late', () => ({ text: ':1\r\n', afterMs: 700 })],
  ['hangs up', () => ({ text: null, close: true })],
  ['hangs up in the middle of a reply', () => ({ text: '$100\r\nabc', close: true })],
]

describe('a Redis that misbehaves', () => {
  it.each(faults)('%s: 400 within the bound, no connection left behind, then decisions again', async (_, fault) => {
    redis.behave(hits(fault))
    await expectRefusals(single)
    await expectRecovery(single)
  })

  it('gives its own words to a caller over gRPC, as the reference does', async () => {
    redis.behave(hits(() => ({ text: '-READONLY not here\r\n' })))
    const message = encodeRequest({
      domain: 'shop',
      descriptors: [{ entries: [{ key: 'k', value: 'v' }] }],
      hitsAddend: 1,
    })
    const { status } = await callUnary(fetch, { baseUrl: client(single).url, path: shouldRateLimitPath, message })
    expect(status).toEqual({ code: 2, message: 'READONLY not here' })
  })

  it('refuses to greet: 400, and no more attempts than the back-off allows', async () => {
    redis.behave(() => ({ text: '-NOAUTH Authentication required.\r\n', close: true }))
    const before = redis.connections().total
    for (let turn = 0; turn < 5; turn++) await expectRefusals(single)
    expect(redis.connections().total - before).toBeLessThan(40)
    await expectRecovery(single)
  })

  it('is disconnected and connected anew after READONLY where the setting asks for it', async () => {
    await expectRecovery(closing)
    const before = redis.connections().total
    redis.behave(hits(() => ({ text: '-READONLY not here\r\n' })))
    expect((await ask(closing)).status).toBe(400)
    expect((await ask(closing)).status).toBe(400)
    await expectRecovery(closing)
    expect(redis.connections().total).toBeGreaterThan(before)
  })
})

describe('a cluster that misbehaves', () => {
  const slots = () => {
    const port = String(redis.port)
    return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:${port}\r\n`
  }
  const inCluster: (misbehave: Script) => Script = (misbehave) => (command) =>
    command[0] === 'CLUSTER' ? { text: slots() } : hits(misbehave)(command)

  it('moves a slot round and round, slowly: 400 within the bound', async () => {
    const moved = () => ({ text: `-MOVED 1 127.0.0.1:${redis.port}\r\n`, afterMs: 150 })
    redis.behave(inCluster(moved))
    const { status, tookMs } = await ask(cluster)
    expect(status).toBe(400)
    expect(tookMs).toBeLessThan(bearableMs)
  })

  it('names a node that is not there: 400 within the bound', async () => {
    redis.behave(inCluster(() => ({ text: '-MOVED 1 127.0.0.1:1\r\n' })))
    const { status, tookMs } = await ask(cluster)
    expect(status).toBe(400)
    expect(tookMs).toBeLessThan(bearableMs)
  })

  it('describes no slots: 400, then decisions again', async () => {
    redis.behave(() => ({ text: '+PONG\r\n' }))
    expect((await ask(cluster)).status).toBe(400)
    redis.behave(inCluster(inOrder(1)))
    await expect.poll(async () => (await ask(cluster)).status).toBe(200)
    await expect.poll(() => redis.connections().open).toBeLessThanOrEqual(3 * poolSize)
  })
})

describe('/counters with Redis', () => {
  /** As `inOrder`; the script that reads a counter and its mark gets both, the mark being absent. */
  const stored =
    (count: number): Script =>
    (command) => {
      const isRead = command[0] === 'EVAL' && command[1]?.startsWith('return {') === true
      return isRead ? { text: `*2\r\n$${`${count}`.length}\r\n${count}\r\n$0\r\n\r\n` } : inOrder(count)(command)
    }

  const path = '/counters?domain=shop&entry=k=v'

  it('reads what the store holds', async () => {
    redis.behave(stored(7))
    const body = (await (await client(single).operate(path)).json()) as { counters: readonly unknown[] }
    expect(body.counters).toContainEqual(expect.objectContaining({ unit: 'DAY', hits: 7 }))
  })

  it.each([
    ['read', 'GET', path],
    ['block', 'PUT', `${path}&seconds=60`],
    ['reset', 'DELETE', path],
  ])("cannot %s while the store refuses: 503 with the store's own words", async (action, method, target) => {
    redis.behave(([name = '']) => ({ text: name === 'PING' ? '+PONG\r\n' : '-READONLY not here\r\n' }))
    const refused = await client(single).operate(target, { method })
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { code: 'counter_unavailable', message: `Cannot ${action} a counter: READONLY not here` } },
    ])
    redis.behave(stored(1))
    expect(await (await client(single).operate(path)).json()).toMatchObject({ blockedUntil: null })
  })

  it('lifts by itself what a refused block may have raised', async () => {
    const told: string[] = []
    const failing: Script = (command) => {
      if (command[0] !== 'EVAL') return { text: ':0\r\n' }
      return { text: '-OOM command not allowed\r\n' }
    }
    redis.behave(failing)
    expect((await client(single).operate(`${path}&seconds=60`, { method: 'PUT' })).status).toBe(503)
    redis.behave((command) => {
      if (command[0] === 'EVAL') told.push(command[1] ?? '')
      return inOrder(1)(command)
    })
    await expect.poll(() => told.length).toBeGreaterThan(0)
    expect(told.every((script) => script.includes('DECRBY'))).toBe(true)
  })
})

describe('/healthcheck with REDIS_HEALTH_CHECK_ACTIVE_CONNECTION', () => {
  it('needs every connection of the pool, and that each answers in order', async () => {
    const check = async () => (await fetch(`${client(checking).url}/healthcheck`)).status
    const before = redis.connections().total
    expect(await check()).toBe(200)
    expect(redis.connections().total - before).toBeGreaterThanOrEqual(poolSize)
    redis.behave(() => ({ text: '-LOADING Redis is loading the dataset in memory\r\n' }))
    expect(await check()).toBe(500)
    redis.behave(() => ({ text: null, close: true }))
    expect(await check()).toBe(500)
    redis.behave(inOrder(1))
    await expect.poll(check).toBe(200)
  })
})
