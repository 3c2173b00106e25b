/** State of one isolate that depends only on the deployment: settings, logger, cache. */

import type { Logger } from '#base/logger.ts'
import { consoleLogger } from '#objects/base/log.ts'
import { placedDraws } from '#objects/ratelimit/back-end/region-draws.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { createLeaseHolder, type LeaseHolder } from '#ratelimit/lease/holder.ts'
import { leaseSource } from '#ratelimit/lease/source.ts'
import { createOverLimitCache, type OverLimitCache } from '#ratelimit/over-limit-cache.ts'
import { nearestRegion } from '#ratelimit/placement/regions.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { requestFields } from '../../edge/request-context.ts'
import { isolateLocation } from './location.ts'

/** The settings of a deployment, and this isolate's memory of counters that are over. */
export interface Isolate {
  readonly settings: Settings
  readonly logger: Logger
  /** Null when `LOCAL_CACHE_SIZE_IN_BYTES` is 0; bounded by it otherwise. */
  readonly overLimitCache: OverLimitCache | null
  /** Null while `LEASES` is off. */
  readonly leases: LeaseHolder | null
}

const isolates = new WeakMap<RatelimitEnv, Isolate>()

/**
 * Reads the settings once for every environment that this isolate is given, which is one.
 *
 * @throws RatelimitError with code `invalid_settings`, at every request until the deployment is put right.
 */
export function openIsolate(env: RatelimitEnv): Isolate {
  const known = isolates.get(env)
  if (known !== undefined) return known
  const settings = readSettings({ ...env })
  const { LOCAL_CACHE_SIZE_IN_BYTES: cacheBytes } = settings
  const isolate = {
    settings,
    logger: consoleLogger(settings, requestFields),
    overLimitCache: cacheBytes > 0 ? createOverLimitCache(cacheBytes) : null,
    leases: settings.leases === null ? null : createLeases(env, settings),
  }
  isolates.set(env, isolate)
  return isolate
}

function createLeases(env: RatelimitEnv, settings: Settings): LeaseHolder {
  const draws = placedDraws(env, settings, () => nearestRegion(settings.LEASE_REGIONS, isolateLocation()))
  const source = leaseSource(settings, draws, () => Math.floor(Date.now() / 1000))
  const world = {
    now: Date.now,
    wait: (milliseconds: number) => scheduler.wait(milliseconds),
    drawId: () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
  }
  return createLeaseHolder({ most: settings.LEASES_MAX_KEYS, source, world })
}
