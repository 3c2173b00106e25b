/** Places of counters: jurisdictions and location hints by domain. */

import { describe, expect, it } from 'vitest'
import { findPlace, parsePlaces, readPlaces } from '#ratelimit/placement/places.ts'

function placesOf(text: string, prefix = '') {
  const places = parsePlaces(text)
  if (places === null) throw new Error(`Cannot read "${text}"`)
  return readPlaces(places, prefix)
}

describe('parsePlaces()', () => {
  it.each(['', 'shop', 'shop=', '=eu', 'eu,us', 'eu+us', 'weur+apac', 'eu+eu', 'a=eu,a=us'])('refuses "%s"', (text) => {
    expect(parsePlaces(text)).toBeNull()
  })
})

describe('findPlace()', () => {
  it('takes the place of the domain, else that of all others, else none', () => {
    const places = placesOf('weur, shop=EU, pay=us+wnam', 'x_')
    expect(findPlace('x_shop_a_', places)).toEqual({ jurisdiction: 'eu', hint: null })
    expect(findPlace('x_pay_a_', places)).toEqual({ jurisdiction: 'us', hint: 'wnam' })
    expect(findPlace('x_other_a_', places)).toEqual({ jurisdiction: null, hint: 'weur' })
    expect(findPlace('x_other_a_', placesOf('shop=eu'))).toEqual({ jurisdiction: null, hint: null })
  })
})

describe('readPlaces()', () => {
  it('refuses different places of domains whose counters can have the same keys, in either order', () => {
    for (const text of ['shop=eu,shop_us=us', 'shop_us=us,shop=eu'])
      expect(() => placesOf(text)).toThrow('different places for "shop" and "shop_us"')
    expect(placesOf('shop=eu,shop_us=eu,shopping=us')).toHaveLength(3)
  })
})
