/** Source of leases: the counters of a deployment, as a holder asks them. */

import { readAlgorithmKey } from '../algorithm/algorithm-key.ts'
import { stampedKey } from '../counter-key.ts'
import { isKey } from '../memcache/text.ts'
import { hashOf, memberNames, memcachePoolSize, nameObject } from '../placement.ts'
import type { Settings } from '../settings.ts'
import type { Unit } from '../types.ts'
import type { Draw, WireDraw } from './lease.ts'

/** One call of an object. */
export interface DrawCall {
  /** Of the object, as `objectOf` names it. */
  readonly object: string
  /** Names the call and its leases; random, 0 to 2^53 - 1. */
  readonly id: number
  /** Number of the isolate or the front that draws, the same in all of its calls. */
  readonly holder: number
  readonly draws: readonly WireDraw[]
}

/** Makes a call; one draw for each question. It rejects with RatelimitError counter_unavailable. */
export type CallDraws = (call: DrawCall) => Promise<readonly Draw[]>

/** The counters of a deployment, as leases are drawn from them. */
export interface LeaseSource {
  /** Names the object that is asked about a key; questions to one object travel together. */
  objectOf(key: string): string
  /** Tells whether leases of a key can be drawn; the hits of any other are asked one by one. */
  canCount(key: string, unit: Unit): boolean
  /** True where a hit is asked by itself when a draw fails: memcached then allows it, and a failed draw would refuse it. */
  readonly fallsBack: boolean
  readonly draw: CallDraws
}

/** Makes the source of the back end in use. */
export function leaseSource(settings: Settings, draw: CallDraws, nowSeconds: () => number): LeaseSource {
  const { BACKEND_TYPE: backend, placement } = settings
  if (backend === 'durable-object') {
    return { objectOf: (key) => nameObject(key, placement), canCount: () => true, fallsBack: false, draw }
  }
  // A key always has the same member of the pool, which holds its leases in memory.
  const names = memberNames(backend === 'redis' ? settings.REDIS_POOL_SIZE : memcachePoolSize)
  const objectOf = (key: string) => names[hashOf(key) % names.length] ?? ''
  // A rule with an algorithm is counted by a script of Redis, which has no leases.
  if (backend === 'redis')
    return { objectOf, canCount: (key) => readAlgorithmKey(key) === null, fallsBack: false, draw }
  // memcached bounds the length of a key; a window's stamp in it is as long as that of any other of its unit.
  const canCount = (key: string, unit: Unit) => isKey(stampedKey(key, unit, nowSeconds()))
  return { objectOf, canCount, fallsBack: true, draw }
}
