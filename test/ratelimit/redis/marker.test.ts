/** markerKey: a separate key for every counter, in the same slot with any braces in the counter. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markerKey } from '#ratelimit/redis/marker.ts'
import { keySlot } from '#ratelimit/redis/slot.ts'
import { sweep } from '../../support/sweep.ts'

test.each([
  ['shop_k_v_1200', '{shop_k_v_1200}:block'],
  ['shop_{t}_1200', 'block:shop_{t}_1200:block'],
])('markerKey() names the marker of %s', (counter, marker) => {
  expect(markerKey(counter)).toBe(marker)
})

test('markerKey() stays in the slot of its counter (property)', () => {
  const text = fc.string({ unit: fc.constantFrom('{', '}', 'a', 'b', '_', 'é', '0'), maxLength: 12 })
  fc.assert(
    fc.property(text, (start) => {
      const counter = `${start}_1200`
      expect(keySlot(markerKey(counter))).toBe(keySlot(counter))
      expect(markerKey(counter)).not.toBe(counter)
    }),
    { seed: 9, numRuns: sweep(300) },
  )
})

test('markerKey() names no two counters alike (property)', () => {
  const text = fc.string({ unit: fc.constantFrom('{', '}', ':', 'block', 'a', '0'), maxLength: 6 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      fc.pre(one !== other)
      expect(markerKey(`${one}_1200`)).not.toBe(markerKey(`${other}_1200`))
    }),
    { seed: 10, numRuns: sweep(200) },
  )
})
