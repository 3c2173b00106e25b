/** Hashes of what identifies a user: values are replaced, equal ones stay equal, and all else stays as it is. */

import { expect, test } from 'vitest'
import { hashKeys, hashValues } from '#objects/ratelimit/usage/hash-values.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'

// FIPS 180-2, B.1: SHA-256("abc") begins with ba7816bf 8f01.
const abc = '#ba7816bf8f01'
// The empty message.
const empty = '#e3b0c44298fc'

const sample: SampledRequest = {
  at: 1,
  weight: 3,
  code: 'OVER_LIMIT',
  request: {
    domain: 'abc',
    hitsAddend: 2,
    descriptors: [
      { entries: [{ key: 'abc', value: 'abc' }], hitsAddend: 4n },
      {
        entries: [
          { key: 'a', value: '' },
          { key: 'b', value: 'abc' },
        ],
      },
    ],
  },
  outcomes: [{ rule: 'abc', outcome: 'refused' }],
}

test('hashValues() replaces the values of entries, and no key, domain, rule or number', async () => {
  const [first, second] = sample.request.descriptors
  expect(await hashValues([sample])).toEqual([
    {
      ...sample,
      request: {
        ...sample.request,
        descriptors: [
          { ...first, entries: [{ key: 'abc', value: abc }] },
          {
            ...second,
            entries: [
              { key: 'a', value: empty },
              { key: 'b', value: abc },
            ],
          },
        ],
      },
    },
  ])
})

test('hashKeys() replaces the key, which has the values in it, and the values of its entries', async () => {
  const label = { domain: 'shop', rule: 'shop.a', entries: [{ key: 'k', value: 'abc' }] }
  expect(await hashKeys([{ key: 'abc', label, count: 7, error: 1 }])).toEqual([
    { key: abc, label: { domain: 'shop', rule: 'shop.a', entries: [{ key: 'k', value: abc }] }, count: 7, error: 1 },
  ])
})
