/** Mistakes in a configuration file: the reference's words, the path and the hint. */

import { describe, expect, it } from 'vitest'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import { joinPath, loading, mismatch, syntaxMistake, typeName } from '#ratelimit/config/mistake.ts'
import type { YamlNode } from '#ratelimit/config/yaml-node.ts'
import { parseYaml } from '../../support/read-yaml.ts'

function nodeOf(text: string): YamlNode {
  const node = parseYaml(text)
  if (isYamlMistake(node)) throw new Error(node.message)
  return node
}

describe('typeName()', () => {
  it.each([
    ['{a: 1}', '!!map'],
    ['[1]', '!!seq'],
    ['abc', '!!str `abc`'],
    ['"5"', '!!str `5`'],
    ['5', '!!int `5`'],
    ['0x10', '!!int `0x10`'],
    ['1.5', '!!float `1.5`'],
    ['yes', '!!bool `yes`'],
    ['~', '!!null `~`'],
    ['x'.repeat(40), `!!str \`${'x'.repeat(40)}\``],
    ['x'.repeat(41), `!!str \`${'x'.repeat(40)}...\``],
  ])('of %j is %s', (text, name) => {
    expect(typeName(nodeOf(text))).toBe(name)
  })
})

describe('mismatch()', () => {
  it('names the type that was found, the one that is right, and the line', () => {
    expect(mismatch('descriptors[0].key', nodeOf('\n\n[a]'), 'a string')).toEqual({
      path: 'descriptors[0].key',
      line: 3,
      message: 'error loading config file: yaml: line 3: cannot unmarshal !!seq into a string',
    })
  })
})

describe('mismatch() has the hint', () => {
  it.each([
    ['descriptors[0].rate_limit', '10/minute', 'expected a block such as {unit: minute, requests_per_unit: 10}'],
    ['descriptors', '{key: a}', 'expected a list, each item of which begins with "- key: NAME"'],
    ['descriptors[0].descriptors', 'a', 'expected a list, each item of which begins with "- key: NAME"'],
    ['descriptors[0].rate_limit.replaces', '{name: a}', 'expected a list such as [{name: NAME}]'],
    ['descriptors[0].rate_limit.requests_per_unit', '"5"', 'leave out the quotes'],
    ['descriptors[0].shadow_mode', "'yes'", 'leave out the quotes'],
    ['descriptors[0].rate_limit.requests_per_unit', 'ten', undefined],
    ['descriptors[0].rate_limit.requests_per_unit', '-1', undefined],
    ['descriptors[0].key', '[5]', undefined],
  ])('of %s that is %s: %s', (path, text, hint) => {
    expect(mismatch(path, nodeOf(text), 'something else').hint).toBe(hint)
  })
})

describe('syntaxMistake()', () => {
  it('belongs to the file as a whole, in the words of the YAML reader', () => {
    const mistake = { line: 7, message: 'did not find expected key' }
    expect(syntaxMistake(mistake)).toEqual(loading('', 7, 'did not find expected key'))
  })

  it.each([
    ['found character that cannot start any token: a Tab', 'indent with spaces'],
    ['did not find expected key', undefined],
    ['Invalid escape sequence in the table', undefined],
  ])('of %j has the hint %j', (message, hint) => {
    expect(syntaxMistake({ line: 1, message }).hint).toBe(hint)
  })

  it.each([
    ['a: *', 'text that begins with * or & needs quotes, for example "*.example.com"'],
    ['a: *.example.com', 'text that begins with * or & needs quotes, for example "*.example.com"'],
    ['a:\n\t- b', 'indent with spaces'],
    ['a:\n  - b: c\n   d: e', 'begin the keys of one block in the same column'],
    ['a:\n  b: c\n d: e', 'begin the keys of one block in the same column'],
    ['a: b: c', 'text with ": " in it needs quotes; the keys of one block begin in the same column'],
    ['a: @b', 'text that begins with this character needs quotes'],
    ['a: %b', 'text that begins with this character needs quotes'],
    ['a: "b', 'end the text with the quote that it begins with'],
    ['a: "\\/b"', 'write / without a backslash in front'],
    ['a: "\\ud83d\\ude00"', 'write the character itself, or its number as \\U and eight digits'],
  ])('of the file %j has the hint %j', (text, hint) => {
    const mistake = parseYaml(text)
    if (!isYamlMistake(mistake)) throw new Error(`${text} is not a mistake`)
    expect(syntaxMistake(mistake).hint).toBe(hint)
  })
})

describe('joinPath()', () => {
  it.each([
    ['', 'domain', 'domain'],
    ['descriptors[2]', 'rate_limit', 'descriptors[2].rate_limit'],
  ])('of %j and %j is %j', (path, key, joined) => {
    expect(joinPath(path, key)).toBe(joined)
  })
})
