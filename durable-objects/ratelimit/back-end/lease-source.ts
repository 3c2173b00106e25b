/** Draws of leases from the objects that count, over every back end. */

import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import type { CallDraws, DrawCall } from '#ratelimit/lease/source.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RatelimitEnv } from '../env.ts'
import { requireValue, type StoreAnswer } from '../store-answer.ts'
import { counterAt } from './counter-at.ts'
import { callObject } from './counter-store.ts'

/** Makes the caller of the back end in use. Stubs are made per call, as every isolate must. */
export function drawCalls(env: RatelimitEnv, { BACKEND_TYPE: backend }: Settings): CallDraws {
  if (backend === 'redis') return (call) => drawFrom(env.REDIS.getByName(call.object), call)
  if (backend === 'memcache') return (call) => drawFrom(env.MEMCACHE.getByName(call.object), call)
  return async ({ object, id, holder, draws }) => {
    return decodeDraws(await callObject(object, async () => counterAt(env.COUNTER, object).lease(id, holder, draws)))
  }
}

interface LeasingMember {
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<StoreAnswer<readonly number[]>>
}

async function drawFrom(member: LeasingMember, { id, holder, draws }: DrawCall) {
  return decodeDraws(requireValue(await member.lease(id, holder, draws)))
}
