/** Channels without noise: found after six frames, never by chance, never at a dead bus. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { countRepeats, testFrozen } from '#grid/control-centre/frozen-channels.ts'
import { phasorView } from '../../support/phasor-view.ts'

/** Counts over a row of frames. */
function follow(views: readonly ReturnType<typeof phasorView>[]): readonly number[] {
  let counts: readonly number[] = []
  views.forEach((now, index) => {
    counts = countRepeats(counts, views[index - 1], now)
  })
  return counts
}

const random = createRandom(4, 'meters')
const noisy = (change: Parameters<typeof phasorView>[0] = {}) =>
  phasorView({
    frequencyHz: Math.fround(60 + 0.0008 * random.normal()),
    phasors: [{ magnitudePu: 1 + 0.002 * random.normal(), angleRad: random.normal() }],
    ...change,
  })

describe('testFrozen()', () => {
  it('names the channel that had one value for six frames, and not for five', () => {
    const frames = Array.from({ length: 6 }, () => noisy({ frequencyHz: 60 }))
    expect(testFrozen('PMU-1', follow(frames.slice(1)))).toEqual([])
    expect(testFrozen('PMU-1', follow(frames))).toMatchObject([
      { detector: 'frozen', where: 'PMU-1', evidence: { channels: ['FREQ'] } },
    ])
  })

  it('names magnitudes and angles by their phasor', () => {
    const frames = Array.from({ length: 6 }, () => noisy({ phasors: [{ magnitudePu: 1, angleRad: random.normal() }] }))
    expect(testFrozen('PMU-1', follow(frames))[0]?.evidence.channels).toEqual(['magnitude of phasor 0'])
  })

  it('is silent about honest noise, a dead bus, and frames that repeat as a whole', () => {
    let counts: readonly number[] = []
    let before = noisy()
    for (let frame = 0; frame < 50_000; frame++) {
      const now = noisy()
      counts = countRepeats(counts, before, now)
      expect(testFrozen('PMU-1', counts)).toEqual([])
      before = now
    }
    const dead = Array.from({ length: 9 }, () => noisy({ phasors: [{ magnitudePu: 0, angleRad: 0 }] }))
    expect(testFrozen('PMU-1', follow(dead))).toEqual([])
    const same = noisy()
    expect(testFrozen('PMU-1', follow(Array.from({ length: 9 }, () => same)))).toEqual([])
  })
})
