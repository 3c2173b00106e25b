/** JSON as the reference reads it: what `JSON.parse` throws away stays, and what it forgives is refused. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { type JsonNode, parseJsonText } from '#proto-json/strict-json.ts'
import { sweep } from '../support/sweep.ts'

/** The value that `JSON.parse` would give; a number by its text. */
function plain(node: JsonNode): unknown {
  if (node instanceof Map) return Object.fromEntries([...node].map(([name, value]) => [name, plain(value)]))
  if (Array.isArray(node)) return node.map(plain)
  return typeof node === 'object' && node !== null && 'number' in node ? Number(node.number) : node
}

/** Text without lone surrogates, which are refused. */
const unicode = fc.string({ unit: 'binary' })
const { tree } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }), unicode),
  tree: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('tree')), fc.dictionary(unicode, tie('tree'))),
}))

describe('parseJsonText()', () => {
  it('reads what JSON.stringify() writes, with any white space', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, ' ', '\t', '\n'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(plain(parseJsonText(`\r\n${text} `))).toEqual(JSON.parse(text))
      }),
      { seed: 41 },
    )
  })

  it('keeps the digits of numbers, and members in their order', () => {
    const parsed = parseJsonText('{"b": 18446744073709551615, "a": -1.50e+3}')
    expect([...(parsed as ReadonlyMap<string, JsonNode>)]).toEqual([
      ['b', { number: '18446744073709551615' }],
      ['a', { number: '-1.50e+3' }],
    ])
  })

  it('keeps a member of any name from reaching a prototype', () => {
    const parsed = parseJsonText('{"__proto__": {"polluted": true}}')
    expect(parsed).toBeInstanceOf(Map)
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    ['a byte-order mark', '\ufeff{}'],
    ['a comment', '{/* */}'],
    ['a trailing comma of a list', '[1,]'],
    ['a trailing comma of an object', '{"a":1,}'],
    ['a member that occurs twice', '{"a":1,"a":2}'],
    ['a member that occurs twice, once with an escape', '{"a":1,"\\u0061":2}'],
    ['a lone surrogate', '"\ud800"'],
    ['an escaped lone surrogate', '"\\udc00"'],
    ['a control character in a string', '"\n"'],
    ['an escape that does not exist', '"\\x41"'],
    ['a number with a leading zero', '01'],
    ['a number without digits behind the point', '1.'],
    ['a word that is cut', 'tru'],
    ['single quotes', "'a'"],
    ['no value', ' '],
    ['two values', '1 2'],
    ['an object that does not end', '{"a":1'],
    ['a string that does not end', '"a\\'],
    ['a nesting of a hundred and one levels', `${'['.repeat(101)}1${']'.repeat(101)}`],
  ])('refuses %s', (_, text) => {
    const parse = () => parseJsonText(text)
    expect(parse).toThrow(ProtoJsonError)
    expect(parse).toThrow(/^Cannot parse JSON: unexpected .+ at \d+, expected /)
  })

  it('reads a hundred levels', () => {
    expect(plain(parseJsonText(`${'['.repeat(100)}1${']'.repeat(100)}`))).toBeInstanceOf(Array)
  })

  it('refuses what JSON.parse() refuses, with one error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0a1-.e tfn'), maxLength: 12 }), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        try {
          parseJsonText(text)
          expect(isJson).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtoJsonError)
        }
      }),
      { seed: 42, numRuns: sweep(2_000) },
    )
  })
})

describe('parseJsonText() of many objects and lists', () => {
  it.each([
    ['{}', '{'],
    ['[]', '['],
  ])('takes 29,999 times %s in a list, and refuses one more where it begins', (one, first) => {
    const text = (count: number) => `[${Array.from({ length: count }, () => one).join(',')}]`
    expect(parseJsonText(text(29_999))).toHaveLength(29_999)
    expect(() => parseJsonText(text(30_000))).toThrow(
      new ProtoJsonError(
        'malformed_json',
        `Cannot parse JSON: unexpected "${first}" at 89998, expected at most 30000 objects and lists`,
      ),
    )
  })
})
