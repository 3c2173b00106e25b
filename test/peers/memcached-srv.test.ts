import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { memcachedServer, startMemcached } from '../support/memcached.ts'
import { freePort } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

/** Objects that share the connections of a deployment. */
const memcachePoolSize = 4

const rules = {
  'config.shop.yaml': 'domain: shop\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 5 } }]',
}

describe.skipIf(memcachedServer === null)('memcached found by a DNS service record (skipped without memcached)', () => {
  it('is used, and followed when the record changes', async () => {
    const [first, second] = [await startMemcached(), await startMemcached()]
    let port = first.port
    const asked: string[] = []
    const resolver = await startResolver((url) => {
      asked.push(url)
      return { Status: 0, Answer: [{ type: 33, data: `1 1 ${port} 127.0.0.1.` }] }
    })
    await bundleWorkers(['ratelimit'])
    const service = await startRatelimit(
      {
        vars: {
          BACKEND_TYPE: 'memcache',
          MEMCACHE_SRV: '_memcache._tcp.cache.example',
          MEMCACHE_SRV_REFRESH: '300ms',
          MEMCACHE_SRV_RESOLVER: resolver.url,
        },
      },
      rules,
    )
    const key = `shop_k_v_${Math.floor(Date.now() / 86_400_000) * 86_400}`
    await service.decide('shop', [[['k', 'v']]])
    await expect.poll(() => first.ask(`get ${key}`)).toContain('\r\n1\r\n')
    expect(asked[0]).toMatch(/name=_memcache\._tcp\.cache\.example&type=SRV$/)
    port = second.port
    const useSecond = async () => {
      await service.decide('shop', [[['k', 'v']]])
      return second.ask(`get ${key}`)
    }
    await expect.poll(useSecond, { interval: 200 }).toContain('VALUE')
    await service.stop()
    await Promise.all([first.stop(), second.stop(), resolver.stop()])
  })

  it('is looked up once by every member of the pool without MEMCACHE_SRV_REFRESH', async () => {
    const server = await startMemcached()
    const asked: string[] = []
    const resolver = await startResolver((url) => {
      asked.push(url)
      return { Status: 0, Answer: [{ type: 33, data: `1 1 ${server.port} 127.0.0.1.` }] }
    })
    await bundleWorkers(['ratelimit'])
    const vars = {
      BACKEND_TYPE: 'memcache',
      MEMCACHE_SRV: '_memcache._tcp.cache.example',
      MEMCACHE_SRV_RESOLVER: resolver.url,
    }
    const service = await startRatelimit({ vars }, rules)
    for (let hit = 0; hit < 60; hit++) await service.decide('shop', [[['k', `v${hit}`]]])
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThanOrEqual(memcachePoolSize)
    await service.stop()
    await Promise.all([server.stop(), resolver.stop()])
  })
})

/** A resolver that answers DNS over HTTPS in its JSON form, here without TLS. */
async function startResolver(answer: (url: string) => unknown) {
  const port = await freePort()
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/dns-json')
    response.end(JSON.stringify(answer(request.url ?? '')))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}/dns-query`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
