/** Compiling configuration: every mistake with the reference's text, and the dialect it is written in. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkRules, compileRules, mistakeText, runtimeKey } from '../../../src/ratelimit/config/compile.ts'
import { RatelimitError } from '../../../src/ratelimit/errors.ts'
import type { Rule } from '../../../src/ratelimit/rule-book.ts'

const loading = 'error loading config file: '

/** File name to the text it must give, or its beginning when it ends in a library's own words. */
const texts: Readonly<Record<string, string>> = {
  'alias-bomb': loading,
  'capital-key': "config error, unknown key 'Domain'",
  'comment-only': 'config file cannot have empty domain',
  'descriptors-as-map': loading,
  'duplicate-domain': "duplicate domain 'shop' in config file",
  'duplicate-key': "duplicate descriptor composite key 'shop.a_b'",
  'duplicate-key-by-joining': "duplicate descriptor composite key 'shop.a_b'",
  'duplicate-key-nested': "duplicate descriptor composite key 'shop.a.b'",
  'empty-domain': 'config file cannot have empty domain',
  'empty-file': 'config file cannot have empty domain',
  'empty-key': 'descriptor has empty key',
  'exponent-value': 'error checking config',
  'flag-number': loading,
  'flag-quoted': loading,
  'flag-text': loading,
  'float-limit': 'error checking config',
  'float-value': 'error checking config',
  'infinite-value': 'error checking config',
  'integer-beyond-64-bits': 'error checking config',
  'key-as-list': 'config error, yaml file contains list of type other than map: a',
  'key-is-boolean-word': 'config error, key is not of type string: true',
  'key-not-text': 'config error, key is not of type string: 5',
  'list-of-null': 'config error, yaml file contains list of type other than map: <nil>',
  'metadata-as-list': loading,
  'metadata-key-not-text': 'error parsing metadata: ',
  'metadata-not-finite': 'error parsing metadata: ',
  'missing-unit': "invalid rate limit unit ''",
  'rate-limit-as-text': loading,
  'replaces-itself': 'replaces should not contain name of same descriptor',
  'replaces-list-of-text': 'config error, yaml file contains list of type other than map: x',
  'replaces-without-name': 'should not have an empty replaces entry',
  'requests-beyond-32-bits': loading,
  'requests-negative': loading,
  'requests-quoted': loading,
  'requests-text': loading,
  'root-is-list': loading,
  'root-is-text': loading,
  'share-threshold-without-wildcard':
    "share_threshold can only be used with wildcard values (containing '*'), but found key 'a_b'",
  syntax: loading,
  'tab-indentation': loading,
  'unit-named-unknown': "invalid rate limit unit 'unknown'",
  'unit-number': "invalid rate limit unit '4'",
  'unit-with-space': "invalid rate limit unit ' day'",
  'unknown-anchor': loading,
  'unknown-key': "config error, unknown key 'ratelimit'",
  'unknown-top-key': "config error, unknown key 'owner'",
  'unknown-unit': "invalid rate limit unit 'fortnight'",
  'unlimited-with-unit': 'should not specify rate limit unit when unlimited',
}

const directory = new URL('./mistakes/', import.meta.url)

test('every file of mistakes has its text here, and the other way round', () => {
  const names = readdirSync(directory).map((name) => name.replace('.yaml', ''))
  expect(names.toSorted()).toEqual(Object.keys(texts).toSorted())
})

test.each(Object.entries(texts))('compileRules() refuses %s', (name, text) => {
  const before = name === 'duplicate-domain' ? [{ key: 'config.first.yaml', text: 'domain: shop\n' }] : []
  const file = { key: `config.${name}.yaml`, text: readFileSync(new URL(`${name}.yaml`, directory), 'utf8') }
  const expected = `${file.key}: ${text}`
  const isExact = !text.endsWith(': ')
  try {
    compileRules([...before, file])
    expect.unreachable('the mistake was accepted')
  } catch (error) {
    if (!(error instanceof RatelimitError)) throw error
    expect(error.code).toBe('invalid_rules')
    expect(isExact ? error.message : error.message.slice(0, expected.length)).toBe(expected)
  }
})

test('checkRules() lists every mistake of every file with path and line', () => {
  const { mistakes } = checkRules([
    {
      key: 'config.a.yaml',
      text: 'domain: shop\ndescriptors:\n  - key: a\n    rate_limit: {unit: eon}\n  - value: x\n  - key: b\n    descriptors:\n      - key: c\n        rate_limit: {unit: age}\n',
    },
    { key: 'config.b.yaml', text: 'domain: shop\n' },
    { key: 'config.c.yaml', text: 'domain: c\nowner: me\nteam: us\n' },
  ])
  expect(mistakes.map((mistake) => [mistakeText(mistake), mistake.path, mistake.line])).toEqual([
    ["config.a.yaml: invalid rate limit unit 'eon'", 'descriptors[0].rate_limit.unit', 4],
    ['config.a.yaml: descriptor has empty key', 'descriptors[1].key', 5],
    ["config.a.yaml: invalid rate limit unit 'age'", 'descriptors[2].descriptors[0].rate_limit.unit', 9],
    ["config.b.yaml: duplicate domain 'shop' in config file", 'domain', 1],
    ["config.c.yaml: config error, unknown key 'owner'", 'owner', 2],
    ["config.c.yaml: config error, unknown key 'team'", 'team', 3],
  ])
})

test('runtimeKey() writes a path with dots', () => {
  expect(runtimeKey('config/shop/a.yaml')).toBe('config.shop.a.yaml')
})

function onlyRule(yaml: string): Rule {
  const [rule] =
    compileRules([{ key: 'f', text: yaml }])
      .domains.get('d')
      ?.children.values() ?? []
  if (rule === undefined) throw new Error('no rule')
  return rule
}

test.each([
  ['1_000', 1000],
  ['010', 8],
  ['0o10', 8],
  ['0x10', 16],
  ['0b11', 3],
  ['+5', 5],
  ['0', 0],
])('compileRules() reads requests_per_unit %s as %i', (written, value) => {
  const yaml = `domain: d\ndescriptors:\n  - key: k\n    rate_limit: {unit: day, requests_per_unit: ${written}}\n`
  expect(onlyRule(yaml).limit?.requestsPerUnit).toBe(value)
})

test.each(['1:30', 'yes', '0x10', '2024-01-01', '1.2.3', '007', "'1.5'", '!!str 1.5', '~', '-'])(
  'compileRules() keeps the raw text of value %s',
  (written) => {
    const raw = written === '~' ? '' : written.replaceAll("'", '').replace('!!str ', '')
    expect(
      onlyRule(`domain: d\ndescriptors:\n  - {key: k, value: ${written === '-' ? '"-"' : written}}\n`).value,
    ).toBe(raw)
  },
)

test.each([
  ['on', true],
  ['y', true],
  ['Yes', true],
  ['off', false],
  ['N', false],
  ['~', false],
])('compileRules() reads shadow_mode %s as %s', (written, isShadow) => {
  const yaml = `domain: d\ndescriptors:\n  - key: k\n    shadow_mode: ${written}\n    rate_limit: {unit: day}\n`
  expect(onlyRule(yaml).limit?.isShadow).toBe(isShadow)
})

test('compileRules() reads the first document alone, merges maps and follows aliases', () => {
  const yaml = [
    '\uFEFFdomain: d',
    'descriptors:',
    '  - key: k',
    '    metadata: &base {a: 1, b: 2}',
    '    rate_limit: {unit: day, requests_per_unit: 3}',
    '    descriptors:',
    '      - key: inner',
    '        metadata: {<<: *base, b: 3}',
    '        rate_limit: {unit: day, requests_per_unit: 3}',
    '---',
    'domain: [',
  ].join('\n')
  const rule = onlyRule(yaml)
  expect(rule.limit?.metadata).toEqual({ a: 1, b: 2 })
  expect(rule.children.get('inner')?.limit?.metadata).toEqual({ a: 1, b: 3 })
})
