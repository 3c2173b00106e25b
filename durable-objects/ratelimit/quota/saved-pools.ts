/** Pools of a quota object: opened by limit, and saved with their members to survive a restart. */

import { createPool } from '#ratelimit/quota/pool.ts'
import type { Limit } from '#ratelimit/rule-book.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import type { SavedMember, SavedPool } from '../storage/pools.ts'
import { addMember, type CounterPool, detach, isFullFor, type Member, type Members, poolName } from './member-table.ts'

/** Milliseconds after the end of a window in which reports still speak of it. */
const lateReportsMs = 30_000

/** Returns the pool of a limit, restored from disk or created when it is not open yet; null for an unlimited one. */
export function openPool(members: Members, key: string, limit: Limit, nowMs: number): CounterPool | null {
  if (limit.rateLimit === null) return null
  const { pools, options } = members
  const { unit, requestsPerUnit } = limit.rateLimit
  const name = poolName({ key, unit })
  const before = pools.get(name)
  if (before?.limit === requestsPerUnit) return before
  // A pool of another limit is of earlier rules: `rematchMembers` has dropped its members, and nothing is restored.
  const saved = before === undefined ? findSaved(members, name, requestsPerUnit, nowMs) : undefined
  const pool = createPool({ limit: requestsPerUnit, unit, lifeSeconds: options.lifeSeconds }, saved?.state)
  const counter = { key, unit, limit: requestsPerUnit, pool }
  pools.set(name, counter)
  for (const member of saved?.members ?? []) restoreMember(members, member, { counter, limit, nowMs })
  return counter
}

function findSaved({ options }: Members, name: string, limit: number, nowMs: number): SavedPool | undefined {
  const saved = options.saved.find(name, nowMs)
  return saved?.limit === limit ? saved : undefined
}

/** Restores a member: on its stream if that is open, else detached until its client opens another. */
function restoreMember(
  members: Members,
  { holder, bucket, client, stream: id, domain }: SavedMember,
  { counter, limit, nowMs }: { readonly counter: CounterPool; readonly limit: Limit; readonly nowMs: number },
): void {
  const isOpen = members.openStreams.has(id)
  if (isFullFor(members, bucket) || (client === null && !isOpen)) {
    counter.pool.leave(holder)
    return
  }
  addMember(members, {
    ...{ holder, bucket, limit, counter },
    stream: { id, domain, client },
    kind: 'assigned',
    sentMs: Number.NEGATIVE_INFINITY,
    lastReportMs: nowMs,
  })
  if (!isOpen) detach(members, holder)
}

/** Saves a pool, if its window is a minute. */
export function savePool(members: Members, counter: CounterPool): void {
  const { saved } = members.options
  // A restart loses less than 1 % of a longer window, which is not worth a row per draw.
  const state = counter.unit === 'MINUTE' ? counter.pool.state() : null
  if (state === null) return
  const holdings = state.holdings.filter(([, { assignments }]) => assignments.length > 0)
  const holders = holdings.flatMap(([holder]) => {
    const member = members.byHolder.get(holder)
    return member === undefined ? [] : [toSavedMember(members, member)]
  })
  // Without an identifiable client no member could be restored.
  if (holders.every(({ client }) => client === null)) {
    saved.forget(poolName(counter))
    return
  }
  const endsMs = (state.window + unitSeconds[counter.unit]) * 1000 + lateReportsMs
  saved.save(poolName(counter), { limit: counter.limit, state: { ...state, holdings }, members: holders }, endsMs)
}

/** Forgets a pool that has no member. */
export function dropPool(members: Members, counter: CounterPool): void {
  if (counter.pool.size > 0) return
  const name = poolName(counter)
  members.pools.delete(name)
  if (counter.unit === 'MINUTE') members.options.saved.forget(name)
}

function toSavedMember({ reclaims }: Members, { holder, stream: { id, domain, client }, bucket }: Member): SavedMember {
  const isIdentifiable = client !== null && reclaims.isUnique(client)
  return { holder, stream: id, domain, client: isIdentifiable ? client : null, bucket }
}
