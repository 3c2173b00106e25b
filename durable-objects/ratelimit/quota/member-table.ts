/** The table of a quota object: its members by bucket and stream, and the pools that they draw from. */

import { type Bucket, bucketName } from '#ratelimit/quota/bucket.ts'
import type { Pool } from '#ratelimit/quota/pool.ts'
import { type Client, createReclaims, type Reclaims } from '#ratelimit/quota/reclaim.ts'
import type { Limit } from '#ratelimit/rule-book.ts'
import type { Unit } from '#ratelimit/types.ts'
import { longestStepBack } from '#ratelimit/window.ts'
import type { SavedPools } from '../storage/pools.ts'

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

interface MemberOptions {
  readonly keyPrefix: string
  readonly lifeSeconds: number
  /** Buckets of one stream. */
  readonly mostBuckets: number
  /** Bounds on the buckets of all streams together, and on the characters of their keys and values. */
  readonly total: { readonly buckets: number; readonly characters: number }
  readonly saved: SavedPools
}

/** The members of all streams. */
export interface Members {
  readonly options: MemberOptions
  readonly byHolder: Map<string, Member>
  /** Holders by the names of their buckets, by stream. */
  readonly byStream: Map<string, Map<string, string>>
  readonly openStreams: Set<string>
  /** Holders whose stream has ended, the first one first. */
  readonly detached: Set<string>
  readonly pools: Map<string, CounterPool>
  readonly reclaims: Reclaims
  /** Of the keys and values of all buckets. */
  characters: number
  latestMs: number
}

/** Starts without members. */
export function createMembers(options: MemberOptions): Members {
  return {
    options,
    byHolder: new Map(),
    byStream: new Map(),
    openStreams: new Set(),
    detached: new Set(),
    pools: new Map(),
    reclaims: createReclaims(),
    characters: 0,
    latestMs: Number.NEGATIVE_INFINITY,
  }
}

/** Notes that a stream is open. */
export function openStream({ openStreams, reclaims }: Members, { id, client }: MemberStream): void {
  openStreams.add(id)
  if (client !== null) reclaims.open(client)
}

/** Drops the members of a stream; those that its client may take up on its next stream are kept as detached. */
export function closeStream(members: Members, { id, client }: MemberStream): void {
  if (!members.openStreams.delete(id)) return
  for (const holder of [...(members.byStream.get(id)?.values() ?? [])]) detach(members, holder)
  members.byStream.delete(id)
  if (client !== null) members.reclaims.close(client)
}

/** Drops one member; its pool goes with its last one. */
export function dropMember(members: Members, holder: string): void {
  const member = members.byHolder.get(holder)
  if (member === undefined) return
  const { bucket, stream, counter } = member
  const name = bucketName(bucket)
  members.byHolder.delete(holder)
  members.detached.delete(holder)
  members.characters -= countCharacters(bucket)
  const own = members.byStream.get(stream.id)
  if (own?.get(name) === holder) own.delete(name)
  if (own?.size === 0) members.byStream.delete(stream.id)
  if (stream.client !== null) members.reclaims.forget(stream.client, { bucket: name, holder })
  counter?.pool.leave(holder)
}

/** Drops all. */
export function clearMembers(members: Members): void {
  for (const counter of members.pools.values()) members.options.saved.forget(poolName(counter))
  members.pools.clear()
  for (const holder of [...members.byHolder.keys()]) dropMember(members, holder)
}

/** Notes the time, and drops all after a clock that leapt ahead and came back: next reports take buckets up again. */
export function noteTime(members: Members, nowMs: number): void {
  if (members.latestMs - nowMs > longestStepBack * 1000) clearMembers(members)
  members.latestMs = nowMs
}

/** Tells if a bucket would be one too many, or too large beside the others. */
export function isFullFor({ byHolder, characters, options: { total } }: Members, bucket: Bucket): boolean {
  return byHolder.size >= total.buckets || characters + countCharacters(bucket) > total.characters
}

/** Drops detached members, the first one first, until a bucket has room; false where it has none. */
export function makeRoom(members: Members, bucket: Bucket): boolean {
  for (const holder of members.detached) {
    if (!isFullFor(members, bucket)) return true
    dropMember(members, holder)
  }
  return !isFullFor(members, bucket)
}

/** Adds a member on its stream. */
export function addMember(members: Members, member: Member): void {
  members.byHolder.set(member.holder, member)
  members.characters += countCharacters(member.bucket)
  attach(members, member, member.stream)
}

/** Puts a member on a stream, on which it is reported from now on. */
export function attach({ byStream, detached }: Members, member: Member, stream: MemberStream): void {
  member.stream = stream
  detached.delete(member.holder)
  const own = byStream.get(stream.id) ?? new Map()
  byStream.set(stream.id, own.set(bucketName(member.bucket), member.holder))
}

/** Finds the member of a bucket on a stream. */
export function memberOn({ byHolder, byStream }: Members, { id }: MemberStream, bucket: Bucket): Member | undefined {
  const holder = byStream.get(id)?.get(bucketName(bucket))
  return holder === undefined ? undefined : byHolder.get(holder)
}

/** Takes a member off its stream: its client may take it up on the next one; otherwise it is dropped. */
export function detach(members: Members, holder: string): void {
  const member = members.byHolder.get(holder)
  if (member === undefined) return
  const { counter, bucket, stream } = member
  if (counter === null || stream.client === null || !members.reclaims.isUnique(stream.client)) {
    dropMember(members, holder)
    return
  }
  counter.pool.detach(holder)
  members.detached.add(holder)
  members.byStream.get(stream.id)?.delete(bucketName(bucket))
  members.reclaims.keep(stream.client, { bucket: bucketName(bucket), holder })
}

/** Name of a pool among all. */
export function poolName({ key, unit }: Pick<CounterPool, 'key' | 'unit'>): string {
  return `${unit} ${key}`
}

function countCharacters(bucket: Bucket): number {
  return bucket.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}
