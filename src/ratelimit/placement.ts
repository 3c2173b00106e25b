/** Placement of counters: the object that counts a key. */

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
