import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '#base/utf8.ts'
import { dataPointOf, pointBounds } from '#ratelimit/usage/data-point.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'

const sample: SampledRequest = {
  at: 1_764_000_000_123,
  weight: 2.5,
  code: 'OVER_LIMIT',
  request: {
    domain: 'shop',
    hitsAddend: 0,
    descriptors: [
      { entries: [{ key: 'tenant', value: 't1' }] },
      {
        entries: [
          { key: 'login', value: '#1234' },
          { key: 'ip', value: '#5678' },
        ],
        hitsAddend: 3n,
      },
    ],
  },
  outcomes: [
    { rule: 'shop.tenant', outcome: 'admitted' },
    { rule: 'shop.login', outcome: 'refused' },
  ],
}

describe('dataPointOf', () => {
  it('says which rule refused which descriptor, and for how many requests it stands', () => {
    expect(dataPointOf(sample)).toEqual({
      indexes: ['shop'],
      blobs: ['shop', 'OVER_LIMIT', 'refused', 'shop.login', 'login=#1234,ip=#5678'],
      doubles: [2.5, 3, 2, 1_764_000_000_123],
    })
  })

  it('prefers a rule in shadow mode to one that admitted, and an unmatched request has none', () => {
    const outcomes = [
      { rule: 'shop.tenant', outcome: 'shadow' },
      { rule: null, outcome: 'admitted' },
    ] as const
    expect(dataPointOf({ ...sample, code: 'OK', outcomes })).toMatchObject({
      blobs: ['shop', 'OK', 'shadow', 'shop.tenant', 'tenant=t1'],
      doubles: [2.5, 1, 2, sample.at],
    })
    const unmatched = outcomes.map(() => ({ rule: null, outcome: 'admitted' }) as const)
    expect(dataPointOf({ ...sample, code: 'OK', outcomes: unmatched }).blobs).toEqual([
      'shop',
      'OK',
      'admitted',
      '',
      'tenant=t1',
    ])
  })

  it.each(['a', 'é', '€', '🛶'])(
    'cuts texts of %s at a character, within the bounds of the platform',
    (letter) => {
      const domain = letter.repeat(2_000)
      const { indexes, blobs } = dataPointOf({ ...sample, request: { ...sample.request, domain } })
      const [index, blob] = [indexes[0], blobs[0]].map((text) => encodeUtf8(text).length)
      expect([domain.startsWith(indexes[0]), domain.startsWith(blobs[0])]).toEqual([true, true])
      expect([pointBounds.index - Number(index), pointBounds.blob - Number(blob)]).toEqual(
        [pointBounds.index, pointBounds.blob].map((bound) => bound % encodeUtf8(letter).length),
      )
    },
  )
})
