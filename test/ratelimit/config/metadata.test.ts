/** Metadata of a rule: what each YAML value becomes in JSON, and how its keys are printed. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import { toMetadata } from '#ratelimit/config/metadata.ts'
import { parseYaml } from '../../support/read-yaml.ts'

function metadata(text: string) {
  const map = parseYaml(text)
  if (isYamlMistake(map) || map.kind !== 'map') throw new Error(`not a map: ${text}`)
  return toMetadata(map)
}

describe('toMetadata()', () => {
  it.each([
    ['a: text', { a: 'text' }],
    ['a: "5"', { a: '5' }],
    ['a: 5', { a: 5 }],
    ['a: 0x10', { a: 16 }],
    ['a: 1.5', { a: 1.5 }],
    ['a: .inf', { a: Number.POSITIVE_INFINITY }],
    ['a: yes', { a: true }],
    ['a: ~', { a: null }],
    ['a: [1, [x], {b: 2}]', { a: [1, ['x'], { b: 2 }] }],
    ['a: 1\na: 2', { a: 2 }],
  ])('of %j is %j', (text, expected) => {
    expect(metadata(text)).toEqual(expected)
  })

  it.each([
    ['0x10: a', { '0x10': 'a' }],
    ['yes: a', { yes: 'a' }],
    ['~: a', { '': 'a' }],
  ])('keeps the text of a key at the top: %j', (text, expected) => {
    expect(metadata(text)).toEqual(expected)
  })

  it.each([
    ['m: {0x10: a}', { m: { 16: 'a' } }],
    ['m: {yes: a}', { m: { true: 'a' } }],
    ['m: {~: a}', { m: { '<nil>': 'a' } }],
  ])('prints what a key below the top means: %j', (text, expected) => {
    expect(metadata(text)).toEqual(expected)
  })

  it('gives back every JSON object without a number that YAML cannot hold', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const key = fc.stringMatching(/^[a-z]{3,6}$/).map((word) => `k${word}`)
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (object) => {
        expect(metadata(JSON.stringify(object))).toEqual(object)
      }),
      { seed: 5 },
    )
  })
})
