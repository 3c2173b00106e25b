/** Placement of counters: the object that counts a key and its place, and the objects that hold connections to a store. */

import { descriptorKey } from './algorithm/algorithm-key.ts'
import { type CounterPlaces, findPlace, type Place } from './placement/places.ts'

/** Objects of counters: one for each key, or a fixed number for all keys; and their places. */
export type Placement = ({ readonly kind: 'per-key' } | { readonly kind: 'shard'; readonly shards: number }) & {
  readonly places?: CounterPlaces
}

/**
 * Names the object that counts a key: its own, or one of a fixed number of shards. All counters of a descriptor have
 * the same one.
 *
 * A place is written in front of the name, and `readObjectName` reads it. Domains with different hints have different
 * shards, because one shard is in one place.
 */
export function nameObject(key: string, placement: Placement): string {
  const descriptor = descriptorKey(key)
  const name =
    placement.kind === 'per-key'
      ? `key:${descriptor}`
      : `shard:${hashOf(descriptor) % placement.shards}/${placement.shards}`
  const { places = [] } = placement
  if (places.length === 0) return name
  const { jurisdiction, hint } = findPlace(descriptor, places)
  return jurisdiction === null && hint === null ? name : `in:${jurisdiction ?? ''}+${hint ?? ''} ${name}`
}

/** Tells whether one object counts all of these keys. */
export function isOneObject(hits: readonly { readonly key: string }[], placement: Placement): boolean {
  const [first, ...others] = hits
  const name = first && nameObject(first.key, placement)
  return others.every(({ key }) => nameObject(key, placement) === name)
}

/** An object by the name of `nameObject`: its own name, and its place. */
interface PlacedObject extends Place {
  readonly name: string
}

/** Reads a name of `nameObject`. The hint of a shard stays in its name; that of a key moves no counter. */
export function readObjectName(text: string): PlacedObject {
  // Every decision passes here, and most names have no place.
  if (!text.startsWith('in:')) return { name: text, jurisdiction: null, hint: null }
  const [, jurisdiction = '', hint = '', name = text] = /^in:([^ +]*)\+([^ +]*) (.*)$/s.exec(text) ?? []
  const own = hint !== '' && name.startsWith('shard:') ? `${hint} ${name}` : name
  // Both words are of `Place`, because `nameObject` wrote them.
  return {
    name: own,
    jurisdiction: (jurisdiction || null) as Place['jurisdiction'],
    hint: (hint || null) as Place['hint'],
  }
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
