/** Members: the buckets of streams, each with the pool that it draws from. */

import { RatelimitError } from '#ratelimit/errors.ts'
import type { Match } from '#ratelimit/match.ts'
import { type Bucket, bucketName, matchBucket } from '#ratelimit/quota/bucket.ts'
import type { BucketUsage } from '#ratelimit/quota/messages.ts'
import { createPool, type Pool } from '#ratelimit/quota/pool.ts'
import { type Client, createReclaims, type Reclaims } from '#ratelimit/quota/reclaim.ts'
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

/** Time of a report, and the rules and the budget that match its bucket. */
export interface Place {
  readonly domain: Domain | null
  readonly nowMs: number
  readonly work: Work
}

/** Bounds on the buckets of all streams together, which share the memory of one object. */
interface TotalBounds {
  readonly buckets: number
  /** Characters of their keys and values. */
  readonly characters: number
}

interface MemberOptions {
  readonly keyPrefix: string
  readonly lifeSeconds: number
  /** Buckets of one stream. */
  readonly mostBuckets: number
  readonly total: TotalBounds
  readonly kept: KeptPools
}

/** Milliseconds after the end of a window in which reports still speak of it. */
const lateReportsMs = 30_000

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

/** Finds or takes up the bucket of a report; null when the stream has too many, or all streams together. */
export function takeMember(members: Members, stream: MemberStream, usage: BucketUsage, place: Place): Taken | null {
  const { bucket } = usage
  const { nowMs } = place
  noteTime(members, nowMs)
  const known = memberOn(members, stream, bucket)
  if (known !== undefined) {
    known.lastReportMs = nowMs
    return { member: known, origin: 'known' }
  }
  if ((members.byStream.get(stream.id)?.size ?? 0) >= members.options.mostBuckets) return null
  const made = matchMember(members, stream, bucket, place)
  // Its pool may have been restored just now, with this bucket.
  const before = memberOn(members, stream, bucket) ?? reclaim(members, made, usage, nowMs)
  if (before !== undefined) {
    attach(members, before, stream)
    before.lastReportMs = nowMs
    return { member: before, origin: 'reclaimed' }
  }
  if (!makeRoom(members, bucket)) return null
  add(members, made)
  return { member: made, origin: 'new' }
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

/**
 * Matches all by rules that have changed, and drops those whose counter or limit is another one, or that cost more than
 * is left of the budget: they are taken up by their next reports, and what they had left counts as used.
 */
export function rematchMembers(members: Members, domainOf: (name: string) => Domain | null, work: Work): void {
  for (const [holder, member] of [...members.byHolder]) {
    const { bucket, stream, counter } = member
    const domain = domainOf(stream.domain)
    const match = domain === null ? null : matchOrNone(domain, bucket, members.options.keyPrefix, work)
    const limit = match?.limit ?? null
    if (counter !== null && match?.key === counter.key && isAssignedAs(counter, limit)) member.limit = limit
    else dropMember(members, holder)
  }
}

/** Drops all. */
export function clearMembers(members: Members): void {
  for (const counter of members.pools.values()) members.options.kept.forget(poolName(counter))
  members.pools.clear()
  for (const holder of [...members.byHolder.keys()]) dropMember(members, holder)
}

/** Notes the time, and drops all after a clock that leapt ahead and came back: next reports take buckets up again. */
export function noteTime(members: Members, nowMs: number): void {
  if (members.latestMs - nowMs > longestStepBack * 1000) clearMembers(members)
  members.latestMs = nowMs
}

/** Keeps a pool for after a restart, where that pays. */
export function keepPool(members: Members, counter: CounterPool): void {
  const { kept } = members.options
  // Of a longer window a restart costs less than 1 %, and a row is written with every draw.
  const state = counter.unit === 'MINUTE' ? counter.pool.state() : null
  if (state === null) return
  const holdings = state.holdings.filter(([, { assignments }]) => assignments.length > 0)
  const held = holdings.flatMap(([holder]) => {
    const member = members.byHolder.get(holder)
    return member === undefined ? [] : [keptMember(members, member)]
  })
  // Nothing can be taken up where no Envoy can be told from another.
  if (held.every(({ client }) => client === null)) {
    kept.forget(poolName(counter))
    return
  }
  const endsMs = (state.window + unitSeconds[counter.unit]) * 1000 + lateReportsMs
  kept.keep(poolName(counter), { limit: counter.limit, state: { ...state, holdings }, members: held }, endsMs)
}

/** Forgets a pool that has no member. */
export function dropPool(members: Members, counter: CounterPool): void {
  if (counter.pool.size > 0) return
  const name = poolName(counter)
  members.pools.delete(name)
  if (counter.unit === 'MINUTE') members.options.kept.forget(name)
}

function findPool(members: Members, key: string, limit: Limit, nowMs: number): CounterPool | null {
  if (limit.rateLimit === null) return null
  const { pools, options } = members
  const { unit, requestsPerUnit } = limit.rateLimit
  const name = poolName({ key, unit })
  const known = pools.get(name)
  if (known?.limit === requestsPerUnit) return known
  const before = known === undefined ? options.kept.find(name, nowMs) : undefined
  const isSame = before?.limit === requestsPerUnit
  const poolOptions = { limit: requestsPerUnit, unit, lifeSeconds: options.lifeSeconds }
  const counter = {
    key,
    unit,
    limit: requestsPerUnit,
    pool: createPool(poolOptions, isSame ? before.state : undefined),
  }
  pools.set(name, counter)
  if (isSame) for (const member of before.members) restore(members, member, { counter, limit, nowMs })
  return counter
}

/** Takes up what was known before a restart: the stream may be open still, or its client opens another one. */
function restore(
  members: Members,
  { holder, bucket, client, stream: id, domain }: KeptMember,
  { counter, limit, nowMs }: { readonly counter: CounterPool; readonly limit: Limit; readonly nowMs: number },
): void {
  const isOpen = members.openStreams.has(id)
  if (isFullFor(members, bucket) || (client === null && !isOpen)) {
    counter.pool.leave(holder)
    return
  }
  const [stream, sentMs] = [{ id, domain, client }, Number.NEGATIVE_INFINITY]
  add(members, { holder, stream, bucket, limit, kind: 'assigned', counter, sentMs, lastReportMs: nowMs })
  if (!isOpen) detach(members, holder)
}

function isFullFor({ byHolder, characters, options: { total } }: Members, bucket: Bucket): boolean {
  return byHolder.size >= total.buckets || characters + countCharacters(bucket) > total.characters
}

function makeRoom(members: Members, bucket: Bucket): boolean {
  for (const holder of members.detached) {
    if (!isFullFor(members, bucket)) return true
    dropMember(members, holder)
  }
  return !isFullFor(members, bucket)
}

function add(members: Members, member: Member): void {
  members.byHolder.set(member.holder, member)
  members.characters += countCharacters(member.bucket)
  attach(members, member, member.stream)
}

function attach({ byStream, detached }: Members, member: Member, stream: MemberStream): void {
  member.stream = stream
  detached.delete(member.holder)
  const own = byStream.get(stream.id) ?? new Map()
  byStream.set(stream.id, own.set(bucketName(member.bucket), member.holder))
}

function memberOn({ byHolder, byStream }: Members, { id }: MemberStream, bucket: Bucket): Member | undefined {
  const holder = byStream.get(id)?.get(bucketName(bucket))
  return holder === undefined ? undefined : byHolder.get(holder)
}

function matchMember(members: Members, stream: MemberStream, bucket: Bucket, { domain, nowMs, work }: Place): Member {
  const match = domain === null ? null : matchBucket(domain, bucket, members.options.keyPrefix, work)
  const limit = match?.limit ?? null
  const holder = `${stream.id} ${bucketName(bucket)}`
  const common = { holder, stream, bucket, limit, sentMs: Number.NEGATIVE_INFINITY, lastReportMs: nowMs }
  if (match === null || limit === null || limit.rateLimit === null || limit.isShadow) {
    return { ...common, kind: 'allowed', counter: null }
  }
  const { unit, algorithm } = limit.rateLimit
  // A pool draws leases of a window, and only windows of the reference have them.
  const isPooled = unit !== 'SECOND' && algorithm === undefined && limit.further === undefined
  if (!isPooled) return { ...common, kind: 'refused', counter: null }
  return { ...common, kind: 'assigned', counter: findPool(members, match.key, limit, nowMs) }
}

function reclaim(
  { byHolder, reclaims }: Members,
  { stream, counter, bucket }: Member,
  usage: BucketUsage,
  nowMs: number,
): Member | undefined {
  if (stream.client === null || counter === null) return undefined
  const name = bucketName(bucket)
  const holder = reclaims.find(stream.client, name, { usage, pool: counter.pool, nowMs })
  const member = holder === undefined ? undefined : byHolder.get(holder)
  if (member === undefined || member.counter !== counter) return undefined
  reclaims.forget(stream.client, { bucket: name, holder: member.holder })
  return member
}

function detach(members: Members, holder: string): void {
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

function keptMember({ reclaims }: Members, { holder, stream: { id, domain, client }, bucket }: Member): KeptMember {
  const isKnownAgain = client !== null && reclaims.isUnique(client)
  return { holder, stream: id, domain, client: isKnownAgain ? client : null, bucket }
}

/** Matches a bucket; null where the budget is used up. */
function matchOrNone(domain: Domain, bucket: Bucket, keyPrefix: string, work: Work): Match | null {
  try {
    return matchBucket(domain, bucket, keyPrefix, work)
  } catch (error) {
    if (error instanceof RatelimitError) return null
    throw error
  }
}

function isAssignedAs({ unit, limit }: CounterPool, rule: Limit | null): boolean {
  const { isShadow = true, rateLimit = null } = rule ?? {}
  return !isShadow && rateLimit?.unit === unit && rateLimit.requestsPerUnit === limit
}

function poolName({ key, unit }: Pick<CounterPool, 'key' | 'unit'>): string {
  return `${unit} ${key}`
}

function countCharacters(bucket: Bucket): number {
  return bucket.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}
