/** Members: the buckets of streams, each with the pool that it draws from. */

import { RatelimitError } from '#ratelimit/errors.ts'
import type { Match } from '#ratelimit/match.ts'
import { type Bucket, bucketName, matchBucket } from '#ratelimit/quota/bucket.ts'
import type { BucketUsage } from '#ratelimit/quota/messages.ts'
import type { Domain, Limit } from '#ratelimit/rule-book.ts'
import type { RateLimit } from '#ratelimit/types.ts'
import type { Work } from '#ratelimit/work.ts'
import {
  addMember,
  attach,
  type CounterPool,
  dropMember,
  type Member,
  type MemberStream,
  type Members,
  makeRoom,
  memberOn,
  noteTime,
} from './member-table.ts'
import { openPool } from './saved-pools.ts'

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
  addMember(members, made)
  return { member: made, origin: 'new' }
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

function matchMember(members: Members, stream: MemberStream, bucket: Bucket, { domain, nowMs, work }: Place): Member {
  const match = domain === null ? null : matchBucket(domain, bucket, members.options.keyPrefix, work)
  const limit = match?.limit ?? null
  const holder = `${stream.id} ${bucketName(bucket)}`
  const common = { holder, stream, bucket, limit, sentMs: Number.NEGATIVE_INFINITY, lastReportMs: nowMs }
  if (match === null || limit === null || limit.rateLimit === null || limit.isShadow) {
    return { ...common, kind: 'allowed', counter: null }
  }
  if (!isAssignable(limit, limit.rateLimit)) return { ...common, kind: 'refused', counter: null }
  return { ...common, kind: 'assigned', counter: openPool(members, match.key, limit, nowMs) }
}

/** A pool draws leases of a window, and only windows of the reference have them. */
function isAssignable({ further }: Limit, { unit, algorithm }: RateLimit): boolean {
  return unit !== 'SECOND' && algorithm === undefined && further === undefined
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
  const rateLimit = rule?.rateLimit
  if (rule == null || rateLimit == null || rule.isShadow || !isAssignable(rule, rateLimit)) return false
  return rateLimit.unit === unit && rateLimit.requestsPerUnit === limit
}
