/** The cache of the edge: answers under addresses that show nothing of their keys. */

import { afterEach, describe, expect, test, vi } from 'vitest'
import { openEdgeCache } from '#workers/streamnet/adapters/edge-cache.ts'

describe('openEdgeCache()', () => {
  afterEach(() => vi.unstubAllGlobals())
  const answer = { body: new Uint8Array([1]), etag: '"e"', term: 'permanent' as const }

  test('is undefined on a platform without a cache', () => {
    vi.stubGlobal('caches', undefined)
    expect(openEdgeCache()).toBeUndefined()
  })

  test('is without the answer where the cache fails, holds nothing or holds something else', async () => {
    const failing = () => Promise.reject(new Error('no cache today'))
    const others = [failing, async () => undefined, async () => new Response('x')]
    for (const match of others) {
      vi.stubGlobal('caches', { default: { match, put: failing } })
      const cache = openEdgeCache()
      await cache?.put('key', answer, 1)
      expect(await cache?.get('key')).toBeUndefined()
    }
  })

  test('keeps an answer under an address that shows nothing of its key', async () => {
    const kept = new Map<string, Response>()
    vi.stubGlobal('caches', {
      default: {
        match: async (address: string) => kept.get(address)?.clone(),
        put: async (address: string, response: Response) => void kept.set(address, response),
      },
    })
    const cache = openEdgeCache()
    await cache?.put('the key', answer, 7)
    expect(await cache?.get('the key')).toEqual(answer)
    expect(await cache?.get('another')).toBeUndefined()
    const [[address, response] = []] = [...kept]
    expect(address).toMatch(/^https:\/\/streamnet-answers\.invalid\/[0-9a-f]{64}$/)
    expect(response?.headers.get('cache-control')).toBe('public, max-age=7')
  })
})
