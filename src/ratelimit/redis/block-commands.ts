/** The Redis commands of an operator on one counter: read it with its mark, raise it for a block, lower it, forget it. */

import { redisRaise, type StoredCount, type StoreWindow, secondsToLive } from '../store-block.ts'
import { type HitCommands, readCount } from './commands.ts'
import { markerKey } from './marker.ts'
import type { Reply } from './resp.ts'

/**
 * Raises a counter once, and lets it and its mark live to the end of its window at the least.
 *
 * KEYS[1] the counter, KEYS[2] its mark. ARGV[1] what to add, ARGV[2] seconds to live.
 */
const raiseScript =
  "local c=tonumber(redis.call('GET',KEYS[1]) or '0') local m=redis.call('EXISTS',KEYS[2]) " +
  "if not (c>=ARGV[1]/2 and m==1) then redis.call('INCRBY',KEYS[1],ARGV[1]) end " +
  "redis.call('SET',KEYS[2],ARGV[1],'EX',ARGV[2]) " +
  "if redis.call('TTL',KEYS[1])<tonumber(ARGV[2]) then redis.call('EXPIRE',KEYS[1],ARGV[2]) end return 1"

/**
 * Takes back what a block added, and leaves no counter behind that nothing else was counted in.
 *
 * KEYS[1] the counter, KEYS[2] its mark, which says how much to take off.
 */
const lowerScript =
  "local m=redis.call('GET',KEYS[2]) local c=tonumber(redis.call('GET',KEYS[1]) or '0') " +
  "redis.call('DEL',KEYS[2]) if not m or c<m/2 then return 0 end " +
  "if c<=tonumber(m) then return redis.call('DEL',KEYS[1]) end return redis.call('DECRBY',KEYS[1],m)"

/** Reads a counter and its mark; KEYS as above. An empty text means that it is missing. */
const readScript = "return {redis.call('GET',KEYS[1]) or '',redis.call('GET',KEYS[2]) or ''}"

/** Writes the command that reads one window. */
export function readCommands({ key }: StoreWindow): HitCommands {
  return { key, commands: [['EVAL', readScript, '2', key, markerKey(key)]] }
}

/**
 * Reads the reply to `readCommands`.
 *
 * @throws TypeError when the reply is anything else.
 */
export function readStored(reply: Reply | undefined): StoredCount {
  if (!Array.isArray(reply)) throw new TypeError('Cannot read a counter: the reply is not an array')
  const [count, mark]: readonly Reply[] = reply
  return { count: readCount(count), raisedBy: mark === '' ? null : readCount(mark) }
}

/** Writes the command that raises one window above every limit. */
export function raiseCommands(window: StoreWindow, now: number, jitter: number): HitCommands {
  const { key } = window
  const ttl = secondsToLive(window, now) + jitter
  const values = [String(redisRaise), String(ttl)]
  return { key, commands: [['EVAL', raiseScript, '2', key, markerKey(key), ...values]] }
}

/** Writes the command that takes a block back from one window; hits counted meanwhile stay. */
export function lowerCommands({ key }: StoreWindow): HitCommands {
  return { key, commands: [['EVAL', lowerScript, '2', key, markerKey(key)]] }
}

/** Writes the command that forgets one window. */
export function removeCommands({ key }: StoreWindow): HitCommands {
  return { key, commands: [['DEL', key, markerKey(key)]] }
}
