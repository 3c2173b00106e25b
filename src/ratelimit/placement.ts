/** Placement of counters: the object that counts a key, and the objects that hold connections to a store. */

import type { Settings } from './settings.ts'

/** Names the object that counts a key: its own, or one of a fixed number of shards. */
export function objectNameOf(key: string, placement: Settings['placement']): string {
  return placement.kind === 'per-key' ? `key:${key}` : `shard:${hashOf(key) % placement.shards}/${placement.shards}`
}

/** FNV-1a over UTF-16 units: spreads keys evenly and gives the same shard in every isolate and release. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** The reference has no setting for how many clients share its memcached servers; each object is one. */
export const memcachePoolSize = 4

/** Names every member of a pool of connections to a store. */
export function memberNames(size: number): readonly string[] {
  return Array.from({ length: Math.max(1, size) }, (_, index) => `pool:${index}`)
}
