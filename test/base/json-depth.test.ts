import { expect, test } from 'vitest'
import { canonicalJson, type ExactJson, parseExactJson } from '#base/canonical-json.ts'
import { isNestedDeeper } from '#base/json-depth.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['1', 0, false],
  ['[]', 0, true],
  ['[]', 1, false],
  ['[{"a":[1]}]', 2, true],
  ['[{"a":[1]}]', 3, false],
  ['[[],[],[]]', 2, false],
  ['["[[[[", "\\"[[[["]', 1, false],
] as const)('isNestedDeeper(%j, %i) is %s', (text, levels, expected) => {
  expect(isNestedDeeper(text, levels)).toBe(expected)
})

test('JSON that nests too deep is an error, never an exhausted stack', () => {
  expect(parseExactJson(nested(100))).toBeDefined()
  expect(() => parseExactJson(nested(100_000))).toThrow('nests deeper than 100 levels')
  let value: ExactJson = 1
  for (let level = 0; level < 100_000; level++) value = [value]
  expect(() => canonicalJson(value)).toThrow('nests deeper than 100 levels')
  expect(canonicalJson(parseExactJson(nested(100)) as ExactJson)).toBe(nested(100))
})
