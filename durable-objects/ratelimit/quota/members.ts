/** Which bucket of which stream draws from which pool. */

import { type Bucket, bucketName, matchBucket } from '#ratelimit/quota/bucket.ts'
import { createPool, type Pool } from '#ratelimit/quota/pool.ts'
import type { Domain, Limit } from '#ratelimit/rule-book.ts'
import type { Unit } from '#ratelimit/types.ts'
import { longestStepBack } from '#ratelimit/window.ts'
import type { Work } from '#ratelimit/work.ts'

/** A counter and the buckets that share it. */
export interface CounterPool {
  readonly key: string
  readonly unit: Unit
  readonly limit: number
  readonly pool: Pool
}

/** What is known of one bucket of one stream. */
export interface Member {
  readonly stream: string
  readonly bucket: Bucket
  /** What limits it; null when nothing does, or the limit is "unlimited". */
  readonly limit: Limit | null
  /**
   * `assigned` from a pool, `allowed` where nothing limits it or the rule is a trial, `refused` where its limit cannot
   * be assigned: whole seconds are the shortest time that a stock Envoy knows, so a window of a second has no room.
   */
  readonly kind: 'assigned' | 'allowed' | 'refused'
  readonly counter: CounterPool | null
  /** When `allowed` or `refused` was sent last, Unix milliseconds. */
  sentMs: number
  lastReportMs: number
}

/** The members of all streams. */
export interface Members {
  /**
   * Finds or takes up a bucket; null when the stream has too many, or all streams together.
   *
   * @throws RatelimitError as `matchBucket` does.
   */
  take(stream: string, bucket: Bucket, domain: Domain | null, nowMs: number, work: Work): Member | null
  find(holder: string): Member | undefined
  /** Lets one member go; its pool goes with its last one. */
  drop(holder: string): void
  dropStream(stream: string): void
  /** Lets all go, as when the rules have changed. */
  clear(): void
  /**
   * Notes the time, Unix milliseconds, and lets all go after a clock that leapt ahead and came back: by times that lie
   * ahead, nothing would be assigned until they come. Buckets are taken up again by their next reports.
   */
  noteTime(nowMs: number): void
  all(): Iterable<readonly [holder: string, member: Member]>
  pools(): Iterable<CounterPool>
  /** Forgets a pool that has no member. */
  dropPool(counter: CounterPool): void
  readonly size: number
}

/** The name of a member, which is its name as a holder in its pool. */
export function holderName(stream: string, bucket: Bucket): string {
  return `${stream} ${bucketName(bucket)}`
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
}

/** Starts without members. */
export function createMembers({ keyPrefix, lifeSeconds, mostBuckets, total }: MemberOptions): Members {
  const members = new Map<string, Member>()
  const byStream = new Map<string, Set<string>>()
  const pools = new Map<string, CounterPool>()
  let characters = 0
  let latestMs = Number.NEGATIVE_INFINITY

  function poolOf(key: string, unit: Unit, limit: number): CounterPool {
    const name = poolName({ key, unit })
    const known = pools.get(name)
    if (known !== undefined && known.limit === limit) return known
    const made = { key, unit, limit, pool: createPool({ limit, unit, lifeSeconds }) }
    pools.set(name, made)
    return made
  }

  function memberOf(
    stream: string,
    bucket: Bucket,
    domain: Domain | null,
    nowMs: number,
    work: Work,
  ): Member {
    const match = domain === null ? null : matchBucket(domain, bucket, keyPrefix, work)
    const limit = match?.limit ?? null
    const common = { stream, bucket, limit, sentMs: Number.NEGATIVE_INFINITY, lastReportMs: nowMs }
    if (match === null || limit === null || limit.rateLimit === null || limit.isShadow) {
      return { ...common, kind: 'allowed', counter: null }
    }
    const { unit, requestsPerUnit } = limit.rateLimit
    if (unit === 'SECOND') return { ...common, kind: 'refused', counter: null }
    return { ...common, kind: 'assigned', counter: poolOf(match.key, unit, requestsPerUnit) }
  }

  function drop(holder: string): void {
    const member = members.get(holder)
    if (member === undefined) return
    members.delete(holder)
    characters -= lengthOf(member.bucket)
    byStream.get(member.stream)?.delete(holder)
    member.counter?.pool.leave(holder)
  }

  function clear(): void {
    members.clear()
    byStream.clear()
    pools.clear()
    characters = 0
  }

  function noteTime(nowMs: number): void {
    if (latestMs - nowMs > longestStepBack * 1000) clear()
    latestMs = nowMs
  }

  return {
    take(stream, bucket, domain, nowMs, work) {
      noteTime(nowMs)
      const holder = holderName(stream, bucket)
      const known = members.get(holder)
      if (known !== undefined) {
        known.lastReportMs = nowMs
        return known
      }
      const own = byStream.get(stream) ?? new Set()
      const length = characters + lengthOf(bucket)
      if (own.size >= mostBuckets || members.size >= total.buckets || length > total.characters) return null
      const member = memberOf(stream, bucket, domain, nowMs, work)
      characters = length
      members.set(holder, member)
      byStream.set(stream, own.add(holder))
      return member
    },
    find: (holder) => members.get(holder),
    drop,
    dropStream(stream) {
      for (const holder of byStream.get(stream) ?? []) drop(holder)
      byStream.delete(stream)
    },
    clear,
    noteTime,
    all: () => members,
    pools: () => pools.values(),
    dropPool(counter) {
      if (counter.pool.size === 0) pools.delete(poolName(counter))
    },
    get size() {
      return members.size
    },
  }
}

function poolName({ key, unit }: Pick<CounterPool, 'key' | 'unit'>): string {
  return `${unit} ${key}`
}

function lengthOf(bucket: Bucket): number {
  return bucket.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}
