/** Parts of a bucket: whole numbers below 2^52, by which it never fills faster than its limit says. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { longestPeriod, secondsToFill } from '#ratelimit/algorithm/algorithm.ts'
import { measureBucket } from '#ratelimit/algorithm/token-bucket.ts'
import { sweep } from '../../support/sweep.ts'

describe('measureBucket()', () => {
  it('keeps every number below 2^52, and the rate within one part in 30,000 below the limit', () => {
    const random = createRandom(1, 'buckets')
    const draw = (most: number) => Math.ceil(Math.exp(random.uniform() * Math.log(most)))
    for (let turn = 0; turn < sweep(200_000, 5_000); turn++) {
      const [seconds, rate, burst] = [draw(longestPeriod / 2), draw(4_294_967_295), draw(4_294_967_295)]
      if (seconds + secondsToFill({ seconds, burst }, rate) > longestPeriod) continue
      const { hit, flow, period } = measureBucket({ kind: 'token_bucket', seconds, burst, charge: 'all' }, rate)
      const bucket = { seconds, rate, burst, hit, flow, period }
      const filled = (flow * seconds * 1_000) / hit / rate
      expect(bucket).toMatchObject({
        hit: Math.ceil(hit),
        flow: Math.floor(flow),
        period: Math.ceil(period / seconds) * seconds,
      })
      expect(filled, JSON.stringify(bucket)).toBeGreaterThan(1 - 1 / 30_000)
      expect(filled, JSON.stringify(bucket)).toBeLessThanOrEqual(1)
      expect(flow * period * 1_000 + burst * hit).toBeLessThanOrEqual(2 ** 52)
    }
  })
})
