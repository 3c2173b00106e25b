/** Each bound on a request: met exactly, and passed by one. */

import { describe, expect, it } from 'vitest'
import { assertWithinBounds } from '#ratelimit/bounds.ts'

const bounds = {
  REQUEST_MAX_DESCRIPTORS: 2,
  REQUEST_MAX_ENTRIES: 2,
  REQUEST_MAX_KEY_LENGTH: 3,
  REQUEST_MAX_VALUE_LENGTH: 4,
  REQUEST_MAX_DOMAIN_LENGTH: 5,
}
const entry = { key: 'abc', value: 'abcd' }
const descriptor = { entries: [entry, entry] }
const largest = { domain: 'abcde', descriptors: [descriptor, descriptor], hitsAddend: 0 }

describe('assertWithinBounds()', () => {
  it('takes a request that meets every bound', () => {
    expect(() => assertWithinBounds(largest, bounds)).not.toThrow()
  })

  it.each([
    ['6 characters in the domain, expected at most 5 (REQUEST_MAX_DOMAIN_LENGTH)', { domain: 'abcdef' }],
    [
      '3 descriptors, expected at most 2 (REQUEST_MAX_DESCRIPTORS)',
      { descriptors: [descriptor, descriptor, descriptor] },
    ],
    [
      '3 entries in one descriptor, expected at most 2 (REQUEST_MAX_ENTRIES)',
      { descriptors: [descriptor, { entries: [entry, entry, entry] }] },
    ],
    [
      '4 characters in a key, expected at most 3 (REQUEST_MAX_KEY_LENGTH)',
      { descriptors: [{ entries: [entry, { key: 'abcd', value: '' }] }] },
    ],
    [
      '5 characters in a value, expected at most 4 (REQUEST_MAX_VALUE_LENGTH)',
      { descriptors: [{ entries: [{ key: '', value: 'abcde' }] }] },
    ],
  ])('refuses %s', (state, more) => {
    expect(() => assertWithinBounds({ ...largest, ...more }, bounds)).toThrow(
      expect.objectContaining({ code: 'request_too_large', message: `Cannot decide: ${state}` }),
    )
  })
})
