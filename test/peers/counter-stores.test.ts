/** Our commands for Redis and memcached owe, on the real servers, what every counter store owes. */

import { afterAll, beforeAll, describe } from 'vitest'
import { testCounterStore } from '../contracts/counter-store.ts'
import { memcachedServer, type RunningMemcached, startMemcached } from '../support/memcached.ts'
import { type RunningRedis, redisServer, startRedis } from '../support/redis.ts'
import { memcacheWireStore, redisWireStore, type WireCounterStore } from '../support/wire-counter-stores.ts'

const options = { now: () => Math.floor(Date.now() / 1000), jitterSeconds: 0 }

function opened(store: WireCounterStore | undefined): WireCounterStore {
  if (store === undefined) throw new Error('the server did not start')
  return store
}

describe.skipIf(redisServer === null)('on a real Redis (skipped without redis-server)', () => {
  let server: RunningRedis | undefined
  let store: WireCounterStore | undefined

  beforeAll(async () => {
    server = await startRedis()
    store = redisWireStore(server, null, options)
  })
  afterAll(async () => {
    store?.close()
    await server?.stop()
  })

  testCounterStore({ name: 'Redis', create: () => opened(store) })
})

describe.skipIf(memcachedServer === null)('on a real memcached (skipped without memcached)', () => {
  let server: RunningMemcached | undefined
  let store: WireCounterStore | undefined

  beforeAll(async () => {
    server = await startMemcached()
    store = memcacheWireStore(server, options)
  })
  afterAll(async () => {
    store?.close()
    await server?.stop()
  })

  testCounterStore({ name: 'memcached', create: () => opened(store), judgesOnOldValues: true, most: 2 ** 31 - 1 })
})
