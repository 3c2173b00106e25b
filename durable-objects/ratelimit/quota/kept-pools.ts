/** Pools of a quota object: found by their limit, and kept for after a restart with the members that hold of them. */

import { createPool } from '#ratelimit/quota/pool.ts'
import type { Limit } from '#ratelimit/rule-book.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import type { KeptMember } from '../storage/pools.ts'
import { addMember, type CounterPool, detach, isFullFor, type Member, type Members, poolName } from './member-table.ts'

/** Milliseconds after the end of a window in which reports still speak of it. */
const lateReportsMs = 30_000

/** Finds the pool of a limit, or makes it, as it was before a restart where that is kept; null without a limit. */
export function findPool(members: Members, key: string, limit: Limit, nowMs: number): CounterPool | null {
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
  addMember(members, { holder, stream, bucket, limit, kind: 'assigned', counter, sentMs, lastReportMs: nowMs })
  if (!isOpen) detach(members, holder)
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

function keptMember({ reclaims }: Members, { holder, stream: { id, domain, client }, bucket }: Member): KeptMember {
  const isKnownAgain = client !== null && reclaims.isUnique(client)
  return { holder, stream: id, domain, client: isKnownAgain ? client : null, bucket }
}
