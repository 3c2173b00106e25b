/** Samples: every request has the same chance, and represents as many as were left out. */

import { describe, expect, it } from 'vitest'
import type { RateLimitRequest } from '#ratelimit/types.ts'
import { usageBounds } from '#ratelimit/usage/bounds.ts'
import { addSample, reportSamples } from '#ratelimit/usage/samples.ts'
import type { DecidedRequest } from '#ratelimit/usage/types.ts'

function decidedOf(request: Partial<RateLimitRequest> = {}, nowMs = 60_000): DecidedRequest {
  const asked = {
    domain: 'shop',
    descriptors: [{ entries: [{ key: 'user', value: 'ann' }] }],
    hitsAddend: 0,
    ...request,
  }
  return {
    request: asked,
    response: { overallCode: 'OK', statuses: [], responseHeadersToAdd: [] },
    decided: asked.descriptors.map((descriptor) => ({
      match: { descriptor, limit: null, key: '', isReplaced: false },
      status: { code: 'OK', limitRemaining: 0 },
      isOver: true,
    })),
    isKnownDomain: true,
    isShadowed: false,
    nowMs,
  }
}

/** Samples requests that are numbered from 1 by their time. */
function sampled(count: number, chance: () => number): readonly number[] {
  const samples: DecidedRequest[] = []
  for (let at = 1; at <= count; at++) addSample(samples, at, decidedOf({}, at), chance)
  return samples.map(({ nowMs }) => nowMs)
}

const size = usageBounds.samples

describe('addSample()', () => {
  it('takes every request while there is room', () => {
    expect(sampled(size, () => 0)).toEqual(Array.from({ length: size }, (_, at) => at + 1))
  })

  it('puts a request at the place that chance names, or leaves it out', () => {
    expect(sampled(size + 1, () => 0)[0]).toBe(size + 1)
    expect(sampled(size + 1, () => 0.5)[Math.floor(0.5 * (size + 1))]).toBe(size + 1)
    expect(sampled(size + 1, () => 0.999)).toEqual(sampled(size, () => 0))
  })

  it('gives every request the same chance', () => {
    let state = 1
    const chance = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state / 2 ** 32
    }
    const [total, rounds] = [4 * size, 2_000]
    const times = new Array<number>(total).fill(0)
    for (let round = 0; round < rounds; round++) {
      for (const one of sampled(total, chance)) times[one - 1] = (times[one - 1] ?? 0) + 1
    }
    // Each is drawn a quarter of the time; six standard deviations are 116.
    for (const drawn of times) expect(Math.abs(drawn - rounds / 4)).toBeLessThan(120)
  })
})

describe('reportSamples()', () => {
  it('gives each sample its number of requests, and the result of each descriptor', () => {
    const [one] = reportSamples([decidedOf(), decidedOf()], 10)
    expect(one).toMatchObject({ at: 60_000, weight: 5, code: 'OK', outcomes: [{ rule: null, outcome: 'shadow' }] })
  })

  const text = (length: number) => 'x'.repeat(length)
  const entries = (count: number) => [{ entries: Array.from({ length: count }, () => ({ key: 'k', value: 'v' })) }]

  /** Eight entries: with the domain "shop" they have 2,048 characters when four of them are long. */
  const texts = (long: number, short: number) => [
    {
      entries: [...Array(long).fill(255), ...Array(short).fill(254)].map((length: number) => ({
        key: 'k',
        value: text(length),
      })),
    },
  ]

  it.each([
    ['domain', { domain: text(usageBounds.sampleText) }, { domain: text(usageBounds.sampleText + 1) }],
    [
      'value',
      { descriptors: [{ entries: [{ key: 'k', value: text(usageBounds.sampleText) }] }] },
      { descriptors: [{ entries: [{ key: 'k', value: text(usageBounds.sampleText + 1) }] }] },
    ],
    [
      'list of entries',
      { descriptors: entries(usageBounds.sampleEntries) },
      { descriptors: entries(usageBounds.sampleEntries + 1) },
    ],
    ['sum of texts', { descriptors: texts(4, 4) }, { descriptors: texts(5, 3) }],
  ])('leaves out a request with too long a %s', (_what, right, long) => {
    expect(reportSamples([decidedOf(right)], 1)).toHaveLength(1)
    expect(reportSamples([decidedOf(long)], 1)).toEqual([])
  })

  it('is empty for an empty sample', () => {
    expect(reportSamples([], 0)).toEqual([])
  })
})
