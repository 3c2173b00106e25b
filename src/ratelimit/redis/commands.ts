/** What Redis is told for the hits of a request, and what its replies mean: the reference's commands exactly. */

import { maxHits } from '../counter.ts'
import { stampedKey } from '../counter-key.ts'
import type { CounterHit, Hits } from '../ports.ts'
import { secondsUntilReset, unitSeconds } from '../window.ts'
import type { Reply } from './resp.ts'

/** A command and its arguments. */
export type Command = readonly string[]

/** The commands of one hit: all go to the node that holds `key`, and the first reply is the counter. */
export interface HitCommands {
  readonly key: string
  readonly commands: readonly Command[]
}

/**
 * Gives hits back without ever falling below 0 and without creating a counter.
 *
 * KEYS[1] the counter, ARGV[1] the hits. Returns the counter afterwards, 0 for one that is missing.
 */
const refundScript =
  "local c=tonumber(redis.call('GET',KEYS[1]) or '-1') if c<0 then return 0 end " +
  "local n=c-tonumber(ARGV[1]) if n<0 then n=0 end redis.call('INCRBY',KEYS[1],string.format('%.0f',n-c)) return n"

/**
 * Writes the commands of one hit: `INCRBY key addend` and `EXPIRE key ttl`, the ttl refreshed at every hit and
 * both sent even for an addend of 0, so that instances of the reference service and this one share counters.
 *
 * @param now - Unix time in whole seconds.
 * @param jitter - whole seconds added to the time to live, so that keys do not all expire together.
 */
export function hitCommands(hit: CounterHit, now: number, jitter: number): HitCommands {
  const key = stampedKey(hit.key, hit.unit, now)
  if (hit.isRefund) return { key, commands: [['EVAL', refundScript, '1', key, String(hit.addend)]] }
  const ttl = unitSeconds[hit.unit] + jitter
  return {
    key,
    commands: [
      ['INCRBY', key, String(hit.addend)],
      ['EXPIRE', key, String(ttl)],
    ],
  }
}

/** Writes the command that reads one counter and leaves it as it is. */
export function peekCommands(hit: CounterHit, now: number): HitCommands {
  const key = stampedKey(hit.key, hit.unit, now)
  return { key, commands: [['GET', key]] }
}

/**
 * Reads the counter out of the first reply of a hit; nil is a counter that does not exist.
 *
 * @throws TypeError when the reply is neither an integer nor its text.
 */
export function readHits(reply: Reply | undefined, hit: CounterHit, now: number): Hits {
  const after = reply === null ? 0 : Number(reply)
  if (!Number.isInteger(after)) throw new TypeError('Cannot read a counter: the reply is no integer')
  return { after: Math.min(after, maxHits), secondsUntilReset: secondsUntilReset(hit.unit, now) }
}
