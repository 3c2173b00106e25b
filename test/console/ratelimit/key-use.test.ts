import { expect, it } from 'vitest'
import { boundRefusals, boundUses } from '#console/ratelimit/key-use.ts'
import type { KeyCount } from '#ratelimit/contract/usage.ts'

const countOf = (key: string, count: number, error = 0): KeyCount => ({
  key,
  count,
  error,
  label: { domain: 'shop', rule: 'shop.login', entries: [] },
})

it('boundRefusals() gives two bounds with the true count between them', () => {
  const refusals = boundRefusals({ from: 0, used: [], refused: [countOf('a', 9, 4)] })
  expect(Object.fromEntries(refusals)).toEqual({ a: { least: 5, most: 9 } })
})

it('boundUses() gives only the lower bound of a key that is refused most and is not among the most used', () => {
  const uses = boundUses({
    from: 0,
    used: [countOf('a', 20), countOf('b', 15, 2)],
    refused: [countOf('a', 12), countOf('c', 8, 3)],
  })
  expect(Object.fromEntries(uses)).toEqual({
    a: { least: 20, most: 20 },
    b: { least: 13, most: 15 },
    c: { least: 5, most: null },
  })
})
