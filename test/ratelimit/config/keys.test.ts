/** The names of keys in a configuration file: the reference's messages, and hints that name the nearest known key. */

import { describe, expect, it } from 'vitest'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import { checkKeys, withProbableKeys } from '#ratelimit/config/keys.ts'
import type { DocumentMistake } from '#ratelimit/config/mistake.ts'
import type { YamlMap } from '#ratelimit/config/yaml-node.ts'
import { parseYaml } from '../../support/read-yaml.ts'

function mapOf(text: string): YamlMap {
  const tree = parseYaml(text)
  if (isYamlMistake(tree) || tree.kind !== 'map') throw new TypeError(`"${text}" is not a map`)
  return tree
}

function mistakesOf(text: string): readonly DocumentMistake[] {
  const mistakes: DocumentMistake[] = []
  checkKeys(mapOf(text), '', mistakes)
  return mistakes
}

describe('checkKeys()', () => {
  it('takes known keys at any level, and everything below metadata', () => {
    expect(mistakesOf('domain: a\ndescriptors:\n- key: a\n  metadata: {any: 1.5}\n  rate_limit: {key: a}')).toEqual([])
  })

  it('names the place, the line and the nearest known key', () => {
    expect(mistakesOf('domain: a\ndescriptors:\n- key: a\n  rate_limits: {}')).toEqual([
      {
        path: 'descriptors[0].rate_limits',
        line: 4,
        message: "config error, unknown key 'rate_limits'",
        hint: 'did you mean "rate_limit"?',
      },
    ])
  })

  it.each([
    ['5: a', 'config error, key is not of type string: 5'],
    ['domain: 1.5', 'error checking config'],
    ['descriptors: [a]', 'config error, yaml file contains list of type other than map: a'],
  ])('refuses %s', (text, message) => {
    expect(mistakesOf(text).map((mistake) => mistake.message)).toEqual([message])
  })
})

describe('withProbableKeys()', () => {
  it('puts an unknown key under the known one that it means, unless that is there', () => {
    const keysOf = (text: string) =>
      withProbableKeys(mapOf(text)).pairs.map(({ key }) => (key.kind === 'scalar' ? key.text : key.kind))
    expect(keysOf('domian: a')).toEqual(['domain'])
    expect(keysOf('domian: a\ndomain: b')).toEqual(['domian', 'domain'])
  })
})
