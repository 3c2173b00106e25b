/** YAML as values with lines: the core schema, aliases, and what is refused. */

import { describe, expect, it } from 'vitest'
import { type Document, mostCharacters, readDocument } from '#grid/scenario/document.ts'

function documentOf(text: string): Document {
  const document = readDocument(text)
  if ('message' in document) throw new Error(`${document.line}: ${document.message}`)
  return document
}

describe('readDocument()', () => {
  it('reads plain scalars by the core schema and quoted ones as text', () => {
    const text =
      'a: on\nb: yes\nc: 12\nd: -1.5e2\ne: "12"\nf: true\ng: ~\nh:\ni: 0x10\nj: .inf\nk: 2026-03-02T08:00:00Z\nl: 2-3\n'
    expect(documentOf(text).value).toEqual({
      ...{ a: 'on', b: 'yes', c: 12, d: -150, e: '12', f: true, g: null, h: null },
      ...{ i: '0x10', j: '.inf', k: '2026-03-02T08:00:00Z', l: '2-3' },
    })
  })

  it('knows the line of each part, and of the part around one that is missing', () => {
    const { lineAt } = documentOf('name: x\ntimeline:\n  - at: 1\n  - at: 2\n    check: { bus: 3 }\n')
    const paths = [
      ['name'],
      ['timeline', 1, 'at'],
      ['timeline', 1, 'check', 'bus'],
      ['timeline', 1, 'check', 'min'],
      ['no'],
    ]
    expect(paths.map(lineAt)).toEqual([1, 4, 5, 5, 1])
  })

  it('copies what an alias names', () => {
    expect(documentOf('a: &a [1, { b: 2 }]\nc: *a\n').value).toEqual({ a: [1, { b: 2 }], c: [1, { b: 2 }] })
  })

  it.each([
    ['a: 1\nb: &b\n  - *b\n', 3, 'the alias *b is inside of &b: it loops'],
    ['a: 1\nb: *c\n', 2, 'there is no anchor &c before the alias *c'],
    ['a: 1\nb: 2\na: 3\n', 3, 'the key "a" is there twice'],
    ['a: &a { b: 1 }\nc:\n  <<: *a\n', 3, 'merge keys (<<) are not read, expected an alias as a value'],
    ['a: !!binary aGk=\n', 1, 'the tag tag:yaml.org,2002:binary is not read, expected a value without a tag'],
    ['? [a]\n: 1\n', 1, 'a key is not text'],
    ['a: {b: [c\n', 2, ''],
    ['', 1, 'the file is empty'],
    [`a: ${'['.repeat(40)}${']'.repeat(40)}\n`, 1, 'nested deeper than 32 levels'],
    ['x'.repeat(mostCharacters + 1), 1, `the file has ${mostCharacters + 1} characters, expected at most 262144`],
  ])('refuses text %# in its line', (text, line, message) => {
    const read = readDocument(text)
    expect(read).toMatchObject({ line, message: expect.stringContaining(message) })
  })

  it('refuses aliases that unfold without end', () => {
    const lines = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]']
    for (let at = 1; at < 9; at++)
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`)
    expect(readDocument(lines.join('\n'))).toMatchObject({ message: 'aliases unfold to more than 20000 values' })
  })
})
