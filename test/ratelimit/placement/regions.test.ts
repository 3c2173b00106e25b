/** Regions: the nearest one to a caller. */

import { describe, expect, it } from 'vitest'
import { nearestRegion } from '#ratelimit/placement/regions.ts'

const berlin = { latitude: 52.5, longitude: 13.4 }
const honolulu = { latitude: 21.3, longitude: -157.9 }
const auckland = { latitude: -36.8, longitude: 174.8 }

describe('nearestRegion()', () => {
  it('is the region with the nearest city, also across the date line', () => {
    expect(nearestRegion(['enam', 'weur', 'apac', 'oc'], berlin)).toBe('weur')
    expect(nearestRegion(['weur', 'eeur'], berlin)).toBe('eeur')
    expect(nearestRegion(['apac-ne', 'wnam', 'oc'], honolulu)).toBe('wnam')
    expect(nearestRegion(['sam', 'oc'], auckland)).toBe('oc')
  })

  it('is known without a location only where there is no other', () => {
    expect(nearestRegion(['weur'], null)).toBe('weur')
    expect(nearestRegion(['weur', 'apac'], null)).toBeNull()
    expect(nearestRegion([], berlin)).toBeNull()
  })
})
