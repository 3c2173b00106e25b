/** A hit on a counter of an algorithm in Redis: one script on one hash, by the clock of Redis. */

import { type Algorithm, lifeOf } from '../algorithm/algorithm.ts'
import type { AlgorithmCounter } from '../algorithm/algorithm-key.ts'
import { calendarSpan } from '../algorithm/calendar.ts'
import { countHit } from '../algorithm/count-hit.ts'
import { measureBucket } from '../algorithm/token-bucket.ts'
import type { Window } from '../counter.ts'
import { stampedKey } from '../counter-key.ts'
import type { CounterHit, Hits } from '../ports.ts'
import type { HitCommands } from './commands.ts'
import { markerKey } from './marker.ts'
import type { Reply } from './resp.ts'

/**
 * Applies a hit as `countHit` does, and answers the time in milliseconds and the state before it, from which `countHit`
 * makes the answer. A clock that is set back stays at the start of the latest window.
 *
 * KEYS[1] a hash: s the start of the window in milliseconds, h its hits, p those of the window before. ARGV: kind,
 * milliseconds of a window, addend, limit, burst, 1 where every hit counts, milliseconds to live; of a calendar the
 * start of the window and the time, because Redis has no time zones; of a bucket the parts of a hit and of a millisecond.
 */
const hitScript = `if redis.replicate_commands then redis.replicate_commands() end
local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000)
local kind,L,add,lim,burst=ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3]),tonumber(ARGV[4]),tonumber(ARGV[5])
local v=redis.call('HMGET',KEYS[1],'s','h','p')
local base=now-now%L
if kind=='calendar' then base=tonumber(ARGV[8]) now=tonumber(ARGV[9]) end
local s,h,p=tonumber(v[1] or ''),tonumber(v[2] or '') or 0,tonumber(v[3] or '') or 0
local known=s~=nil
local hit,flow=tonumber(ARGV[8] or ''),tonumber(ARGV[9] or '')
if not known then s=base end
if kind=='token_bucket' then
  h=h-(base-s)*flow s=base
else
  if base-s==L and kind=='sliding' then p=h h=0 s=base elseif base>s then p=0 h=0 s=base end
  if now<s then now=s end
end
local before=h
if kind=='token_bucket' then
  local from=(now-base)*flow local most=from if lim>0 then most=from+burst*hit end
  h=math.min(math.max(h,from),most)
  before=h
  local nxt=h+add*hit if add<0 then nxt=math.max(from,nxt) end
  if nxt<=most then h=nxt end
elseif add<0 then h=math.max(0,h+add)
elseif ARGV[6]=='1' or h+math.floor(p*(L-(now-s))/L)+add<=lim then h=h+add end
if h~=before then
  redis.call('HMSET',KEYS[1],'s',string.format('%.0f',s),'h',string.format('%.0f',h),'p',string.format('%.0f',p))
  redis.call('PEXPIRE',KEYS[1],ARGV[7])
end
return {string.format('%.0f',now),string.format('%.0f',s),string.format('%.0f',before),string.format('%.0f',p)}`

/** Writes the command of one hit; `now` is for a calendar, `jitter` is added to the time to live. */
export function algorithmCommands(
  hit: CounterHit,
  { algorithm }: AlgorithmCounter,
  { now, jitter }: { readonly now: number; readonly jitter: number },
): HitCommands {
  const { key, unit, addend, limit = 0, isRefund } = hit
  const { kind, seconds, charge } = algorithm
  const burst = algorithm.kind === 'token_bucket' ? algorithm.burst : 0
  const ttl = (lifeOf({ requestsPerUnit: limit, unit, algorithm }) + jitter) * 1000
  const signed = isRefund === true ? -addend : addend
  const more = scriptNumbers(algorithm, limit, now)
  const values = [seconds * 1000, signed, limit, burst, charge === 'all' ? 1 : 0, ttl, ...more].map(String)
  return { key, commands: [['EVAL', hitScript, '1', key, kind, ...values]] }
}

/** Lists the arguments that one kind of algorithm has more. */
function scriptNumbers(algorithm: Algorithm, limit: number, now: number): readonly number[] {
  if (algorithm.kind === 'calendar') {
    return [calendarSpan(algorithm.period, algorithm.zone).startOf(now) * 1000, now * 1000]
  }
  if (algorithm.kind !== 'token_bucket') return []
  const { hit, flow } = measureBucket(algorithm, limit)
  return [hit, flow]
}

/**
 * Reads the reply to `algorithmCommands`.
 *
 * @throws TypeError when the reply is anything else.
 */
export function readAlgorithmHits(reply: Reply | undefined, hit: CounterHit, algorithm: Algorithm): Hits {
  const [nowMs, startMs, hits, previous] = Array.isArray(reply) ? reply.map(Number) : []
  if (nowMs === undefined || startMs === undefined || hits === undefined || previous === undefined) {
    throw new TypeError('Cannot read a counter: the reply is not a state')
  }
  const start = startMs / 1000
  const before = previous > 0 ? { shown: [{ start: start - algorithm.seconds, more: previous }] } : {}
  const window: Window = { start, hits, ...before }
  const addend = hit.isRefund === true ? -hit.addend : hit.addend
  const { after, secondsUntilReset } = countHit(algorithm, window, { addend, limit: hit.limit ?? 0, nowMs })
  return { after, secondsUntilReset }
}

/**
 * Asks whether a descriptor is blocked: a block of a limit with an algorithm marks windows of all units, so one is
 * asked for.
 */
export function blockCommands({ key }: AlgorithmCounter, now: number): HitCommands {
  const marker = markerKey(stampedKey(key, 'YEAR', now))
  return { key: marker, commands: [['EXISTS', marker]] }
}
