/** The Redis commands for the hits of a request, and what the replies mean: the reference's commands exactly. */

import { readAlgorithmKey } from '../algorithm/algorithm-key.ts'
import { maxHits } from '../counter.ts'
import { stampedKey } from '../counter-key.ts'
import { asLook, type CounterHit, type Hits } from '../ports.ts'
import type { Unit } from '../types.ts'
import { secondsUntilReset, unitSeconds } from '../window.ts'
import { algorithmCommands } from './algorithm-script.ts'
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
  const counter = readAlgorithmKey(hit.key)
  if (counter !== null) return algorithmCommands(hit, counter, { now, jitter })
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

/**
 * Takes back what is returned, counts, and hands out a lease, in one step and for INCRBY of others to see.
 *
 * KEYS[1] the counter. ARGV[1] hits returned, ARGV[2] hits to count, ARGV[3] the limit, ARGV[4] hits in open leases,
 * ARGV[5] hits wanted, ARGV[6] by how much the rest is divided, 0 for no lease, ARGV[7] seconds to live. Returns the
 * counter with the hits and without the lease, and the lease.
 */
const drawScript =
  "local c=tonumber(redis.call('GET',KEYS[1]) or '0') local b=math.max(0,c-tonumber(ARGV[1])) " +
  'local a=b+tonumber(ARGV[2]) local l,o,d=tonumber(ARGV[3]),tonumber(ARGV[4]),tonumber(ARGV[6]) ' +
  'local k=a if o>0 and a>l and a-o<=l then k=b end ' +
  'local g=0 if a<l and d>0 then g=math.min(tonumber(ARGV[5]),math.floor((l-a)/d)) end ' +
  "if k+g~=c then redis.call('INCRBY',KEYS[1],string.format('%.0f',k+g-c)) end " +
  "redis.call('EXPIRE',KEYS[1],ARGV[7]) return {string.format('%.0f',a),string.format('%.0f',g)}"

/** A draw on a counter in Redis; the leases that it returns are settled already. */
interface StoreDraw {
  readonly key: string
  readonly unit: Unit
  readonly addend: number
  readonly limit: number
  /** Hits that come back. */
  readonly unused: number
  /** Hits that stay in open leases. */
  readonly outstanding: number
  readonly wanted: number
  /** See `LeaseBook.divisor`; 0 for no lease. */
  readonly divisor: number
}

/** Writes the command of one draw; the counter is the one that `hitCommands` of the reference's instances count in. */
export function drawCommands(draw: StoreDraw, now: number, jitter: number): HitCommands {
  const key = stampedKey(draw.key, draw.unit, now)
  const { unused, addend, limit, outstanding, wanted, divisor, unit } = draw
  const values = [unused, addend, limit, outstanding, wanted, divisor, unitSeconds[unit] + jitter].map(String)
  return { key, commands: [['EVAL', drawScript, '1', key, ...values]] }
}

/**
 * Reads the reply to `drawCommands`: the counter without the lease, and the lease.
 *
 * @throws TypeError when the reply is anything else.
 */
export function readDrawn(reply: Reply | undefined): { readonly counted: number; readonly granted: number } {
  if (!Array.isArray(reply)) throw new TypeError('Cannot read a counter: the reply is not an array')
  const [counted, granted]: readonly Reply[] = reply
  return { counted: readCount(counted), granted: readCount(granted) }
}

/** Writes the command that reads one counter and leaves it as it is. */
export function peekCommands(hit: CounterHit, now: number): HitCommands {
  const counter = readAlgorithmKey(hit.key)
  if (counter !== null) return algorithmCommands(asLook(hit), counter, { now, jitter: 0 })
  const key = stampedKey(hit.key, hit.unit, now)
  return { key, commands: [['GET', key]] }
}

/**
 * Reads the counter out of the first reply of a hit; nil is a counter that does not exist.
 *
 * @throws TypeError when the reply is neither an integer nor its text.
 */
export function readHits(reply: Reply | undefined, hit: CounterHit, now: number): Hits {
  return { after: readCount(reply), secondsUntilReset: secondsUntilReset(hit.unit, now) }
}

/**
 * Reads a counter out of a reply; nil is 0, as a counter that does not exist.
 *
 * @throws TypeError when the reply is neither an integer nor its text.
 */
export function readCount(reply: Reply | undefined): number {
  const count = reply === null ? 0 : Number(reply)
  if (!Number.isInteger(count)) throw new TypeError('Cannot read a counter: the reply is not an integer')
  return Math.min(count, maxHits)
}
