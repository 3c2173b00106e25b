import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type ExactJson, parseExactJson } from '#base/canonical-json.ts'

test('canonicalJson() sorts keys at every level and leaves out what is undefined', () => {
  const value = { b: [{ z: 1, a: null }], a: undefined, A: 'x<y>&"z"', é: true }
  expect(canonicalJson(value)).toBe('{"A":"x<y>&\\"z\\"","b":[{"a":null,"z":1}],"é":true}')
})

test('parseExactJson() keeps integers beyond 2^53 and reads everything else as the platform does', () => {
  expect(parseExactJson('[9007199254740993,-9007199254740993,9007199254740991,1.5e3,0.1234567890123456789]')).toEqual([
    9007199254740993n,
    -9007199254740993n,
    9007199254740991,
    1500,
    0.12345678901234568,
  ])
  expect(parseExactJson('{"9007199254740993":"9007199254740993, \\"9007199254740993"}')).toEqual({
    '9007199254740993': '9007199254740993, "9007199254740993',
  })
})

test.each(['', '{', '[1,]', '90071992547409930x', '01', '{"a":9007199254740993'])(
  'parseExactJson() refuses %j',
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  },
)

test.each([
  ['an escape and a quote', '"\\'],
  ['an escaped end of a line and a quote', '"\\\n'],
])('parseExactJson() refuses a long text of one string that does not end in one pass: %s', (_, part) => {
  for (const end of ['', '\\']) expect(() => parseExactJson(part.repeat(300_000) + end)).toThrow(SyntaxError)
})

test('parseExactJson() undoes canonicalJson()', () => {
  const integers = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }))
  const { tree } = fc.letrec<{ tree: ExactJson }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      fc.string({ unit: 'grapheme' }),
      integers,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(parseExactJson(text) as ExactJson)).toBe(text)
    }),
    { seed: 5 },
  )
})
