/** Typed reading of fields: absent, null, written twice, and of another type. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import {
  type Fields,
  findLine,
  isNull,
  readFlag,
  readItems,
  readMap,
  readText,
  readUint32,
} from '#ratelimit/config/fields.ts'
import type { YamlMap } from '#ratelimit/config/yaml-node.ts'
import { parseYaml } from '../../support/read-yaml.ts'

function fieldsOf(text: string, path = ''): Fields {
  const map = parseYaml(text)
  if (isYamlMistake(map) || map.kind !== 'map') throw new Error(`not a map: ${text}`)
  return { map, path, mistakes: [] }
}

/** Reads one field, with the texts and paths of what is wrong. */
function reading<T>(text: string, read: (fields: Fields) => T) {
  const fields = fieldsOf(text, 'descriptors[2]')
  const value = read(fields)
  return { value, mistakes: fields.mistakes.map(({ path, message }) => [path, message]) }
}

const unreadable = (line: number, reason: string) => [
  ['descriptors[2].k', `error loading config file: yaml: line ${line}: cannot unmarshal ${reason}`],
]

describe('readText()', () => {
  it.each([
    ['k: abc', 'abc'],
    ['k: "5"', '5'],
    ['k: 0x10', '0x10'],
    ['k: yes', 'yes'],
    ['k: 1_0.50', '1_0.50'],
    ['k:', ''],
    ['k: ~', ''],
    ['other: a', ''],
    ['k: a\nk: b', 'b'],
    ['k: a\nk:', ''],
  ])('reads %j as %j', (text, value) => {
    expect(reading(text, (fields) => readText(fields, 'k'))).toEqual({ value, mistakes: [] })
  })

  it.each([
    ['k: [a]', 1, '!!seq into a string'],
    ['a: 1\nk: {}', 2, '!!map into a string'],
    ['k: [a]\nk: b', 1, '!!seq into a string'],
  ])('reports %j', (text, line, reason) => {
    expect(reading(text, (fields) => readText(fields, 'k')).mistakes).toEqual(unreadable(line, reason))
  })
})

describe('readFlag()', () => {
  it.each([
    ['k: true', true],
    ['k: on', true],
    ['k: no', false],
    ['k:', false],
    ['other: true', false],
    ['k: true\nk: false', false],
  ])('reads %j as %s', (text, value) => {
    expect(reading(text, (fields) => readFlag(fields, 'k'))).toEqual({ value, mistakes: [] })
  })

  it.each([
    ['k: 1', '!!int `1` into a boolean'],
    ['k: "true"', '!!str `true` into a boolean'],
  ])('takes %j for false and reports it', (text, reason) => {
    const expected = { value: false, mistakes: unreadable(1, reason) }
    expect(reading(text, (fields) => readFlag(fields, 'k'))).toEqual(expected)
  })
})

describe('readUint32()', () => {
  const read = (fields: Fields) => readUint32(fields, 'k')

  it.each([
    ['k: 4294967295', 4_294_967_295],
    ['k: 0x10', 16],
    ['k: 1e3', 1_000],
    ['k: 2.9', 2],
    ['k:', 0],
    ['other: 1', 0],
  ])('reads %j as %i', (text, value) => {
    expect(reading(text, read)).toEqual({ value, mistakes: [] })
  })

  it.each([
    ['k: 4294967296', '!!int `4294967296`'],
    ['k: -1', '!!int `-1`'],
    ['k: "5"', '!!str `5`'],
    ['k: .nan', '!!float `.nan`'],
    ['k: true', '!!bool `true`'],
  ])('takes %j for 0 and reports it', (text, type) => {
    const mistakes = unreadable(1, `${type} into a whole number from 0 to 4294967295`)
    expect(reading(text, read)).toEqual({ value: 0, mistakes })
  })

  it('reads every whole number of 32 bits as it is written, and reports every one beyond', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 33), max: 2 ** 33 }), (number) => {
        const isRight = number >= 0 && number < 2 ** 32
        const { value, mistakes } = reading(`k: ${number}`, read)
        expect([value, mistakes.length]).toEqual(isRight ? [number, 0] : [0, 1])
      }),
      { seed: 3 },
    )
  })
})

describe('readMap()', () => {
  const keysOf = (map: YamlMap | null) => map?.written.map(({ key }) => (key.kind === 'scalar' ? key.text : '')) ?? null

  it.each([
    ['k: {a: 1, b: 2}', ['a', 'b']],
    ['k: {a: 1}\nk: {a: 2, b: 3}', ['a', 'a', 'b']],
    ['k: {a: 1}\nk:\nk: {b: 2}', ['b']],
    ['k: {a: 1}\nk:', null],
    ['k:', null],
    ['other: {}', null],
  ])('of %j has the keys %j', (text, keys) => {
    const { value, mistakes } = reading(text, (fields) => readMap(fields, 'k'))
    expect([keysOf(value), mistakes]).toEqual([keys, []])
  })

  it('reports what is not a map, and keeps the map before it', () => {
    const { value, mistakes } = reading('k: {a: 1}\nk: text', (fields) => readMap(fields, 'k'))
    expect(keysOf(value)).toEqual(['a'])
    expect(mistakes).toEqual(unreadable(2, '!!str `text` into a map'))
  })
})

describe('readItems()', () => {
  const texts = (fields: Fields) => readItems(fields, 'k', (item) => `${item.path}=${readText(item, 'name')}`)

  it.each([
    ['k: [{name: a}, {name: b}]', ['descriptors[2].k[0]=a', 'descriptors[2].k[1]=b']],
    ['k: [{name: a}, text, {name: b}]', ['descriptors[2].k[0]=a', 'descriptors[2].k[2]=b']],
    ['k: [{name: a}]\nk: [{name: b}]', ['descriptors[2].k[0]=b']],
    ['k: [{name: a}]\nk:', []],
    ['other: []', []],
  ])('of %j are %j', (text, value) => {
    expect(reading(text, texts)).toEqual({ value, mistakes: [] })
  })

  it('reports what is not a list, and what is wrong in a list that another one replaces', () => {
    expect(reading('k: {name: a}', texts)).toEqual({ value: [], mistakes: unreadable(1, '!!map into a list') })
    const { value, mistakes } = reading('k: [{name: [a]}, 1.5, ~]\nk: [{name: b}]', texts)
    expect(value).toEqual(['descriptors[2].k[0]=b'])
    expect(mistakes.map(([path]) => path)).toEqual(['descriptors[2].k[0].name', 'descriptors[2].k[1]'])
  })
})

describe('findLine()', () => {
  it.each([
    ['a: 1\nk: 2', 2],
    ['k: 1\na: 2\nk: 3', 3],
    ['a: 1', undefined],
  ])('of %j is %s', (text, line) => {
    expect(findLine(fieldsOf(text), 'k')).toBe(line)
  })
})

describe('isNull()', () => {
  it.each([
    ['~', true],
    ['', true],
    ['null', true],
    ['"null"', false],
    ['[]', false],
    ['{}', false],
    ['0', false],
  ])('of %j is %s', (text, expected) => {
    const node = parseYaml(text)
    if (isYamlMistake(node)) throw new Error(node.message)
    expect(isNull(node)).toBe(expected)
  })
})
