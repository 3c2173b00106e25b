import { expect, test } from 'vitest'
import { canonicalJson, type ExactJson, parseExactJson } from '#base/canonical-json.ts'
import { findJsonExcess } from '#base/json-depth.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['1', 0, undefined],
  ['[]', 0, 'nests deeper than 0 levels'],
  ['[]', 1, undefined],
  ['[{"a":[1]}]', 2, 'nests deeper than 2 levels'],
  ['[{"a":[1]}]', 3, undefined],
  ['[[],[],[]]', 2, undefined],
  ['["[[[[", "\\"[[[["]', 1, undefined],
] as const)('findJsonExcess(%j, %i) is %s', (text, levels, expected) => {
  expect(findJsonExcess(text, levels)).toBe(expected)
})

test('findJsonExcess() counts objects and lists', () => {
  expect(findJsonExcess(`[${'{},'.repeat(499_999)}1]`, 2)).toBeUndefined()
  expect(findJsonExcess(`[${'{},'.repeat(500_000)}1]`, 2)).toBe('has more than 500000 objects and lists')
})

test('JSON that nests too deep is an error, never an exhausted stack', () => {
  expect(parseExactJson(nested(100))).toBeDefined()
  expect(() => parseExactJson(nested(100_000))).toThrow('nests deeper than 100 levels')
  let value: ExactJson = 1
  for (let level = 0; level < 100_000; level++) value = [value]
  expect(() => canonicalJson(value)).toThrow('nests deeper than 100 levels')
  expect(canonicalJson(parseExactJson(nested(100)) as ExactJson)).toBe(nested(100))
})
