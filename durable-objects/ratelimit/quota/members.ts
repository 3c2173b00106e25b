/** Members: the buckets of streams, each with the pool that it draws from. */

import { RatelimitError } from '#ratelimit/errors.ts'
import type { Match } from '#ratelimit/match.ts'
import { type Bucket, bucketName, matchBucket } from '#ratelimit/quota/bucket.ts'
import type { BucketUsage } from '#ratelimit/quota/messages.ts'
import { createPool, type Pool } from '#ratelimit/quota/pool.ts'
import { type Client, createReclaims } from '#ratelimit/quota/reclaim.ts'
import type { Domain, Limit } from '#ratelimit/rule-book.ts'
import type { Unit } from '#ratelimit/types.ts'
import { longestStepBack, unitSeconds } from '#ratelimit/window.ts'
import type { Work } from '#ratelimit/work.ts'
import type { KeptMember, KeptPools } from '../storage/pools.ts'

/** A counter and the buckets that share it. */
export interface CounterPool {
  readonly key: string
  readonly unit: Unit
  readonly limit: number
  readonly pool: Pool
}

/** A stream of reports. */
export interface MemberStream {
  readonly id: string
  readonly domain: string
  /** The Envoy that opened it; null where its front does not name one. */
  readonly client: Client | null
}

/** State of one bucket of one Envoy. */
export interface Member {
  /** Its name as a holder in its pool. */
  readonly holder: string
  /** The stream that it is reported on; once that has ended, the last one. */
  stream: MemberStream
  readonly bucket: Bucket
  /** Its limit; null for none. */
  limit: Limit | null
  /**
   * `assigned` from a pool, `allowed` where nothing limits it or the rule is a trial, `refused` where its limit cannot
   * be assigned: whole seconds are the shortest time that a stock Envoy knows, so a window of a second has no room.
   */
  readonly kind: 'assigned' | 'allowed' | 'refused'
  readonly counter: CounterPool | null
  /** Time at which `allowed` or `refused` was sent last, Unix milliseconds. */
  sentMs: number
  lastReportMs: number
}

/** The member of a report. */
export interface Taken {
  readonly member: Member
  /** `reclaimed` when a new stream goes on with what another one, or an object before a restart, has handed out. */
  readonly origin: 'known' | 'reclaimed' | 'new'
}

/** The members of all streams. */
export interface Members {
  openStream(stream: MemberStream): void
  /** Lets the members of a stream go; those that its client may take up on its next stream are kept as detached. */
  closeStream(stream: MemberStream): void
  /**
   * Finds or takes up the bucket of a report; null when the stream has too many, or all streams together.
   *
   * @throws RatelimitError as `matchBucket` does.
   */
  take(stream: MemberStream, usage: BucketUsage, place: Place): Taken | null
  find(holder: string): Member | undefined
  /** Lets one member go; its pool goes with its last one. */
  drop(holder: string): void
  /**
   * Matches all by rules that have changed, and lets those go whose counter or limit is another one, or that cost more
   * than is left of the budget: they are taken up by their next reports, and what they had left counts as used.
   */
  rematch(domainOf: (name: string) => Domain | null, work: Work): void
  /** Lets all go. */
  clear(): void
  /**
   * Notes the time, Unix milliseconds, and lets all go after a clock that leapt ahead and came back: by times that lie
   * ahead, nothing would be assigned until they come. Buckets are taken up again by their next reports.
   */
  noteTime(nowMs: number): void
  all(): Iterable<readonly [holder: string, member: Member]>
  pools(): Iterable<CounterPool>
  /** Keeps a pool for after a restart, where that pays. */
  keep(counter: CounterPool): void
  /** Forgets a pool that has no member. */
  dropPool(counter: CounterPool): void
  readonly size: number
}

/** Time of a report, and the rules and the budget that match its bucket. */
export interface Place {
  readonly domain: Domain | null
  readonly nowMs: number
  readonly work: Work
}

/** Bounds on the buckets of all streams together, which share the memory of one object. */
export interface TotalBounds {
  readonly buckets: number
  /** Characters of their keys and values. */
  readonly characters: number
}

/** Bounds and terms of members. */
export interface MemberOptions {
  readonly keyPrefix: string
  readonly lifeSeconds: number
  /** Buckets of one stream. */
  readonly mostBuckets: number
  readonly total: TotalBounds
  readonly kept: KeptPools
}

/** Milliseconds after the end of a window in which reports still speak of it. */
const lateReportsMs = 30_000

/** Starts without members. */
export function createMembers({ keyPrefix, lifeSeconds, mostBuckets, total, kept }: MemberOptions): Members {
  const members = new Map<string, Member>()
  /** Holders by the names of their buckets, by stream. */
  const byStream = new Map<string, Map<string, string>>()
  const open = new Set<string>()
  /** Holders whose stream has ended, the first one first. */
  const detached = new Set<string>()
  const pools = new Map<string, CounterPool>()
  const reclaims = createReclaims()
  let characters = 0
  let latestMs = Number.NEGATIVE_INFINITY

  function poolOf(key: string, limit: Limit, place: Place): CounterPool | null {
    if (limit.rateLimit === null) return null
    const { unit, requestsPerUnit } = limit.rateLimit
    const name = poolName({ key, unit })
    const known = pools.get(name)
    if (known?.limit === requestsPerUnit) return known
    const before = known === undefined ? kept.find(name, place.nowMs) : undefined
    const options = { limit: requestsPerUnit, unit, lifeSeconds }
    const isSame = before?.limit === requestsPerUnit
    const pool = createPool(options, isSame ? before.state : undefined)
    const made = { key, unit, limit: requestsPerUnit, pool }
    pools.set(name, made)
    if (isSame) for (const member of before.members) restore(member, made, limit, place.nowMs)
    return made
  }

  /** Takes up what was known before a restart: the stream may be open still, or its client opens another one. */
  function restore(before: KeptMember, counter: CounterPool, limit: Limit, nowMs: number): void {
    const { holder, bucket, client } = before
    const stream = { id: before.stream, domain: before.domain, client }
    if (isFullFor(bucket) || (client === null && !open.has(stream.id))) counter.pool.leave(holder)
    else {
      const sentMs = Number.NEGATIVE_INFINITY
      add({ holder, stream, bucket, limit, kind: 'assigned', counter, sentMs, lastReportMs: nowMs })
      if (!open.has(stream.id)) detach(holder)
    }
  }

  function isFullFor(bucket: Bucket): boolean {
    return members.size >= total.buckets || characters + lengthOf(bucket) > total.characters
  }

  /** Lets detached holders go for a bucket that is reported, as many as it takes. */
  function makeRoom(bucket: Bucket): boolean {
    for (const holder of detached) {
      if (!isFullFor(bucket)) return true
      drop(holder)
    }
    return !isFullFor(bucket)
  }

  function add(member: Member): void {
    members.set(member.holder, member)
    characters += lengthOf(member.bucket)
    attach(member, member.stream)
  }

  function attach(member: Member, stream: MemberStream): void {
    member.stream = stream
    detached.delete(member.holder)
    const own = byStream.get(stream.id) ?? new Map()
    byStream.set(stream.id, own.set(bucketName(member.bucket), member.holder))
  }

  function memberOn({ id }: MemberStream, bucket: Bucket): Member | undefined {
    const holder = byStream.get(id)?.get(bucketName(bucket))
    return holder === undefined ? undefined : members.get(holder)
  }

  function memberOf(stream: MemberStream, bucket: Bucket, place: Place): Member {
    const { domain, nowMs, work } = place
    const match = domain === null ? null : matchBucket(domain, bucket, keyPrefix, work)
    const limit = match?.limit ?? null
    const holder = `${stream.id} ${bucketName(bucket)}`
    const common = { holder, stream, bucket, limit, sentMs: Number.NEGATIVE_INFINITY, lastReportMs: nowMs }
    if (match === null || limit === null || limit.rateLimit === null || limit.isShadow) {
      return { ...common, kind: 'allowed', counter: null }
    }
    if (limit.rateLimit.unit === 'SECOND') return { ...common, kind: 'refused', counter: null }
    return { ...common, kind: 'assigned', counter: poolOf(match.key, limit, place) }
  }

  /** The detached member that the report of a stream is of. */
  function reclaim(made: Member, usage: BucketUsage, nowMs: number): Member | undefined {
    const { stream, counter } = made
    if (stream.client === null || counter === null) return undefined
    const name = bucketName(made.bucket)
    const holder = reclaims.find(stream.client, name, { usage, pool: counter.pool, nowMs })
    const member = holder === undefined ? undefined : members.get(holder)
    if (member === undefined || member.counter !== counter) return undefined
    reclaims.forget(stream.client, { bucket: name, holder: member.holder })
    return member
  }

  function detach(holder: string): void {
    const member = members.get(holder)
    if (member === undefined) return
    const { counter, bucket, stream } = member
    if (counter === null || stream.client === null || !reclaims.isUnique(stream.client)) drop(holder)
    else {
      counter.pool.detach(holder)
      detached.add(holder)
      byStream.get(stream.id)?.delete(bucketName(bucket))
      reclaims.keep(stream.client, { bucket: bucketName(bucket), holder })
    }
  }

  function drop(holder: string): void {
    const member = members.get(holder)
    if (member === undefined) return
    const { bucket, stream, counter } = member
    const name = bucketName(bucket)
    members.delete(holder)
    detached.delete(holder)
    characters -= lengthOf(bucket)
    const own = byStream.get(stream.id)
    if (own?.get(name) === holder) own.delete(name)
    if (own?.size === 0) byStream.delete(stream.id)
    if (stream.client !== null) reclaims.forget(stream.client, { bucket: name, holder })
    counter?.pool.leave(holder)
  }

  function clear(): void {
    for (const counter of pools.values()) kept.forget(poolName(counter))
    pools.clear()
    for (const holder of [...members.keys()]) drop(holder)
  }

  function rematch(domainOf: (name: string) => Domain | null, work: Work): void {
    for (const [holder, member] of [...members]) {
      const { bucket, stream, counter } = member
      const domain = domainOf(stream.domain)
      const match = domain === null ? null : matchOrNone(domain, bucket, work)
      const limit = match?.limit ?? null
      if (counter !== null && match?.key === counter.key && isAssignedAs(counter, limit)) member.limit = limit
      else drop(holder)
    }
  }

  /** The match of a bucket; null where the budget is used up. */
  function matchOrNone(domain: Domain, bucket: Bucket, work: Work): Match | null {
    try {
      return matchBucket(domain, bucket, keyPrefix, work)
    } catch (error) {
      if (error instanceof RatelimitError) return null
      throw error
    }
  }

  function noteTime(nowMs: number): void {
    if (latestMs - nowMs > longestStepBack * 1000) clear()
    latestMs = nowMs
  }

  return {
    openStream(stream) {
      open.add(stream.id)
      if (stream.client !== null) reclaims.open(stream.client)
    },
    closeStream({ id, client }) {
      if (!open.delete(id)) return
      for (const holder of [...(byStream.get(id)?.values() ?? [])]) detach(holder)
      byStream.delete(id)
      if (client !== null) reclaims.close(client)
    },
    take(stream, usage, place) {
      const { nowMs } = place
      noteTime(nowMs)
      const { bucket } = usage
      const own = byStream.get(stream.id)?.size ?? 0
      const known = memberOn(stream, bucket)
      if (known !== undefined) {
        known.lastReportMs = nowMs
        return { member: known, origin: 'known' }
      }
      if (own >= mostBuckets) return null
      const made = memberOf(stream, bucket, place)
      // Its pool may have been restored just now, with this bucket.
      const before = memberOn(stream, bucket) ?? reclaim(made, usage, nowMs)
      if (before !== undefined) {
        attach(before, stream)
        before.lastReportMs = nowMs
        return { member: before, origin: 'reclaimed' }
      }
      if (!makeRoom(bucket)) return null
      add(made)
      return { member: made, origin: 'new' }
    },
    find: (holder) => members.get(holder),
    drop,
    rematch,
    clear,
    noteTime,
    all: () => members,
    pools: () => pools.values(),
    keep(counter) {
      // Of a longer window a restart costs less than 1 %, and a row is written with every draw.
      const state = counter.unit === 'MINUTE' ? counter.pool.state() : null
      if (state === null) return
      const holdings = state.holdings.filter(([, { assignments }]) => assignments.length > 0)
      const held = holdings.flatMap(([holder]) => {
        const member = members.get(holder)
        return member === undefined ? [] : [keptMember(member)]
      })
      // Nothing can be taken up where no Envoy can be told from another.
      if (held.every(({ client }) => client === null)) {
        kept.forget(poolName(counter))
        return
      }
      const endsMs = (state.window + unitSeconds[counter.unit]) * 1000 + lateReportsMs
      kept.keep(poolName(counter), { limit: counter.limit, state: { ...state, holdings }, members: held }, endsMs)
    },
    dropPool(counter) {
      if (counter.pool.size > 0) return
      const name = poolName(counter)
      pools.delete(name)
      if (counter.unit === 'MINUTE') kept.forget(name)
    },
    get size() {
      return members.size
    },
  }

  function keptMember({ holder, stream: { id, domain, client }, bucket }: Member): KeptMember {
    const isKnownAgain = client !== null && reclaims.isUnique(client)
    return { holder, stream: id, domain, client: isKnownAgain ? client : null, bucket }
  }
}

/** Tells whether a limit is assigned from the pool of this counter. */
function isAssignedAs({ unit, limit }: CounterPool, rule: Limit | null): boolean {
  const { isShadow = true, rateLimit = null } = rule ?? {}
  return !isShadow && rateLimit?.unit === unit && rateLimit.requestsPerUnit === limit
}

function poolName({ key, unit }: Pick<CounterPool, 'key' | 'unit'>): string {
  return `${unit} ${key}`
}

function lengthOf(bucket: Bucket): number {
  return bucket.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}
