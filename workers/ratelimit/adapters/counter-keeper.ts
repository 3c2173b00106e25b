/** CounterKeeper over the back ends: one key read, reset and blocked by hand, in any back end. */

import { counterAt } from '#objects/ratelimit/back-end/counter-at.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { keeperName } from '#objects/ratelimit/operator-counters.ts'
import type { StoreAnswer } from '#objects/ratelimit/store-answer.ts'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import { stampedKey } from '#ratelimit/counter-key.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { isKey, maxKeyBytes } from '#ratelimit/memcache/text.ts'
import { nameObject } from '#ratelimit/placement.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { Unit } from '#ratelimit/types.ts'

/**
 * Operations of an operator on one key.
 *
 * Every operation throws RatelimitError: `counter_unavailable` when the back end does not answer, with its own words,
 * `malformed_request` for a key that it cannot hold.
 */
interface CounterKeeper {
  /**
   * @param unit - that of the key's rule, where it is known: keys of a shared store have none.
   * @param looks - counters of algorithms that the key may have.
   */
  read(key: string, unit: Unit | null, looks: readonly CounterHit[]): Promise<KeyReading>
  /** Forgets counters and block. @returns what was there. */
  reset(key: string, unit: Unit | null, looks: readonly CounterHit[]): Promise<KeyReading>
  /** Refuses every hit until a moment (Unix seconds); a shared store needs the units, an object blocks the key. */
  block(key: string, units: readonly Unit[], until: number): Promise<KeyReading>
}

/** Makes the keeper of one request, for the back end in use. */
export function counterKeeper(env: RatelimitEnv, { BACKEND_TYPE: backend, placement }: Settings): CounterKeeper {
  if (backend === 'redis') return sharedKeeper(() => env.REDIS.getByName(keeperName), acceptKey)
  if (backend === 'memcache') return sharedKeeper(() => env.MEMCACHE.getByName(keeperName), assertMemcacheKey)
  const object = (key: string) => counterAt(env.COUNTER, nameObject(key, placement))
  return {
    read: (key, _, looks) => object(key).read(key, looks),
    reset: (key, _, looks) => object(key).reset(key, looks),
    block: (key, _, until) => object(key).block(key, until),
  }
}

/** Interface of the objects of both stores. */
interface SharedObject {
  readKey(key: string, unit: Unit | null, looks: readonly CounterHit[]): Promise<StoreAnswer<KeyReading>>
  resetKey(key: string, unit: Unit | null, looks: readonly CounterHit[]): Promise<StoreAnswer<KeyReading>>
  blockKey(key: string, units: readonly Unit[], until: number): Promise<StoreAnswer<KeyReading>>
}

function sharedKeeper(object: () => SharedObject, assertKey: (key: string) => void): CounterKeeper {
  const ask = async (action: string, key: string, call: () => Promise<StoreAnswer<KeyReading>>) => {
    assertKey(key)
    const answer = await call()
    if (answer.ok) return answer.value
    throw new RatelimitError('counter_unavailable', `Cannot ${action} a counter: ${answer.message}`)
  }
  return {
    read: (key, unit, looks) => ask('read', key, () => object().readKey(key, unit, looks)),
    reset: (key, unit, looks) => ask('reset', key, () => object().resetKey(key, unit, looks)),
    block: (key, units, until) => ask('block', key, () => object().blockKey(key, units, until)),
  }
}

/** Redis takes any key. */
function acceptKey(): void {}

function assertMemcacheKey(key: string): void {
  // Today's stamps of the shortest windows are the longest that there are.
  if (isKey(stampedKey(key, 'SECOND', Math.floor(Date.now() / 1000)))) return
  throw new RatelimitError(
    'malformed_request',
    `Cannot find a counter: memcached takes no key of more than ${maxKeyBytes} bytes with its window, nor one with white space`,
  )
}
