/** The back ends of a deployment: which objects are asked, how many of them, and what their answers come to. */

import { describe, expect, it } from 'vitest'
import { drawCalls } from '#objects/ratelimit/back-end/lease-source.ts'
import { openBackEnd } from '#objects/ratelimit/back-end/store.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { leaseSource } from '#ratelimit/lease/source.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { backEndProblem, backEndStats } from '#workers/ratelimit/adapters/back-end.ts'
import { counterKeeper } from '#workers/ratelimit/adapters/counter-keeper.ts'

/** Namespaces that record which object was asked for what, and answer as a test says. */
function setUp(settings: Readonly<Record<string, string>>, answer: (name: string, method: string) => unknown) {
  const asked: string[] = []
  const namespace = (binding: string) => ({
    getByName: (name: string) =>
      new Proxy({} as Record<string, unknown>, {
        get: (_, method) => async () => {
          asked.push(`${binding} ${name} ${String(method)}`)
          return answer(name, String(method))
        },
      }),
  })
  const COUNTER = namespace('COUNTER')
  const REDIS = namespace('REDIS')
  const MEMCACHE = namespace('MEMCACHE')
  // Nothing else of the environment is read.
  const env = { COUNTER, REDIS, MEMCACHE } as unknown as RatelimitEnv
  return { asked, env, settings: readSettings(settings) }
}

const redis = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: '127.0.0.1:6379', REDIS_POOL_SIZE: '3' }
const memcache = { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: '127.0.0.1:11211' }
const ctx = { waitUntil: () => {} }
const hit = { key: 'shop_k_v_', unit: 'DAY', addend: 1, limit: 10 } as const

describe('openBackEnd()', () => {
  it('spreads requests over the members of a pool, and over no other object', async () => {
    const answer = () => ({ ok: true, value: [{ after: 1, secondsUntilReset: 1 }] })
    for (const [vars, binding, size] of [
      [redis, 'REDIS', 3],
      [memcache, 'MEMCACHE', 4],
    ] as const) {
      const { asked, env, settings } = setUp(vars, answer)
      const store = openBackEnd(env, settings, ctx)
      for (let at = 0; at < 300; at++) await store.hit([hit])
      const members = Array.from({ length: size }, (_, member) => `${binding} pool:${member} hit`)
      expect([...new Set(asked)].sort()).toEqual(members)
    }
  })

  it("answers a store's failure in the store's own words", async () => {
    const { env, settings } = setUp(redis, () => ({ ok: false, message: 'redis 127.0.0.1:6379: refused' }))
    await expect(openBackEnd(env, settings, ctx).peek([hit])).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'redis 127.0.0.1:6379: refused',
    })
  })

  it('fails when an object does not answer in time', async () => {
    const { env, settings } = setUp({ ...memcache, COUNTER_TIMEOUT: '20ms' }, () => new Promise(() => {}))
    await expect(openBackEnd(env, settings, ctx).hit([hit])).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'Cannot count: no answer within 20 ms',
    })
  })
})

describe('backEndProblem()', () => {
  it('asks one member, and every one where the setting says so', async () => {
    const answer = (name: string) => (name === 'pool:2' ? 'redis is away' : null)
    const one = setUp(redis, answer)
    expect(await backEndProblem(one.env, one.settings)).toBeNull()
    expect(one.asked).toEqual(['REDIS pool:0 problem'])
    const all = setUp({ ...redis, REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: 'true' }, answer)
    expect(await backEndProblem(all.env, all.settings)).toBe('redis is away')
    expect(all.asked.length).toBe(3)
  })

  it('asks no object where Durable Objects count', async () => {
    const { asked, env, settings } = setUp({}, () => 'away')
    expect([await backEndProblem(env, settings), asked]).toEqual([null, []])
  })
})

describe('backEndStats()', () => {
  it('adds up the connections of a pool, of both stores where there are two', async () => {
    const answer = (name: string) => ({
      pool: { active: 1, total: 10 },
      perSecondPool: name === 'pool:1' ? { active: 2, total: 5 } : null,
    })
    const { env, settings } = setUp(redis, answer)
    expect(await backEndStats(env, settings)).toEqual([
      { name: 'ratelimit.redis_pool.cx_active', value: 3 },
      { name: 'ratelimit.redis_pool.cx_total', value: 30 },
      { name: 'ratelimit.redis_per_second_pool.cx_active', value: 2 },
      { name: 'ratelimit.redis_per_second_pool.cx_total', value: 5 },
    ])
  })

  it('adds up what the members of the memcached pool count by name', async () => {
    const { env, settings } = setUp(memcache, (name) => [{ name: name === 'pool:0' ? 'a' : 'b', value: 2 }])
    expect(await backEndStats(env, settings)).toEqual([
      { name: 'a', value: 2 },
      { name: 'b', value: 6 },
    ])
  })
})

const sourceOf = (env: RatelimitEnv, settings: Settings) =>
  leaseSource(settings, drawCalls(env, settings), () => 1_700_000_000)

describe('leaseSource()', () => {
  const call = { object: 'pool:1', id: 1, holder: 2, draws: [] }

  it('asks the same member about a key, spreads keys, and gives the answer of the member', async () => {
    const { asked, env, settings } = setUp(redis, () => ({ ok: true, value: [9, 8, 7, 6, 5, 4] }))
    const source = sourceOf(env, settings)
    const objects = Array.from({ length: 200 }, (_, at) => source.objectOf(`key ${at}`))
    expect(objects).toEqual(Array.from({ length: 200 }, (_, at) => source.objectOf(`key ${at}`)))
    expect([...new Set(objects)].sort()).toEqual(['pool:0', 'pool:1', 'pool:2'])
    expect(await source.draw(call)).toEqual([
      { after: 9, windowStart: 8, millisecondsUntilReset: 7, granted: 6, outstanding: 5, faults: 4 },
    ])
    expect([asked, source.fallsBack]).toEqual([['REDIS pool:1 lease'], false])
  })

  it('has memcached fall back to plain hits, and leaves keys to them that it cannot hold', () => {
    const { env, settings } = setUp(memcache, () => null)
    const source = sourceOf(env, settings)
    expect(source.fallsBack).toBe(true)
    expect([source.canCount('k_', 'DAY'), source.canCount('k k_', 'DAY')]).toEqual([true, false])
    expect(source.canCount('k'.repeat(250), 'DAY')).toBe(false)
  })

  it("fails in the store's own words", async () => {
    const { env, settings } = setUp(redis, () => ({ ok: false, message: 'redis is away' }))
    await expect(sourceOf(env, settings).draw(call)).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'redis is away',
    })
  })
})

describe('counterKeeper()', () => {
  const reading = { counters: [], blockedUntil: null }

  it('asks the keeper of a shared store, and says what it could not do', async () => {
    const { asked, env, settings } = setUp(redis, (_, method) =>
      method === 'blockKey' ? { ok: false, message: 'redis is away' } : { ok: true, value: reading },
    )
    const keeper = counterKeeper(env, settings)
    expect([await keeper.read('k', null, []), await keeper.reset('k', 'DAY', [])]).toEqual([reading, reading])
    await expect(keeper.block('k', ['DAY'], 1)).rejects.toMatchObject({
      code: 'counter_unavailable',
      message: 'Cannot block a counter: redis is away',
    })
    expect(asked).toEqual(['REDIS blocks readKey', 'REDIS blocks resetKey', 'REDIS blocks blockKey'])
  })

  it('asks nothing about a key that memcached cannot hold', async () => {
    const { asked, env, settings } = setUp(memcache, () => ({ ok: true, value: reading }))
    const keeper = counterKeeper(env, settings)
    for (const key of ['a key', 'k'.repeat(250)]) {
      await expect(keeper.read(key, null, [])).rejects.toMatchObject({ code: 'malformed_request' })
    }
    expect(asked).toEqual([])
    expect(await keeper.read('k'.repeat(200), null, [])).toEqual(reading)
  })

  it('asks the object of the key where Durable Objects count', async () => {
    const { asked, env, settings } = setUp({}, () => reading)
    await counterKeeper(env, settings).read('shop_k_v_', null, [])
    expect(asked).toEqual(['COUNTER key:shop_k_v_ read'])
  })
})
