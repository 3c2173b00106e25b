/** A round of a quota object: buckets that it abandons, blanket rules that it renews, and assignments from the pools. */

import type { Placement } from '#ratelimit/placement.ts'
import type { Sent } from '#ratelimit/quota/division.ts'
import { refusalSeconds } from '#ratelimit/quota/holding.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { fillSeconds } from '#ratelimit/quota/token-bucket.ts'
import { quotaStats } from '#ratelimit/statistics/names.ts'
import type { RatelimitEnv } from '../env.ts'
import type { pendingCounts } from '../pending-counts.ts'
import { drawAll } from './draws.ts'
import { type CounterPool, dropMember, type Members } from './member-table.ts'
import { dropPool, savePool } from './saved-pools.ts'

/** The object that plays rounds. */
export interface Round {
  readonly env: RatelimitEnv
  readonly placement: Placement
  /** Its number as a holder of leases. */
  readonly holder: number
  readonly members: Members
  readonly counts: ReturnType<typeof pendingCounts>
}

/** An action for a bucket of a stream. */
type Addressed = readonly [stream: string, action: QuotaAction]

/** A bucket without a counter that was not reported for so long, in milliseconds, is abandoned. */
const blanketSilenceMs = 60_000

/** Plays one round; the actions are to be sent in their order. */
export async function playRound(round: Round): Promise<readonly Addressed[]> {
  return [...abandonSilent(round), ...renewBlankets(round), ...(await assign(round))]
}

function abandonSilent({ members, counts }: Round): readonly Addressed[] {
  const actions: Addressed[] = []
  const now = Date.now()
  const silent = [...members.pools.values()].flatMap(({ pool }) => pool.silent(now))
  for (const [holder, member] of members.byHolder) {
    if (member.counter === null && now - member.lastReportMs > blanketSilenceMs) silent.push(holder)
  }
  for (const holder of silent) {
    const member = members.byHolder.get(holder)
    if (member !== undefined) actions.push([member.stream.id, { bucket: member.bucket, isAbandoned: true }])
    dropMember(members, holder)
    counts.add(quotaStats.abandoned, 1)
  }
  return actions
}

function renewBlankets({ members, counts }: Round): readonly Addressed[] {
  const actions: Addressed[] = []
  const now = Date.now()
  for (const [, member] of members.byHolder) {
    if (member.counter !== null || now - member.sentMs < (refusalSeconds * 1000) / 2) continue
    member.sentMs = now
    const blanket = member.kind === 'allowed' ? 'allow' : 'deny'
    if (blanket === 'deny') counts.add(quotaStats.notAssignable, 1)
    actions.push([member.stream.id, { bucket: member.bucket, seconds: refusalSeconds, blanket }])
  }
  return actions
}

async function assign(round: Round): Promise<readonly Addressed[]> {
  const { env, placement, holder, members, counts } = round
  const actions: Addressed[] = []
  const now = Date.now()
  const plans = [...members.pools.values()].flatMap((counter) => {
    const draw = counter.pool.plan(now)
    if (draw === null && counter.pool.size === 0) dropPool(members, counter)
    return draw === null ? [] : [{ counter, draw }]
  })
  const draws = plans.map(({ counter, draw }) => ({ ...counter, draw }))
  const answers = await drawAll(env, placement, holder, draws)
  for (const [at, { counter, draw }] of plans.entries()) {
    const answer = answers[at] ?? null
    if (answer === null) {
      counter.pool.fail()
      counts.add(quotaStats.drawFailed, 1)
      continue
    }
    counts.add(quotaStats.uncovered, draw.addend)
    const sent = counter.pool.settle(answer.draw, answer.lease, Date.now())
    // Before anything is sent: the platform holds messages back until it is on disk.
    if (draw.wanted > 0 || draw.lease !== null) savePool(members, counter)
    actions.push(...sent.flatMap((one) => address(round, counter, one)))
  }
  return actions
}

function address(
  { members, counts }: Round,
  counter: CounterPool,
  { holder, bucket, seconds }: Sent,
): readonly Addressed[] {
  const member = members.byHolder.get(holder)
  if (member === undefined || member.counter !== counter) return []
  counts.add(bucket === null ? quotaStats.refusals : quotaStats.assignments, 1)
  const rule = bucket === null ? ({ blanket: 'deny' } as const) : { ...bucket, fillSeconds }
  return [[member.stream.id, { bucket: member.bucket, seconds, ...rule }]]
}
