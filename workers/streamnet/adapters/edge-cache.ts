/**
 * Answers that never change, kept by the platform's cache where it has one: shared by the isolates of a data centre.
 *
 * Only what the caller of this file has found to be the same for all callers goes in, and an answer comes out only
 * for a caller who has been allowed to have it. Where there is no such cache nothing is kept, and nothing else is
 * different.
 */

import { encodeHex } from '#base/hex.ts'
import type { StoredAnswer } from './answer-cache.ts'

/** Answers by key. */
export interface EdgeCache {
  get(key: string): Promise<StoredAnswer | undefined>
  /** Stores an answer for so many seconds at most. */
  put(key: string, answer: StoredAnswer, seconds: number): Promise<void>
}

/** The cache of this data centre; `undefined` where the platform has none. */
export function openEdgeCache(): EdgeCache | undefined {
  return typeof caches === 'undefined' ? undefined : wrap(caches.default)
}

function wrap(cache: Cache): EdgeCache {
  return {
    async get(key) {
      try {
        const stored = await cache.match(await makeAddress(key))
        const etag = stored?.headers.get('etag')
        if (!stored || !etag) return undefined
        return { body: new Uint8Array(await stored.arrayBuffer()), etag, term: 'permanent' }
      } catch {
        // A cache that fails is a cache without the answer.
        return undefined
      }
    },
    async put(key, { body, etag }, seconds) {
      const headers = { etag, 'cache-control': `public, max-age=${seconds}` }
      try {
        await cache.put(await makeAddress(key), new Response(body, { headers }))
      } catch {
        // Nothing is lost but the time that it would have saved.
      }
    },
  }
}

/** An address under which no request from outside can come: its host does not exist (RFC 6761 section 6.4). */
async function makeAddress(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return `https://streamnet-answers.invalid/${encodeHex(new Uint8Array(digest))}`
}
