/** Sampled decisions as data points of an Analytics Engine dataset, after the answers have gone. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { hashValues } from '#objects/ratelimit/usage/hash-values.ts'
import { dataPointOf } from '#ratelimit/usage/data-point.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'
import { isolateOf } from './isolate.ts'
import { loggerOf } from './logger.ts'

/** Environments whose log already has what keeps decisions from being exported. */
const told = new WeakSet<RatelimitEnv>()

/**
 * Writes at most `USAGE_EXPORT_SAMPLES` points to the binding `DECISIONS`, with values hashed.
 *
 * It never throws: decisions were made, and what cannot be written is left out. The log says so once for each isolate.
 */
export async function exportDecisions(env: RatelimitEnv, samples: readonly SampledRequest[]): Promise<void> {
  try {
    const most = isolateOf(env).settings.values.USAGE_EXPORT_SAMPLES
    if (most === 0 || samples.length === 0) return
    const dataset = env.DECISIONS
    if (dataset === undefined) {
      throw new Error('there is no binding DECISIONS, expected an Analytics Engine dataset of this name')
    }
    for (const sample of await hashValues(samples.slice(0, most))) {
      // The platform's dataset answers at once; another binding in its place may fail later.
      await dataset.writeDataPoint(mutable(dataPointOf(sample)))
    }
  } catch (error) {
    if (told.has(env)) return
    told.add(env)
    loggerOf(env).error('Cannot export sampled decisions (USAGE_EXPORT_SAMPLES): they are left out', error)
  }
}

/** The platform's types ask for arrays that could be written to. */
function mutable({ indexes, blobs, doubles }: ReturnType<typeof dataPointOf>): AnalyticsEngineDataPoint {
  return { indexes: [...indexes], blobs: [...blobs], doubles: [...doubles] }
}
