/** Patterns with `*`: where the literals must be, that they may not share characters, and what looking costs. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fits, parseWildcard } from '#ratelimit/wildcard.ts'
import { beginWork } from '#ratelimit/work.ts'
import { enoughWork } from '../support/compile-rules.ts'
import { sweep } from '../support/sweep.ts'

test.each([
  ['*', ['', 'a', 'anything at all'], []],
  ['user_*', ['user_', 'user_7'], ['user', 'a_user_7']],
  ['*_v1', ['_v1', 'key_v1'], ['key_v1_', 'v1']],
  ['a*a', ['aa', 'aba'], ['a', 'ab']],
  ['a*b*c', ['abc', 'a-b-c', 'abbc'], ['acb', 'ac', 'abcd']],
  ['ab*bc', ['abbc', 'ab-bc'], ['abc']],
  ['a**b', ['ab', 'a*b'], ['a', 'b']],
] as const)('fits() of %s', (pattern, fitting, others) => {
  const matches = (text: string) => fits(parseWildcard(pattern), text, enoughWork())
  expect(fitting.filter((text) => !matches(text))).toEqual([])
  expect(others.filter((text) => matches(text))).toEqual([])
})

test('fits() agrees with a regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  const words = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(letters, words, (pattern, text) => {
      const whole = `${pattern}*`
      const expected = new RegExp(`^${whole.split('*').join('.*')}$`).test(text)
      expect(fits(parseWildcard(whole), text, enoughWork())).toBe(expected)
    }),
    { seed: 5, numRuns: sweep(2000) },
  )
  expect(fits(parseWildcard('aba*aba'), 'aba', enoughWork())).toBe(false)
})

function unitsOf(pattern: string, text: string): number {
  const work = beginWork(1_000_000_000)
  fits(parseWildcard(pattern), text, work)
  return work.most - work.left
}

test('fits() charges the characters that it searches, and nothing where the ends do not fit', () => {
  const slashes = '/'.repeat(8_000)
  expect(unitsOf('*/x/*', slashes)).toBe(8_008)
  expect(unitsOf('*/x/*/y/*', slashes)).toBe(8_008)
  expect(unitsOf('*a*', `a${slashes}`)).toBe(9)
  expect(unitsOf('/*z', slashes)).toBe(0)
  expect(unitsOf('*/x/*z', slashes)).toBe(0)
})

test('fits() charges a literal that the engine compares again and again by its length', () => {
  const text = 'a'.repeat(8_000)
  const [short, long] = [250, 1_000].map((length) => unitsOf(`*b${'a'.repeat(length - 1)}*`, text))
  expect(short).toBe(8_008)
  expect(long).toBeGreaterThan(40 * 8_000)
})
