/** Sampled decisions in Analytics Engine: what a dataset that records gets, and that no failure of it is thrown. */

import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'
import { exportDecisions } from '#workers/ratelimit/adapters/decision-export.ts'

const sampleOf = (value: string): SampledRequest => ({
  at: 1,
  weight: 1,
  code: 'OK',
  request: { domain: 'shop', hitsAddend: 0, descriptors: [{ entries: [{ key: 'login', value }] }] },
  outcomes: [{ rule: 'shop.login', outcome: 'admitted' }],
})

/** An environment with nothing but the export. */
const envOf = (most: number, writeDataPoint?: (point: AnalyticsEngineDataPoint) => void) =>
  // What exports decisions reads nothing else of it.
  ({
    USAGE_EXPORT_SAMPLES: String(most),
    LOG_LEVEL: 'error',
    ...(writeDataPoint && { DECISIONS: { writeDataPoint } }),
  }) as unknown as RatelimitEnv

describe('exportDecisions', () => {
  it('writes as many points as the setting says, and no value in clear', async () => {
    const points: AnalyticsEngineDataPoint[] = []
    const env = envOf(2, (point) => points.push(point))
    await exportDecisions(env, ['mia', 'ada', 'zoe'].map(sampleOf))
    expect(points.map(({ blobs = [] }) => blobs.at(-1))).toEqual([
      'login=#a6ae07ad556c',
      'login=#fdee430d40bd',
    ])
    await exportDecisions(
      envOf(0, (point) => points.push(point)),
      [sampleOf('mia')],
    )
    expect(points).toHaveLength(2)
  })

  it('never throws, whether the dataset is missing, throws or fails later', async () => {
    const failing = () => {
      throw new Error('the dataset is away')
    }
    const failingLater = () => Promise.reject(new Error('the dataset is away'))
    for (const env of [envOf(20), envOf(20, failing), envOf(20, failingLater)]) {
      await expect(exportDecisions(env, [sampleOf('mia'), sampleOf('ada')])).resolves.toBeUndefined()
    }
  })
})
