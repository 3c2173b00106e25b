/** Draws of leases through the object of a region, and from the counters where there is none or it is away. */

import type { WireDraw } from '#ratelimit/lease/lease.ts'
import type { CallDraws, DrawCall } from '#ratelimit/lease/source.ts'
import type { LocationHint } from '#ratelimit/placement/places.ts'
import { readObjectName } from '#ratelimit/placement.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RatelimitEnv } from '../env.ts'
import { withDeadline } from './deadline.ts'
import { drawCalls } from './lease-source.ts'

/** Milliseconds for which a region that did not answer is not asked. */
const awayMs = 10_000
/** Objects of the region that are kept in mind as away. */
const mostAway = 256

/** Makes the caller of a deployment's counters, through the objects of a region where `LEASE_REGIONS` names any. */
export function placedDraws(env: RatelimitEnv, settings: Settings, regionOf: () => LocationHint | null): CallDraws {
  const home = drawCalls(env, settings)
  // A fifth leaves time to ask the counter.
  return settings.LEASE_REGIONS.length === 0 ? home : regionDraws(env, home, regionOf, settings.COUNTER_TIMEOUT / 5)
}

/**
 * Makes the caller of a region.
 *
 * A question that the region does not answer in time goes to the counter without a lease. What the region did with it
 * counts as used until the window ends. Counters in a jurisdiction are asked themselves: no object outside holds them.
 *
 * @param home - calls the counters.
 * @param regionOf - the region of this isolate; null while it is not known.
 * @param timeoutMs - the longest wait for a region.
 */
export function regionDraws(
  { LEASE_REGION }: Pick<RatelimitEnv, 'LEASE_REGION'>,
  home: CallDraws,
  regionOf: () => LocationHint | null,
  timeoutMs: number,
): CallDraws {
  const awayUntilMs = new Map<string, number>()

  async function askRegion(region: LocationHint, call: DrawCall) {
    if (Date.now() < (awayUntilMs.get(call.object) ?? 0)) return []
    try {
      const stub = LEASE_REGION.getByName(`${region} ${call.object}`, { locationHint: region })
      const draws = await withDeadline(stub.lease(call), timeoutMs)
      awayUntilMs.delete(call.object)
      return draws
    } catch {
      if (awayUntilMs.size >= mostAway) awayUntilMs.clear()
      awayUntilMs.set(call.object, Date.now() + awayMs)
      return []
    }
  }

  return async (call) => {
    const region = readObjectName(call.object).jurisdiction === null ? regionOf() : null
    if (region === null) return home(call)
    const answers = await askRegion(region, call)
    const missing = call.draws.filter((_, at) => answers[at] == null)
    const bare = missing.map(([key, unit, addend, limit]): WireDraw => [key, unit, addend, limit, 0, 0, []])
    const plain = bare.length === 0 ? [] : [...(await home({ ...call, draws: bare }))]
    return call.draws.flatMap((_, at) => answers[at] ?? plain.shift() ?? [])
  }
}
