/**
 * Simulated load on counter objects: calls come at random moments, go to the object of their key as the product places
 * it, and wait there until the calls before them are done, because an object is one thread.
 */

import { createRandom, type Random } from '#base/random.ts'
import { nameObject } from '#ratelimit/placement.ts'
import type { KeyDraw } from './keys.ts'

/** Simulated calls and the objects that take them. */
export interface SimulatedLoad {
  /** Draw of the key of each call. */
  readonly keys: (random: Random) => KeyDraw
  /** The same seed is the same moments and keys. */
  readonly seed: number
  /** Number of objects that share the keys. */
  readonly shards: number
  /** Calls a second that one object answers. */
  readonly capacity: number
  /** Calls a second that come, on average. */
  readonly perSecond: number
  /** Number of simulated calls. */
  readonly calls: number
}

/** Waits of the calls. */
export interface SimulatedWaits {
  /** The part of all calls (0 to 1) that the busiest object answered. */
  readonly busiest: number
  /** Milliseconds from the call to its answer, the work of the object with it. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Plays the load once. */
export function simulate({ keys, seed, shards, capacity, perSecond, calls }: SimulatedLoad): SimulatedWaits {
  const serviceMs = 1000 / capacity
  const random = createRandom(seed, 'arrivals')
  const draw = keys(createRandom(seed, 'keys'))
  const placeOf = places(shards)
  const freeAtMs = new Map<string, number>()
  const answered = new Map<string, number>()
  const waits = new Float64Array(calls)
  let nowMs = 0
  for (let call = 0; call < calls; call++) {
    // Poisson: the time to the next call is exponential.
    nowMs += (-Math.log(1 - random.uniform()) / perSecond) * 1000
    const object = placeOf(draw())
    const doneMs = Math.max(nowMs, freeAtMs.get(object) ?? 0) + serviceMs
    freeAtMs.set(object, doneMs)
    answered.set(object, (answered.get(object) ?? 0) + 1)
    waits[call] = doneMs - nowMs
  }
  waits.sort()
  const at = (part: number) => waits[Math.floor(calls * part)] ?? Number.NaN
  return { busiest: Math.max(...answered.values()) / calls, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** The object of each key, worked out once. */
function places(shards: number): (key: number) => string {
  const known = new Map<number, string>()
  return (key) => {
    const found = known.get(key) ?? nameObject(`domain_key_k${key}_`, { kind: 'shard', shards })
    known.set(key, found)
    return found
  }
}

/**
 * Finds where the objects end: the most calls a second of which 99 in 100 are answered within a bound, to one part in
 * a hundred.
 */
export function findEnd(load: Omit<SimulatedLoad, 'perSecond'>, p99Ms: number): number {
  let [held, broken] = [0, load.capacity * load.shards * 1.2]
  while (broken - held > broken / 100) {
    const perSecond = (held + broken) / 2
    if (simulate({ ...load, perSecond }).p99Ms <= p99Ms) held = perSecond
    else broken = perSecond
  }
  return held
}
