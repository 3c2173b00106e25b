import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { memcachedServer, type RunningMemcached, startMemcached } from '../support/memcached.ts'
import { ratelimitCases, replayCase } from '../support/ratelimit-cases.ts'
import { type OpenStore, startService } from '../support/ratelimit-service.ts'
import { type RunningRedis, redisServer, startRedis } from '../support/redis.ts'
import { memcacheWireStore, redisWireStore, type WireCounterStore } from '../support/wire-counter-stores.ts'

const isMemcache = (one: (typeof ratelimitCases)[number]) => one.env.BACKEND_TYPE === 'memcache'
const redisCases = ratelimitCases.filter((one) => !isMemcache(one))
const memcacheCases = ratelimitCases.filter(isMemcache)
const codec = { readRequest, writeResponse }

describe.skipIf(redisServer === null)('every case of Redis on a real Redis (skipped without redis-server)', () => {
  let main: RunningRedis
  let perSecond: RunningRedis
  let store: WireCounterStore | undefined

  beforeAll(async () => {
    main = await startRedis()
    perSecond = await startRedis()
  })
  beforeEach(async () => {
    await Promise.all([main.client().flushall(), perSecond.client().flushall()])
  })
  afterEach(() => store?.close())
  afterAll(() => Promise.all([main.stop(), perSecond.stop()]))

  const open: OpenStore = (settings, now) => {
    const second = settings.REDIS_PERSECOND ? perSecond : null
    store = redisWireStore(main, second, { now, jitterSeconds: settings.EXPIRATION_JITTER_MAX_SECONDS })
    return store
  }

  it('there are more than 180 of them', () => {
    expect(redisCases.length).toBeGreaterThan(180)
  })

  it.each(redisCases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await replayCase(one, (begin) => startService(begin, codec, open))
  })
})

describe.skipIf(memcachedServer === null)(
  'every case of memcached on a real memcached (skipped without memcached)',
  () => {
    let server: RunningMemcached
    let store: WireCounterStore | undefined

    beforeEach(async () => {
      server = await startMemcached()
    })
    afterEach(async () => {
      store?.close()
      await server.stop()
    })

    const open: OpenStore = (settings, now) => {
      store = memcacheWireStore(server, { now, jitterSeconds: settings.EXPIRATION_JITTER_MAX_SECONDS })
      return store
    }

    it.each(memcacheCases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      await replayCase(one, (begin) => startService(begin, codec, open))
    })
  },
)
