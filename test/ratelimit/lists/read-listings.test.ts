/** Listings as an operator sends them: members, bounds, and the message of each mistake. */

import { expect, test } from 'vitest'
import { listBounds, readListings } from '#ratelimit/lists/read-listings.ts'

const right = { list: 'deny', domain: 'shop', key: 'user', value: 'eve' }

test('readListings() reads values and networks, for good or for some seconds', () => {
  const { value: _, ...network } = { ...right, cidr: '192.0.2.0/24', seconds: 60, reason: 'scraper' }
  expect(readListings({ listings: [right, network] })).toEqual([
    { ...right, isNetwork: false, seconds: null, reason: '' },
    { ...right, value: '192.0.2.0/24', isNetwork: true, seconds: 60, reason: 'scraper' },
  ])
})

test.each([
  [[], 'the body has no list "listings"'],
  [{ listings: {} }, 'the body has no list "listings"'],
  [{ listings: [], domain: 'shop' }, 'the body has an unknown member "domain"'],
  [{ listings: [right, 'eve'] }, 'listings[1] is not an object'],
  [{ listings: [{ ...right, vaule: 'x' }] }, 'listings[0] has an unknown member "vaule", did you mean "value"?'],
  [{ listings: [{ ...right, list: 'block' }] }, 'listings[0].list is "block", expected "allow" or "deny"'],
  [{ listings: [{ ...right, domain: '' }] }, 'listings[0].domain is "", expected 1 to 1024 characters'],
  [{ listings: [{ ...right, key: 7 }] }, 'listings[0].key is 7, expected 1 to 1024 characters'],
  [{ listings: [{ ...right, cidr: '::/0' }] }, 'listings[0] has both value and cidr, expected one of them'],
  [{ listings: [{ ...right, value: undefined }] }, 'listings[0] has neither value nor cidr, expected one of them'],
  [
    { listings: [{ ...right, value: undefined, cidr: '10.0.0.1/8' }] },
    'listings[0].cidr is "10.0.0.1/8", expected a network such as "192.0.2.0/24"',
  ],
  [{ listings: [{ ...right, seconds: -1 }] }, 'listings[0].seconds is -1, expected 0 to 31536000'],
  [{ listings: [{ ...right, reason: 'x'.repeat(201) }] }, 'expected 1 to 200 characters'],
])('readListings() refuses %j', (body, message) => {
  expect(() => readListings(body)).toThrow(`Cannot change lists: `)
  expect(() => readListings(body)).toThrow(message)
})

test('readListings() has a bound', () => {
  const listings = Array.from({ length: listBounds.sent + 1 }, () => right)
  expect(() => readListings({ listings })).toThrow('there are 1001 listings, expected at most 1000')
})
