/** A list that forgets its oldest items. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRing, firstRetained, listRing, pushRing } from '#base/ring.ts'

describe('pushRing()', () => {
  it('keeps the last items in order, for any items', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(fc.integer()), (capacity, items) => {
        const ring = createRing<number>(capacity)
        const forgotten = items.map((item) => pushRing(ring, item)).filter((item) => item !== undefined)
        expect(listRing(ring)).toEqual(items.slice(-capacity))
        expect(forgotten).toEqual(items.slice(0, Math.max(0, items.length - capacity)))
        expect(firstRetained(ring)).toBe(Math.max(0, items.length - capacity))
      }),
      { seed: 1 },
    )
  })
})
