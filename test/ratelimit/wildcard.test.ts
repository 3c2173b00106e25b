/** Patterns with `*`: where the literals must be, and that they may not share characters. */

import { expect, test } from 'vitest'
import { wildcardMatcher } from '../../src/ratelimit/wildcard.ts'

test.each([
  ['*', ['', 'a', 'anything at all'], []],
  ['user_*', ['user_', 'user_7'], ['user', 'a_user_7']],
  ['*_v1', ['_v1', 'key_v1'], ['key_v1_', 'v1']],
  ['a*a', ['aa', 'aba'], ['a', 'ab']],
  ['a*b*c', ['abc', 'a-b-c', 'abbc'], ['acb', 'ac', 'abcd']],
  ['ab*bc', ['abbc', 'ab-bc'], ['abc']],
  ['a**b', ['ab', 'a*b'], ['a', 'b']],
] as const)('wildcardMatcher() of %s', (pattern, fitting, others) => {
  const matches = wildcardMatcher(pattern)
  expect(fitting.filter((text) => !matches(text))).toEqual([])
  expect(others.filter((text) => matches(text))).toEqual([])
})
