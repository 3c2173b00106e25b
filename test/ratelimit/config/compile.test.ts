/** Compiling configuration: every mistake with the reference's text, and the dialect it is written in. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { checkFilesInSlices, mistakeText, parseFilesInSlices, runtimeKey } from '#ratelimit/config/compile.ts'
import { dumpRules } from '#ratelimit/config/dump.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { Rule } from '#ratelimit/rule-book.ts'
import { checkRules, compileRules } from '../../support/compile-rules.ts'
import { refusal } from '../../support/refusal.ts'

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
  const message = refusal(RatelimitError, () => compileRules([...before, file]), 'invalid_rules')?.message
  expect(isExact ? message : message?.slice(0, expected.length)).toBe(expected)
})

test('checkFiles() lists every mistake of every file with path and line', () => {
  const { mistakes } = checkRules([
    {
      key: 'config.a.yaml',
      text: 'domain: shop\ndescriptors:\n  - key: a\n    rate_limit: {unit: eon}\n  - value: x\n  - key: b\n    descriptors:\n      - key: c\n        rate_limit: {unit: age}\n',
    },
    { key: 'config.b.yaml', text: 'domain: shop\n' },
    { key: 'config.c.yaml', text: 'domain: c\nowner: me\nteam: us\n' },
  ])
  expect(mistakes.map((mistake) => [mistakeText(mistake), mistake.path, mistake.line])).toEqual([
    ["config.c.yaml: config error, unknown key 'owner'", 'owner', 2],
    ["config.c.yaml: config error, unknown key 'team'", 'team', 3],
    ["config.a.yaml: invalid rate limit unit 'eon'", 'descriptors[0].rate_limit.unit', 4],
    ['config.a.yaml: descriptor has empty key', 'descriptors[1].key', 5],
    ["config.a.yaml: invalid rate limit unit 'age'", 'descriptors[2].descriptors[0].rate_limit.unit', 9],
    ["config.b.yaml: duplicate domain 'shop' in config file", 'domain', 1],
  ])
})

const indented = (...lines: readonly string[]) => `${lines.join('\n')}\n`

test('checkFiles() lists mistakes of every stage, each once, and what would be right', () => {
  const text = indented(
    'domain: shop',
    'descriptors:',
    '  - key: a',
    '    rate_limt:',
    '      requests_per_unit: 5',
    '      unit: minutes',
    '  - ky: b',
    '    shadow_mode: "true"',
    '  - key: c',
    '    rate_limit: {unit: fortnight, requests_per_unit: ten}',
    '    zebra: 1',
    '  - key: d',
    '    value: 1.5',
    '    rate_limit: {unit: day, unlimited: true, replaces: [x]}',
  )
  const { mistakes } = checkRules([{ key: 'f', text }])
  expect(mistakes.map(({ line, path, message, hint }) => [line, path, message, hint ?? ''])).toEqual([
    [4, 'descriptors[0].rate_limt', "config error, unknown key 'rate_limt'", 'did you mean "rate_limit"?'],
    [7, 'descriptors[1].ky', "config error, unknown key 'ky'", 'did you mean "key"?'],
    [
      11,
      'descriptors[2].zebra',
      "config error, unknown key 'zebra'",
      expect.stringMatching(
        /^expected one of domain, key, value, (?:[a-z_]+, )+share_threshold, (?:[a-z_]+, )*sluice$/,
      ),
    ],
    [13, 'descriptors[3].value', 'error checking config', '1.5 is not a whole number of 64 bits; in quotes it is text'],
    [
      14,
      'descriptors[3].rate_limit.replaces[0]',
      'config error, yaml file contains list of type other than map: x',
      'expected items such as {name: NAME}',
    ],
    [
      8,
      'descriptors[1].shadow_mode',
      'error loading config file: yaml: line 8: cannot unmarshal !!str `true` into a boolean',
      'leave out the quotes',
    ],
    [
      10,
      'descriptors[2].rate_limit.requests_per_unit',
      'error loading config file: yaml: line 10: cannot unmarshal !!str `ten` into a whole number from 0 to 4294967295',
      '',
    ],
    [
      6,
      'descriptors[0].rate_limit.unit',
      "invalid rate limit unit 'minutes'",
      'did you mean "minute"? expected one of second, minute, hour, day, week, month, year',
    ],
    [
      10,
      'descriptors[2].rate_limit.unit',
      "invalid rate limit unit 'fortnight'",
      'expected one of second, minute, hour, day, week, month, year',
    ],
    [
      14,
      'descriptors[3].rate_limit.unit',
      'should not specify rate limit unit when unlimited',
      'leave out unit, or unlimited',
    ],
  ])
})

test('checkFiles() lists 2,000 mistakes of descriptors that could be read, and what it did not check', () => {
  const { mistakes } = checkRules([{ key: 'f', text: `domain: d\ndescriptors:\n${'- {}\n'.repeat(5_000)}` }])
  expect(mistakes).toHaveLength(2_001)
  expect(mistakes[0]).toMatchObject({ file: 'f', path: 'descriptors[0].key', message: 'descriptor has empty key' })
  expect(mistakes.at(-1)?.message).toBe('the file has more than 2000 mistakes: what follows was not checked')
})

test('checkFiles() names both files of a duplicate domain, and blames the one that changed', () => {
  const files = [
    { key: 'config.a.yaml', text: 'domain: shop\n' },
    { key: 'config.b.yaml', text: '# ours\ndomain: shop\n' },
  ]
  const found = (changed?: string) =>
    checkRules(files, changed === undefined ? {} : { changed }).mistakes.map(({ file, line, hint }) => [
      file,
      line,
      hint,
    ])
  const hint = (line: number, file: string) =>
    `line ${line} of ${file} has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true`
  expect(found()).toEqual([['config.b.yaml', 2, hint(1, 'config.a.yaml')]])
  expect(found('config.a.yaml')).toEqual([['config.a.yaml', 1, hint(2, 'config.b.yaml')]])
})

/** The only limit of a file in words, or its first mistake. */
function limitOrMistake(rateLimit: string): string {
  const { rules, mistakes } = checkRules([{ key: 'f', text: `domain: d\ndescriptors:\n  - key: k\n${rateLimit}` }])
  const [first] = mistakes
  return first?.message ?? dumpRules(rules).trimEnd()
}

// Each was tried on the reference's own checker, or follows from how it reads a file into its structures.
test.each([
  [
    'adds the second to the first',
    '    rate_limit: {unit: day, requests_per_unit: 5}\n    rate_limit: {unit: week}\n',
    'd.k: unit=WEEK requests_per_unit=5, shadow_mode: false, quota_mode: false',
  ],
  [
    'keeps what the first said',
    '    rate_limit: {unlimited: true}\n    rate_limit: {unit: hour}\n',
    'should not specify rate limit unit when unlimited',
  ],
  ['forgets the first at a null', '    rate_limit: {unit: day}\n    rate_limit: ~\n', ''],
  // Go's parser leaves out a block for ~, null and nothing, and makes an empty one for the other two spellings.
  [
    'has a block without a unit at NULL',
    '    rate_limit: {unit: day}\n    rate_limit: NULL\n',
    "invalid rate limit unit ''",
  ],
  [
    'lets << win over what stands before it',
    '    rate_limit: {unit: day, <<: {unit: hour}}\n',
    'd.k: unit=HOUR requests_per_unit=0, shadow_mode: false, quota_mode: false',
  ],
  [
    'lets what stands behind << win',
    '    rate_limit: {<<: {unit: hour, requests_per_unit: 2}, unit: day}\n',
    'd.k: unit=DAY requests_per_unit=2, shadow_mode: false, quota_mode: false',
  ],
  [
    'lets the first of several merged maps win',
    '    rate_limit: {<<: [{unit: hour}, {unit: day, requests_per_unit: 3}]}\n',
    'd.k: unit=HOUR requests_per_unit=3, shadow_mode: false, quota_mode: false',
  ],
  [
    'reads every one of them for types',
    '    rate_limit: {requests_per_unit: x}\n    rate_limit: {unit: day}\n',
    'error loading config file: yaml: line 4: cannot unmarshal !!str `x` into a whole number from 0 to 4294967295',
  ],
  [
    'checks the names of the last alone',
    '    rate_limit: {zebra: 1, requests_per_unit: 7.9}\n    rate_limit: {unit: day}\n',
    'd.k: unit=DAY requests_per_unit=7, shadow_mode: false, quota_mode: false',
  ],
])('checkFiles() of a rate_limit written twice %s', (_, rateLimit, expected) => {
  expect(limitOrMistake(rateLimit)).toBe(expected)
})

test.each([
  ['{key: "a\\/b"}', 'the escape of a slash'],
  ['{key: "\\ud83d\\ude00"}', 'halves of a pair'],
  ['{key: a, value: b?c}', 'a question mark in plain text within brackets'],
  ['{key: a, rate_limit: NULL}', 'a limit that is NULL'],
  ['{key: a, descriptors: [5], descriptors: [{key: b}]}', 'a list of numbers that a later one replaces'],
])('checkFiles() refuses %s: %s', (descriptor) => {
  const files = [{ key: 'config.f.yaml', text: `domain: d\ndescriptors:\n  - ${descriptor}\n` }]
  expect(checkRules(files).mistakes).toHaveLength(1)
})

test('compileRules() takes any scalar as a key of metadata, and numbers that are not finite', () => {
  const written = '{1: a, on: b, 0x10: c, x: .nan, y: -.inf, deep: {1: a, on: b, 0x10: c, .inf: d}}'
  expect(
    onlyRule(`domain: d\ndescriptors:\n  - {key: k, rate_limit: {unit: day}, metadata: ${written}}\n`).limit?.metadata,
  ).toEqual({
    1: 'a',
    on: 'b',
    '0x10': 'c',
    x: Number.NaN,
    y: Number.NEGATIVE_INFINITY,
    deep: { 1: 'a', true: 'b', 16: 'c', '+Inf': 'd' },
  })
})

test('compileRules() decodes !!binary and keeps as text what is beyond the range of a number', () => {
  const rule = onlyRule('domain: d\ndescriptors:\n  - {key: !!binary aw==, value: 1e999}\n')
  expect([rule.key, rule.value]).toEqual(['k', '1e999'])
})

test('compileRules() refuses !!binary that is not UTF-8', () => {
  const files = (descriptor: string) => [{ key: 'f', text: `domain: d\ndescriptors:\n  - ${descriptor}\n` }]
  const metadata = '{key: k, rate_limit: {unit: day}, metadata: {a: !!binary /w==}}'
  for (const descriptor of [metadata, '{key: !!binary /w==}']) {
    expect(checkRules(files(descriptor)).mistakes).toMatchObject([
      { line: 3, message: 'error loading config file: yaml: line 3: !!binary value is not UTF-8' },
    ])
  }
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
    expect(onlyRule(`domain: d\ndescriptors:\n  - {key: k, value: ${written === '-' ? '"-"' : written}}\n`).value).toBe(
      raw,
    )
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

test('compileRules() reads only the first document, merges maps and follows aliases', () => {
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

test('checkFilesInSlices() yields between files by their descriptors of all levels', () => {
  const nested = `  - key: a\n    descriptors:\n${'      - {key: k, value: V}\n'.repeat(1_500)}`
  const files = Array.from({ length: 4 }, (_, at) => {
    let count = 0
    const text = `domain: d${at}\ndescriptors:\n${nested.replaceAll('V', () => `v${count++}`)}`
    return { key: `config.f${at}.yaml`, text }
  })
  expect([...checkFilesInSlices(doAtOnce(parseFilesInSlices(files)))]).toHaveLength(3)
})
