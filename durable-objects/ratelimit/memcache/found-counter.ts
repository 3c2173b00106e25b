/** One counter of a memcached server as it was read, to be changed only while it stays so. */

import { parseCounter } from '#ratelimit/memcache/counting.ts'
import { type Answer, encodeGets } from '#ratelimit/memcache/text.ts'

/** Sends one command to the server that holds a key; throws when the server does not answer, or answers an error. */
export type Ask = (key: string, command: Uint8Array) => Promise<Answer>

/** A counter that exists. */
export interface FoundCounter {
  readonly count: number
  /** 0 without a mark. */
  readonly flags: number
  /** To be named by `cas`, which changes nothing once another client has changed the counter. */
  readonly token: string
}

/** Reads a counter; null when the server does not have it. */
export async function findCounter(ask: Ask, key: string): Promise<FoundCounter | null> {
  const answer = await ask(key, encodeGets(key))
  if (answer.kind !== 'values') return null
  const text = answer.values.get(key)
  const token = answer.tokens.get(key)
  if (text === undefined || token === undefined) return null
  return { count: parseCounter(text), flags: answer.flags.get(key) ?? 0, token }
}
